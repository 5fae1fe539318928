#include "textures/format.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kbuild::cpu {
namespace {

Format::Kind read_kind(const cudaChannelFormatDesc& description) {
    const int number = description.f;
    if (number == cudaChannelFormatKindFloat) return Format::Kind::floating_point;
    if (number == cudaChannelFormatKindSigned ||
        (number >= cudaChannelFormatKindSignedNormalized8X1 &&
         number <= cudaChannelFormatKindSignedNormalized16X4))
        return Format::Kind::signed_integer;
    if (number == cudaChannelFormatKindUnsigned ||
        (number >= cudaChannelFormatKindUnsignedNormalized8X1 &&
         number <= cudaChannelFormatKindUnsignedNormalized16X4))
        return Format::Kind::unsigned_integer;
    throw Failure(KBUILD_CPU_INVALID_CHANNELS,
                  "the cpu backend does not support channels of kind " + std::to_string(number));
}

// Converts a 16-bit floating-point number. Its exponent has the bias 15, a float's has 127.
float widen(std::uint32_t half) {
    const auto exponent = half >> 10 & 31;
    const auto fraction = half & 1023;
    float magnitude = 0;
    if (exponent == 31)
        magnitude = to_float(0x7F800000u | fraction << 13);
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), -24);
    else
        magnitude = to_float((exponent + 112) << 23 | fraction << 13);
    return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

template <class T>
T read(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// Returns a channel, with the sign extended to 32 bits.
std::uint32_t read_channel(const Format& format, const char* bytes) {
    const bool is_signed = format.kind == Format::Kind::signed_integer;
    switch (format.bits) {
    case 8:
        return is_signed ? static_cast<std::uint32_t>(read<std::int8_t>(bytes))
                         : read<std::uint8_t>(bytes);
    case 16:
        if (format.kind == Format::Kind::floating_point)
            return to_bits(widen(read<std::uint16_t>(bytes)));
        return is_signed ? static_cast<std::uint32_t>(read<std::int16_t>(bytes))
                         : read<std::uint16_t>(bytes);
    default: return read<std::uint32_t>(bytes);
    }
}

float normalize_channel(const Format& format, std::uint32_t channel) {
    if (format.kind == Format::Kind::unsigned_integer)
        return static_cast<float>(channel) / static_cast<float>((1u << format.bits) - 1);
    const auto greatest = static_cast<float>((1u << (format.bits - 1)) - 1);
    return std::max(static_cast<float>(static_cast<std::int32_t>(channel)) / greatest, -1.0f);
}

// Source: IEC 61966-2-1.
float to_linear(float srgb) {
    return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f);
}

}  // namespace

float to_float(std::uint32_t bits) {
    float number;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

std::uint32_t to_bits(float number) {
    std::uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

Format read_format(const cudaChannelFormatDesc& description) {
    const int bits[] = {description.x, description.y, description.z, description.w};
    unsigned channels = 0;
    while (channels < 4 && bits[channels] != 0) ++channels;
    const bool is_even = std::all_of(bits, bits + channels, [&](int b) { return b == bits[0]; }) &&
                         std::all_of(bits + channels, bits + 4, [](int b) { return b == 0; });
    const auto kind = read_kind(description);
    const bool has_size =
        bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && kind != Format::Kind::floating_point);
    if (!is_even || !has_size || (channels != 1 && channels != 2 && channels != 4))
        throw Failure(KBUILD_CPU_INVALID_CHANNELS,
                      "an element has 1, 2, or 4 channels of the same size: 8, 16, or 32 bits for "
                      "integers, 16 or 32 bits for floating-point numbers");
    return {kind, description.f > cudaChannelFormatKindNone, channels,
            static_cast<unsigned>(bits[0])};
}

Texel read_element(const Format& format, const char* element) {
    Texel texel = {};
    for (unsigned i = 0; i < format.channels; ++i)
        texel[i] = read_channel(format, element + i * format.bits / 8);
    return texel;
}

Texel normalize(const Format& format, const Texel& texel, bool is_srgb) {
    Texel result = {};
    for (unsigned i = 0; i < format.channels; ++i) {
        const auto number = normalize_channel(format, texel[i]);
        result[i] = to_bits(is_srgb && i < 3 ? to_linear(number) : number);
    }
    return result;
}

}  // namespace kbuild::cpu
