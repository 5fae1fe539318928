// 8-bit floating-point types: cuda_fp8.h.
#include "byte_formats.hpp"

constexpr unsigned int e4m3_largest = 0x7E, e5m2_largest = 0x7C;

// Conversions with both kinds of saturation, in one number.
#define TO_FP8(kind, largest, convert, argument)                                                      \
    read_bits(convert(argument, __NV_SATFINITE, kind), largest) |                                     \
        read_bits(convert(argument, __NV_NOSAT, kind), largest) << 8
#define TO_FP8X2(kind, largest, convert, argument)                                                    \
    read_bits2(convert(argument, __NV_SATFINITE, kind), largest) |                                    \
        read_bits2(convert(argument, __NV_NOSAT, kind), largest) << 16
#define FLOAT_CONVERSIONS(suffix, kind, largest)                                                      \
    __device__ unsigned int float_to_##suffix(float x) {                                              \
        return TO_FP8(kind, largest, __nv_cvt_float_to_fp8, x);                                       \
    }                                                                                                 \
    __device__ unsigned int double_to_##suffix(double x) {                                            \
        return TO_FP8(kind, largest, __nv_cvt_double_to_fp8, x);                                      \
    }                                                                                                 \
    __device__ unsigned int half_to_##suffix(__half x) {                                              \
        return TO_FP8(kind, largest, __nv_cvt_halfraw_to_fp8, x);                                     \
    }                                                                                                 \
    __device__ unsigned int bfloat16_to_##suffix(__nv_bfloat16 x) {                                   \
        return TO_FP8(kind, largest, __nv_cvt_bfloat16raw_to_fp8, x);                                 \
    }                                                                                                 \
    __device__ unsigned int float2_to_##suffix(float2 x) {                                            \
        return TO_FP8X2(kind, largest, __nv_cvt_float2_to_fp8x2, x);                                  \
    }                                                                                                 \
    __device__ unsigned int double2_to_##suffix(float2 x) {                                           \
        return TO_FP8X2(kind, largest, __nv_cvt_double2_to_fp8x2, make_double2(x.x, x.y));            \
    }                                                                                                 \
    __device__ unsigned int half2_to_##suffix(__half2 x) {                                            \
        return TO_FP8X2(kind, largest, __nv_cvt_halfraw2_to_fp8x2, x);                                \
    }                                                                                                 \
    __device__ unsigned int bfloat162_to_##suffix(__nv_bfloat162 x) {                                 \
        return TO_FP8X2(kind, largest, __nv_cvt_bfloat16raw2_to_fp8x2, x);                            \
    }                                                                                                 \
    __device__ __half suffix##_to_half(unsigned char x) { return __nv_cvt_fp8_to_halfraw(x, kind); }  \
    __device__ __half2 suffix##x2_to_half2(unsigned short x) {                                        \
        return __nv_cvt_fp8x2_to_halfraw2(x, kind);                                                   \
    }
FLOAT_CONVERSIONS(e4m3, __NV_E4M3, e4m3_largest)
FLOAT_CONVERSIONS(e5m2, __NV_E5M2, e5m2_largest)

// Scales: rounding toward zero and up, each with both kinds of saturation.
#define TO_E8M0(convert, argument, shift)                                                             \
    convert(argument, __NV_SATFINITE, cudaRoundZero) |                                                \
        static_cast<unsigned long long>(convert(argument, __NV_NOSAT, cudaRoundZero)) << shift |      \
        static_cast<unsigned long long>(convert(argument, __NV_SATFINITE, cudaRoundPosInf)) << 2 * shift |\
        static_cast<unsigned long long>(convert(argument, __NV_NOSAT, cudaRoundPosInf)) << 3 * shift
typedef unsigned long long Bits;
__device__ Bits float_to_e8m0(float x) { return TO_E8M0(__nv_cvt_float_to_e8m0, x, 8); }
__device__ Bits double_to_e8m0(double x) { return TO_E8M0(__nv_cvt_double_to_e8m0, x, 8); }
__device__ Bits bfloat16_to_e8m0(__nv_bfloat16 x) { return TO_E8M0(__nv_cvt_bfloat16raw_to_e8m0, x, 8); }
__device__ Bits float2_to_e8m0(float2 x) { return TO_E8M0(__nv_cvt_float2_to_e8m0x2, x, 16); }
__device__ Bits double2_to_e8m0(float2 x) {
    return TO_E8M0(__nv_cvt_double2_to_e8m0x2, make_double2(x.x, x.y), 16);
}
__device__ Bits bfloat162_to_e8m0(__nv_bfloat162 x) {
    return TO_E8M0(__nv_cvt_bfloat162raw_to_e8m0x2, x, 16);
}
__device__ __nv_bfloat16 e8m0_to_bfloat16(unsigned char x) { return __nv_cvt_e8m0_to_bf16raw(x); }
__device__ __nv_bfloat162 e8m0x2_to_bfloat162(unsigned short x) { return __nv_cvt_e8m0x2_to_bf162raw(x); }

// The classes.
CLASS_TESTS(e4m3, __nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, e4m3_largest, 8, 0xFF)
CLASS_TESTS(e5m2, __nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, e5m2_largest, 8, 0xFF)
CLASS_TESTS(e8m0, __nv_fp8_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_e8m0, 0xFF, 8, 0xFF)

