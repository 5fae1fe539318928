// 6-bit and 4-bit floating-point types: cuda_fp6.h and cuda_fp4.h.
#include "byte_formats.hpp"

#include <cuda_fp4.h>
#include <cuda_fp6.h>

// Conversions with both rounding modes, in one number.
#define TO_FORMAT(convert, argument, kind)                                                                  \
    convert(argument, kind, cudaRoundNearest) |                                                             \
        static_cast<unsigned int>(convert(argument, kind, cudaRoundZero)) << 16
#define TESTS_OF(suffix, number, pair, kind, width, mask)                                                   \
    __device__ unsigned int float_to_##suffix(float x) { return TO_FORMAT(__nv_cvt_float_to_##number, x, kind); }\
    __device__ unsigned int double_to_##suffix(double x) {                                                  \
        return TO_FORMAT(__nv_cvt_double_to_##number, x, kind);                                             \
    }                                                                                                       \
    __device__ unsigned int half_to_##suffix(__half x) {                                                    \
        return TO_FORMAT(__nv_cvt_halfraw_to_##number, x, kind);                                            \
    }                                                                                                       \
    __device__ unsigned int bfloat16_to_##suffix(__nv_bfloat16 x) {                                         \
        return TO_FORMAT(__nv_cvt_bfloat16raw_to_##number, x, kind);                                        \
    }                                                                                                       \
    __device__ unsigned int float2_to_##suffix(float2 x) {                                                  \
        return TO_FORMAT(__nv_cvt_float2_to_##pair, x, kind);                                               \
    }                                                                                                       \
    __device__ unsigned int double2_to_##suffix(float2 x) {                                                 \
        return TO_FORMAT(__nv_cvt_double2_to_##pair, make_double2(x.x, x.y), kind);                         \
    }                                                                                                       \
    __device__ unsigned int half2_to_##suffix(__half2 x) {                                                  \
        return TO_FORMAT(__nv_cvt_halfraw2_to_##pair, x, kind);                                             \
    }                                                                                                       \
    __device__ unsigned int bfloat162_to_##suffix(__nv_bfloat162 x) {                                       \
        return TO_FORMAT(__nv_cvt_bfloat16raw2_to_##pair, x, kind);                                         \
    }                                                                                                       \
    __device__ __half suffix##_to_half(unsigned char x) {                                                   \
        return __nv_cvt_##number##_to_halfraw(x & mask, kind);                                              \
    }                                                                                                       \
    __device__ __half2 suffix##x2_to_half2(unsigned short x) {                                              \
        return __nv_cvt_##pair##_to_halfraw2(static_cast<__nv_##pair##_storage_t>(x & repeat(mask, width)), kind);\
    }
TESTS_OF(e2m3, fp6, fp6x2, __NV_E2M3, 8, 0x3F)
TESTS_OF(e3m2, fp6, fp6x2, __NV_E3M2, 8, 0x3F)
TESTS_OF(e2m1, fp4, fp4x2, __NV_E2M1, 4, 0x0F)
CLASS_TESTS(e2m3, __nv_fp6_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_e2m3, 0xFF, 8, 0x3F)
CLASS_TESTS(e3m2, __nv_fp6_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_e3m2, 0xFF, 8, 0x3F)
CLASS_TESTS(e2m1, __nv_fp4_e2m1, __nv_fp4x2_e2m1, __nv_fp4x4_e2m1, 0xFF, 4, 0x0F)

#define CONVERSIONS(x, type)                                                                                \
    x(float_to_##type, unsigned int, float) x(double_to_##type, unsigned int, double)                       \
    x(half_to_##type, unsigned int, __half) x(bfloat16_to_##type, unsigned int, __nv_bfloat16)              \
    x(float2_to_##type, unsigned int, float2) x(double2_to_##type, unsigned int, float2)                    \
    x(half2_to_##type, unsigned int, __half2) x(bfloat162_to_##type, unsigned int, __nv_bfloat162)
#define TO_HALF(x, type) x(type##_to_half, __half, unsigned char) x(type##x2_to_half2, __half2, unsigned short)
#define FOR_TYPES(tests, x) tests(x, e2m3) tests(x, e3m2) tests(x, e2m1)
FOR_TYPES(CONVERSIONS, CONFORMANCE_UNARY)
FOR_TYPES(TO_HALF, CONFORMANCE_UNARY)
FOR_TYPES(CONVERSIONS_OF_ALL, CONFORMANCE_UNARY)
FOR_TYPES(FROM_NUMBERS, CONFORMANCE_UNARY)

#define RUN_CONVERSION(name, Out, A)                                                                        \
    conformance::run<Out, A>(#name, test_##name, 0, {-9, 9}, 8192);                                         \
    conformance::run<Out, A>(#name "_any", test_##name, 0, {}, 8192);

int main() {
    FOR_TYPES(CONVERSIONS, RUN_CONVERSION)
    FOR_TYPES(TO_HALF, RUN_ALL)
    FOR_TYPES(CONVERSIONS_OF_ALL, RUN_ALL)
    FOR_TYPES(FROM_NUMBERS, RUN_ANY)
    RUN_FROM_FOUR(e2m3)
    RUN_FROM_FOUR(e3m2)
    RUN_FROM_FOUR(e2m1)
}
