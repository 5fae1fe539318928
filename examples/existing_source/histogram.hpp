#pragma once

#include <array>
#include <string>

// Counts each character of a text on the device.
std::array<unsigned, 256> count_characters(const std::string& text);
