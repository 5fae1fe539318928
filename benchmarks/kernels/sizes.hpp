// What kernels and loops agree on.
#pragma once

constexpr int block_size = 256;
constexpr int tile = 16;