#define TESTS(x)                                                                                      \
    x(float_to_, unsigned int, float) x(double_to_, unsigned int, double)                             \
    x(half_to_, unsigned int, __half) x(bfloat16_to_, unsigned int, __nv_bfloat16)                    \
    x(float2_to_, unsigned int, float2) x(double2_to_, unsigned int, float2)                          \
    x(half2_to_, unsigned int, __half2) x(bfloat162_to_, unsigned int, __nv_bfloat162)
#define DEFINE_E4M3(name, Out, A) CONFORMANCE_UNARY(name##e4m3, Out, A)
#define DEFINE_E5M2(name, Out, A) CONFORMANCE_UNARY(name##e5m2, Out, A)
TESTS(DEFINE_E4M3)
TESTS(DEFINE_E5M2)

#define ALL_VALUES(x)                                                                                 \
    CONVERSIONS_OF_ALL(x, e4m3) CONVERSIONS_OF_ALL(x, e5m2) CONVERSIONS_OF_ALL(x, e8m0)               \
    x(e4m3_to_half, __half, unsigned char) x(e5m2_to_half, __half, unsigned char)                     \
    x(e4m3x2_to_half2, __half2, unsigned short) x(e5m2x2_to_half2, __half2, unsigned short)           \
    x(e8m0_to_bfloat16, __nv_bfloat16, unsigned char)                                                 \
    x(e8m0x2_to_bfloat162, __nv_bfloat162, unsigned short)
ALL_VALUES(CONFORMANCE_UNARY)

#define NUMBERS(x) FROM_NUMBERS(x, e4m3) FROM_NUMBERS(x, e5m2) FROM_NUMBERS(x, e8m0)
NUMBERS(CONFORMANCE_UNARY)

#define SCALES(x)                                                                                     \
    x(float_to_e8m0, Bits, float) x(double_to_e8m0, Bits, double)                                     \
    x(bfloat16_to_e8m0, Bits, __nv_bfloat16) x(float2_to_e8m0, Bits, float2)                          \
    x(double2_to_e8m0, Bits, float2) x(bfloat162_to_e8m0, Bits, __nv_bfloat162)
SCALES(CONFORMANCE_UNARY)

// Kernels with numbers of these types as parameters.
__global__ void scale(const __nv_fp8_e4m3* a, const __nv_fp8x2_e5m2* b, __nv_fp8_e8m0 factor, float* out) {
    const float2 pair = float2(b[threadIdx.x]);
    out[threadIdx.x] = (float(a[threadIdx.x]) + pair.x - pair.y) * float(factor);
}
inline void run_kernel() {
    using namespace conformance;
    std::vector<__nv_fp8_e4m3> a;
    std::vector<__nv_fp8x2_e5m2> b;
    for (int i = 0; i < 64; ++i) {
        a.push_back(__nv_fp8_e4m3(i - 20));
        b.push_back(__nv_fp8x2_e5m2(make_float2(static_cast<float>(i), 0.5f)));
    }
    const DeviceVector<float> out(std::vector<float>(64));
    scale<<<1, 64>>>(DeviceVector<__nv_fp8_e4m3>(a).data(), DeviceVector<__nv_fp8x2_e5m2>(b).data(),
                     __nv_fp8_e8m0(3.0f), out.data());
    check(cudaDeviceSynchronize(), "scale");
    print("parameters", out.read(), 0);
}

#define RUN_E4M3(name, Out, A) RUN(name##e4m3, Out, A)
#define RUN_E5M2(name, Out, A) RUN(name##e5m2, Out, A)
#define RUN_ANY_E4M3(name, Out, A) conformance::run<Out, A>(#name "e4m3_any", test_##name##e4m3, 0, {}, 16384);
#define RUN_ANY_E5M2(name, Out, A) conformance::run<Out, A>(#name "e5m2_any", test_##name##e5m2, 0, {}, 16384);
#define RUN_NEAR(name, Out, A) conformance::run_near_numbers<Out, A>(#name "_near", test_##name, 0x8000);

int main() {
    TESTS(RUN_E4M3)
    TESTS(RUN_E5M2)
    TESTS(RUN_ANY_E4M3)
    TESTS(RUN_ANY_E5M2)
    RUN_NEAR(float_to_e4m3, unsigned int, float)
    RUN_NEAR(double_to_e4m3, unsigned int, double)
    RUN_NEAR(float_to_e5m2, unsigned int, float)
    RUN_NEAR(double_to_e5m2, unsigned int, double)
    conformance::run_all<unsigned int, __half>("half_to_e4m3_all", test_half_to_e4m3);
    conformance::run_all<unsigned int, __half>("half_to_e5m2_all", test_half_to_e5m2);
    conformance::run_all<unsigned int, __nv_bfloat16>("bfloat16_to_e4m3_all", test_bfloat16_to_e4m3);
    conformance::run_all<unsigned int, __nv_bfloat16>("bfloat16_to_e5m2_all", test_bfloat16_to_e5m2);
    conformance::run_all<Bits, __nv_bfloat16>("bfloat16_to_e8m0_all", test_bfloat16_to_e8m0);
    ALL_VALUES(RUN_ALL)
    NUMBERS(RUN_ANY)
    SCALES(RUN_ANY)
    RUN_FROM_FOUR(e4m3)
    RUN_FROM_FOUR(e5m2)
    RUN_FROM_FOUR(e8m0)
    run_kernel();
}
