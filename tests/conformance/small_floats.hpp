// What the tests of 16-bit and 8-bit floating-point types share.
#ifndef KBUILD_CONFORMANCE_SMALL_FLOATS_HPP
#define KBUILD_CONFORMANCE_SMALL_FLOATS_HPP

#include "conformance.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace conformance {

constexpr std::uint16_t half_infinity = 0x7C00, bfloat16_infinity = 0x7F80;

// Replaces each NaN in the 16-bit words of a value.
template <class T>
void canonicalize_words(T& value, std::uint16_t infinity) {
    std::uint16_t words[sizeof(T) / 2];
    std::memcpy(words, &value, sizeof value);
    for (std::uint16_t& word : words)
        if ((word & 0x7FFF) > infinity) word = 0x7FFF;
    std::memcpy(&value, words, sizeof value);
}

template <>
inline void canonicalize<__half>(__half& value) { canonicalize_words(value, half_infinity); }
template <>
inline void canonicalize<__half2>(__half2& value) { canonicalize_words(value, half_infinity); }
template <>
inline void canonicalize<__nv_bfloat16>(__nv_bfloat16& value) {
    canonicalize_words(value, bfloat16_infinity);
}
template <>
inline void canonicalize<__nv_bfloat162>(__nv_bfloat162& value) {
    canonicalize_words(value, bfloat16_infinity);
}
template <>
inline void canonicalize<float2>(float2& value) {
    canonicalize(value.x);
    canonicalize(value.y);
}

template <>
inline const char* name_type<__half>() { return "half"; }
template <>
inline const char* name_type<__nv_bfloat16>() { return "bfloat16"; }

// Random numbers with few bits and with similar exponents, so that results are often ties, cancel,
// or are subnormal.
inline std::uint16_t make_word(Random& random, int index, std::uint16_t infinity) {
    const std::uint16_t bits = static_cast<std::uint16_t>(random.next() >> 40);
    const std::uint16_t one = infinity == half_infinity ? 0x3C00 : 0x3F80;
    const std::uint16_t special[] = {0, one, infinity, 1, static_cast<std::uint16_t>(infinity - 1), 0x7FFF};
    if (index < 12) return static_cast<std::uint16_t>(special[index % 6] | (index < 6 ? 0 : 0x8000));
    if (index % 4 == 0) return bits;
    if (index % 4 == 1) return static_cast<std::uint16_t>((bits & 0x83FF) | (infinity >> 1 & 0x7C00));
    if (index % 4 == 2) return static_cast<std::uint16_t>(bits & 0xFFC0);
    return static_cast<std::uint16_t>(bits & 0xBFFF);
}
template <class T>
T make_small(Random& random, int index, Domain domain, std::uint16_t infinity) {
    const std::uint16_t word = make_word(random, index, infinity);
    if (domain.has_any_bits() || index < 12) return from_bits<T>(word);
    return T(make_input<float>(random, index, domain));
}
template <class T>
T make_pair(Random& random, int index, std::uint16_t infinity) {
    const std::uint32_t low = make_word(random, index, infinity);
    return from_bits<T>(low | std::uint32_t{make_word(random, (index * 5 + 7) % 256, infinity)} << 16);
}
template <>
inline __half make_input<__half>(Random& random, int index, Domain domain) {
    return make_small<__half>(random, index, domain, half_infinity);
}
template <>
inline __nv_bfloat16 make_input<__nv_bfloat16>(Random& random, int index, Domain domain) {
    return make_small<__nv_bfloat16>(random, index, domain, bfloat16_infinity);
}
template <>
inline __half2 make_input<__half2>(Random& random, int index, Domain) {
    return make_pair<__half2>(random, index, half_infinity);
}
template <>
inline __nv_bfloat162 make_input<__nv_bfloat162>(Random& random, int index, Domain) {
    return make_pair<__nv_bfloat162>(random, index, bfloat16_infinity);
}
template <>
inline float2 make_input<float2>(Random& random, int index, Domain domain) {
    const float first = make_input<float>(random, index, domain);
    return float2{first, make_input<float>(random, (index * 5 + 7) % 256, domain)};
}

// Runs a kernel with the parameters `const In*, Out*, int` on all values of the type, and prints.
template <class Out, class In, class Kernel>
void run_all(const char* name, Kernel* kernel) {
    constexpr int count = 1 << (8 * sizeof(In));
    std::vector<In> values;
    for (int i = 0; i < count; ++i) values.push_back(from_bits<In>(static_cast<std::uint64_t>(i)));
    const DeviceVector<Out> out{std::vector<Out>(static_cast<std::size_t>(count))};
    launch(kernel, out.data(), count, DeviceVector<In>(values));
    print(name, out.read(), 0);
}

// Numbers of a floating-point type that are near those of a format with 16 bits or fewer.
template <class T>
std::vector<T> list_near_numbers(int step) {
    std::vector<T> values;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += static_cast<std::uint64_t>(step))
        for (const int distance : {-1, 0, 1}) {
            const std::uint32_t near = static_cast<std::uint32_t>(bits + static_cast<std::uint64_t>(distance));
            values.push_back(static_cast<T>(from_bits<float>(near)) * (sizeof(T) == 8 ? T(1 + 0x1p-50) : T(1)));
        }
    return values;
}

// Runs a kernel on floats around all numbers and ties, and prints.
template <class Out, class In, class Kernel>
void run_near_numbers(const char* name, Kernel* kernel, int step = 0x1000) {
    const std::vector<In> values = list_near_numbers<In>(step);
    const DeviceVector<Out> out{std::vector<Out>(values.size())};
    launch(kernel, out.data(), static_cast<int>(values.size()), DeviceVector<In>(values));
    print(name, out.read(), 0);
}

}  // namespace conformance

#endif
