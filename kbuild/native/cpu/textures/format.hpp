// The channels of an element, and how textures read them.
#ifndef KBUILD_CPU_TEXTURES_FORMAT_HPP
#define KBUILD_CPU_TEXTURES_FORMAT_HPP

#include "../../device/cpu/kbuild_cpu/host/texture_types.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace kbuild::cpu {

// What a texture returns: the bits of float numbers, or integers of 32 bits.
using Texel = std::array<std::uint32_t, 4>;

struct Format {
    enum class Kind { signed_integer, unsigned_integer, floating_point };

    Kind kind;
    bool is_normalized;  // integers that textures always read as numbers up to 1
    unsigned channels;   // 1, 2, or 4
    unsigned bits;       // of a channel: 8, 16, or 32

    std::size_t bytes() const { return channels * bits / 8; }
};

// Throws Failure if the description is not the one of a format that works.
Format read_format(const cudaChannelFormatDesc& description);

// Reads an element without conversion, except that 16-bit numbers become floats.
Texel read_element(const Format& format, const char* element);

// Converts integers to numbers between -1 and 1, and channels in sRGB to linear ones.
Texel normalize(const Format& format, const Texel& texel, bool is_srgb);

float to_float(std::uint32_t bits);
std::uint32_t to_bits(float number);

}  // namespace kbuild::cpu

#endif
