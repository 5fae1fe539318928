// What the tests of formats that fit in a byte share.
#ifndef KBUILD_CONFORMANCE_BYTE_FORMATS_HPP
#define KBUILD_CONFORMANCE_BYTE_FORMATS_HPP

#include "small_floats.hpp"

// The bits of a result: a NaN as one pattern.
template <class T>
__host__ __device__ unsigned int read_bits(T value, unsigned int largest) {
    const unsigned int byte = value & 0xFFu;
    return (byte & 0x7F) > largest ? 0x7F : byte;
}
__host__ __device__ unsigned int read_bits2(unsigned int value, unsigned int largest) {
    return read_bits(value, largest) | read_bits(value >> 8, largest) << 8;
}
__host__ __device__ unsigned int read_bits4(unsigned int value, unsigned int largest) {
    return read_bits2(value, largest) | read_bits2(value >> 16, largest) << 16;
}
template <class T>
__host__ __device__ T load(unsigned char x) {
    T value;
    value.__x = x;
    return value;
}
// The bits of a number twice.
__host__ __device__ constexpr unsigned int repeat(unsigned int bits, int width) {
    return bits | bits << width;
}

// Defines the kernels of a class, its pair, and its four numbers: from all types, and to all types.
#define CLASS_TESTS(type, one, pair, four, largest, width, mask)                                      \
    __device__ float type##_float(unsigned char x) { return float(load<one>(x & mask)); }             \
    __device__ double type##_double(unsigned char x) { return double(load<one>(x & mask)); }          \
    __device__ __half type##_half(unsigned char x) { return __half(load<one>(x & mask)); }            \
    __device__ __nv_bfloat16 type##_bfloat16(unsigned char x) {                                       \
        return __nv_bfloat16(load<one>(x & mask));                                                    \
    }                                                                                                 \
    __device__ long type##_integers(unsigned char x) {                                                \
        const one value = load<one>(x & mask);                                                        \
        return static_cast<unsigned char>(value) + 3 * static_cast<signed char>(value) +              \
               5 * static_cast<short>(value) + 7 * static_cast<unsigned short>(value) +               \
               11L * static_cast<int>(value) + 13L * static_cast<unsigned int>(value) +               \
               (static_cast<bool>(value) ? 17 : 0);                                                   \
    }                                                                                                 \
    __device__ long long type##_long_long(unsigned char x) {                                          \
        return static_cast<long long>(load<one>(x & mask));                                           \
    }                                                                                                 \
    __device__ unsigned long type##_unsigned_long(unsigned char x) {                                  \
        return static_cast<unsigned long>(load<one>(x & mask));                                       \
    }                                                                                                 \
    __device__ unsigned int type##_from_int(int x) {                                                  \
        return read_bits(one(x).__x, largest) |                                                       \
               read_bits(one(static_cast<unsigned int>(x)).__x, largest) << 8 |                       \
               read_bits(one(static_cast<short>(x)).__x, largest) << 16 |                             \
               read_bits(one(static_cast<unsigned short>(x)).__x, largest) << 24;                     \
    }                                                                                                 \
    __device__ unsigned int type##_from_long(long x) {                                                \
        return read_bits(one(x).__x, largest) |                                                       \
               read_bits(one(static_cast<unsigned long>(x)).__x, largest) << 8;                       \
    }                                                                                                 \
    __device__ unsigned int type##_from_number(float x) {                                             \
        return read_bits(one(x).__x, largest) |                                                       \
               read_bits(one(static_cast<double>(x)).__x, largest) << 8 |                             \
               read_bits(one(__half(x)).__x, largest) << 16 |                                         \
               read_bits(one(__nv_bfloat16(x)).__x, largest) << 24;                                   \
    }                                                                                                 \
    __device__ unsigned int type##_from_pair(float2 x) {                                              \
        const __half2 h = __float22half2_rn(x);                                                       \
        const __nv_bfloat162 b = __float22bfloat162_rn(x);                                            \
        return read_bits2(pair(x).__x, largest) + 3 * read_bits2(pair(h).__x, largest) +              \
               5 * read_bits2(pair(b).__x, largest) +                                                 \
               7 * read_bits2(pair(make_double2(x.x, x.y)).__x, largest);                             \
    }                                                                                                 \
    __device__ unsigned int type##_from_four(float2 x, float2 y) {                                    \
        return read_bits4(four(make_float4(x.x, x.y, y.x, y.y)).__x, largest) +                       \
               3 * read_bits4(four(__float22half2_rn(x), __float22half2_rn(y)).__x, largest) +        \
               5 * read_bits4(four(__float22bfloat162_rn(x), __float22bfloat162_rn(y)).__x, largest); \
    }                                                                                                 \
    __device__ float2 type##_pair(unsigned short x) {                                                 \
        pair value;                                                                                   \
        value.__x = x & repeat(mask, width);                                                          \
        const __half2 half = __half2(value);                                                          \
        float2 floats = float2(value);                                                                \
        floats.x += __low2float(half);                                                                \
        floats.y -= 2 * __high2float(half);                                                           \
        return floats;                                                                                \
    }                                                                                                 \
    __device__ float type##_four(unsigned short x) {                                                  \
        four value;                                                                                   \
        value.__x = (x | static_cast<unsigned int>(x) << (2 * width + 4)) &                           \
                    repeat(repeat(mask, width), 2 * width);                                           \
        const float4 floats = float4(value);                                                          \
        return floats.x + 2 * floats.y - 4 * floats.z + floats.w / 2;                                 \
    }                                                                                                 \
    CONFORMANCE_BINARY(type##_from_four, unsigned int, float2, float2)

// `x(type, name, result, argument)`: functions of all 8-bit or 16-bit values.
#define CONVERSIONS_OF_ALL(x, type)                                                                   \
    x(type##_float, float, unsigned char) x(type##_double, double, unsigned char)                     \
    x(type##_half, __half, unsigned char) x(type##_bfloat16, __nv_bfloat16, unsigned char)            \
    x(type##_integers, long, unsigned char) x(type##_long_long, long long, unsigned char)             \
    x(type##_unsigned_long, unsigned long, unsigned char) x(type##_pair, float2, unsigned short)      \
    x(type##_four, float, unsigned short)
#define FROM_NUMBERS(x, type)                                                                         \
    x(type##_from_int, unsigned int, int) x(type##_from_long, unsigned int, long)                     \
    x(type##_from_number, unsigned int, float) x(type##_from_pair, unsigned int, float2)
#define RUN(name, Out, A) conformance::run<Out, A>(#name, test_##name, 0, {-600, 600}, 16384);
#define RUN_ANY(name, Out, A) conformance::run<Out, A>(#name, test_##name, 0, {}, 16384);
#define RUN_ALL(name, Out, A) conformance::run_all<Out, A>(#name, test_##name);
#define RUN_FROM_FOUR(type) \
    conformance::run<unsigned int, float2, float2>(#type "_from_four", test_##type##_from_four, 0, {-600, 600}, 4096);

#endif
