// The types of cuda_fp16.h, cuda_bf16.h, cuda_fp8.h, cuda_fp6.h, and cuda_fp4.h in host code.  Prints what is wrong.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <typeinfo>

static bool failed = false;
#define EXPECT(condition)                        \
    do {                                         \
        if (!(condition)) {                      \
            std::printf("%s\n", #condition);     \
            failed = true;                       \
        }                                        \
    } while (0)

// Kernels have these types as parameters, and compilers put their names in the names of kernels.
template <class T, std::size_t size>
void check_type(const char* name) {
    static_assert(sizeof(T) == size && alignof(T) == size, "size and alignment");
    static_assert(std::is_trivially_copyable<T>::value && std::is_standard_layout<T>::value, "layout");
    static_assert(std::is_trivially_default_constructible<T>::value, "shared memory");
    EXPECT(std::strcmp(typeid(T).name(), name) == 0);
}

static void check_types() {
    check_type<half, 2>("6__half");
    check_type<half2, 4>("7__half2");
    check_type<__half_raw, 2>("10__half_raw");
    check_type<nv_bfloat16, 2>("13__nv_bfloat16");
    check_type<nv_bfloat162, 4>("14__nv_bfloat162");
    check_type<__nv_fp8_e4m3, 1>("13__nv_fp8_e4m3");
    check_type<__nv_fp8x2_e5m2, 2>("15__nv_fp8x2_e5m2");
    check_type<__nv_fp8x4_e8m0, 4>("15__nv_fp8x4_e8m0");
    check_type<__nv_fp6x2_e2m3, 2>("15__nv_fp6x2_e2m3");
    check_type<__nv_fp4x4_e2m1, 2>("15__nv_fp4x4_e2m1");
}

// The processor's conversions and the portable ones give the same.
static float widen_exactly(int bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return static_cast<float>(bits & 0x8000 ? -size : size);
}
static void check_all_halves() {
    int wrong = 0;
    for (int bits = 0; bits < 65536; ++bits) {
        const half number = __ushort_as_half(static_cast<unsigned short>(bits));
        const float expected = widen_exactly(bits), value = __half2float(number);
        if (std::isnan(expected)) {
            wrong += !std::isnan(value) || __half_as_ushort(__float2half(value)) != 0x7FFF;
            continue;
        }
        const half back = __float2half(value), back_up = __float2half_ru(value);
        wrong += std::memcmp(&expected, &value, sizeof value) != 0 || std::memcmp(&back, &number, 2) != 0 ||
                 std::memcmp(&back_up, &number, 2) != 0;
        if (std::isinf(value) || bits >= 0x7BFF) continue;
        // Between two numbers, near and at the middle.
        const float next = widen_exactly(bits + 1), tie = value + (next - value) / 2;
        const half down = __ushort_as_half(static_cast<unsigned short>(bits));
        const half up = __ushort_as_half(static_cast<unsigned short>(bits + 1));
        wrong += !(__float2half(tie) == (bits % 2 ? up : down)) ||
                 !(__float2half(std::nextafterf(tie, 1e9f)) == up) ||
                 !(__float2half(std::nextafterf(tie, 0.0f)) == down) ||
                 !(__double2half(std::nextafter(static_cast<double>(tie), 1e9)) == up) ||
                 !(__float2half_rd(tie) == down) || !(__float2half_ru(tie) == up);
    }
    EXPECT(wrong == 0);
}

static void check_arithmetic() {
    half a = 1.5f, b(2);
    a += b;
    EXPECT(float(a * b - a) == 3.5f && int(a) == 3 && -a != a && !half(0.0));
    EXPECT(float(a++) == 3.5f && float(a) == 4.5f && float(--a) == 3.5f);
    EXPECT(float(__hfma(half(4097.0f / 4096), half(1.0f), half(-1.0f))) == 0.0f);
    // With two roundings, the result would be 1 + 1/1024.
    EXPECT(float(__hfma(half(1.0f), half(1.0f), half(0.00048828125f))) == 1.0f);
    EXPECT(float(half(__ushort_as_half(1)) / half(2.0f)) == 0.0f);
    const nv_bfloat16 tiny = __ushort_as_bfloat16(1);
    EXPECT(float(tiny * nv_bfloat16(1.5f)) == 2 * float(tiny) && float(tiny * nv_bfloat16(0.5f)) == 0.0f);
    EXPECT(float(__hfma(nv_bfloat16(257.0f / 256 * 1e30f), nv_bfloat16(1.0f), tiny)) > 1e30f * 0.99f);
    EXPECT(float(half(nv_bfloat16(3.0f))) == 3.0f && float(nv_bfloat16(half(5.0f))) == 5.0f);
    EXPECT(__heq2_mask(half2(a, b), half2(a, a)) == 0xFFFF && __hbeq2(half2(a, b), half2(a, b)));
    EXPECT(__half2ll_rz(CUDART_NAN_FP16) < 0 && __half2int_rn(CUDART_INF_FP16) == 2147483647);
    EXPECT(float(__nv_fp8_e4m3(1e9f)) == 448.0f && float(__nv_fp8_e5m2(a)) == 3.5f);
    EXPECT(__nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E4M3) == 0x7F && float(__nv_fp8_e8m0(5.0f)) == 8.0f);
    EXPECT(float(__nv_fp6_e3m2(-30.0)) == -28.0f && float(__nv_fp4_e2m1(2.4f)) == 2.0f);
}

static void check_hip() {
    static_assert(std::is_same<hip_bfloat16, __hip_bfloat16>::value, "both headers have one type");
    EXPECT(float(__hip_bfloat16(1.0f) + hip_bfloat16(2.0f)) == 3.0f && float(__hip_fp8_e4m3(1e9f)) == 448.0f);
    check_type<__hip_fp8x2_e4m3_fnuz, 2>("21__hip_fp8x2_e4m3_fnuz");
    EXPECT(float(__hip_fp8_e4m3_fnuz(1e9f)) == 240.0f && float(__hip_fp8_e5m2_fnuz(3.0)) == 3.0f);
    EXPECT(__hip_fp8_e4m3_fnuz(-1e-9f).__x == 0 && std::isnan(float(__hip_fp8_e5m2_fnuz(NAN))));
    const __half2_raw pair = __hip_cvt_fp8x2_to_halfraw2(0x4038, __HIP_E4M3);  // 1 and 2
    EXPECT(pair.x == 0x3C00 && pair.y == 0x4000);
    EXPECT(__hip_cvt_halfraw2_to_fp8x2(pair, __HIP_SATFINITE, __HIP_E4M3) == 0x4038);
    EXPECT(__hip_cvt_bfloat16raw2_to_fp8x2({0x3F80, 0x4000}, __HIP_SATFINITE, __HIP_E4M3) == 0x4038);
    EXPECT(hipCabs(make_hipDoubleComplex(3, 4)) == 5 && hipCdivf(make_hipComplex(2, 4), make_hipComplex(2, 0)).y == 2);
    EXPECT(__hip_cvt_float_to_fp8(1e9f, __HIP_NOSAT, __HIP_E4M3_FNUZ) == 0x80);
    EXPECT(__hip_cvt_float2_to_fp8x2(make_float2(1, 2), __HIP_SATFINITE, __HIP_E5M2) == 0x403C);
    EXPECT(float(half(__hip_cvt_fp8_to_halfraw(0x40, __HIP_E4M3_FNUZ))) == 1.0f);
}

int main() {
    check_types();
    check_hip();
    check_all_halves();
    check_arithmetic();
    return failed ? 1 : 0;
}
