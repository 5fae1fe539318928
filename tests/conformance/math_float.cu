// Single-precision functions of the CUDA math API.
//
// The ulps are the bound that NVIDIA documents plus one for the C library of the CPU. Where the documented bound is absolute,
// as for Bessel functions, a constant makes the ulps of the result an absolute bound.
#include "functions.hpp"

// Functions with several results, which these combine.
__device__ float frexp_of(float x) {
    int exponent = 0;
    const float part = frexpf(x, &exponent);
    return isfinite(x) ? part + 2 * exponent : part;
}
__device__ float modf_of(float x) {
    float whole;
    const float part = modff(x, &whole);
    return part + 2 * whole;
}
// The quotient is only specified modulo 8.
__device__ float remquo_of(float x, float y) {
    int quotient = 0;
    const float rest = remquof(x, y, &quotient);
    return rest + 1000 * (quotient % 8);
}
__device__ float sum_of_sincos(float x) {
    float s, c;
    sincosf(x, &s, &c);
    return s + 2 * c;
}
__device__ float sum_of_sincospi(float x) {
    float s, c;
    sincospif(x, &s, &c);
    return s + 2 * c;
}
__device__ float norm_of(float a, float b, float c) {
    const float values[] = {a, b, c, 1};
    return normf(4, values);
}
__device__ float rnorm_of(float a, float b, float c) {
    const float values[] = {a, b, c, 1};
    return rnormf(4, values);
}

#define BOUNDED(F1, F2, F3) \
    F1(sqrtf, 0, ANY, float, float, sqrtf(a)) \
    F1(sqrtf_2, 0, BETWEEN(0, 100), float, float, sqrtf(a)) \
    F1(rsqrtf, 3, ANY, float, float, rsqrtf(a)) \
    F1(rsqrtf_2, 3, BETWEEN(0, 100), float, float, rsqrtf(a)) \
    F1(cbrtf, 2, ANY, float, float, cbrtf(a)) \
    F1(cbrtf_2, 2, BETWEEN(-100, 100), float, float, cbrtf(a)) \
    F1(rcbrtf, 2, ANY, float, float, rcbrtf(a)) \
    F1(rcbrtf_2, 2, BETWEEN(-100, 100), float, float, rcbrtf(a)) \
    F2(hypotf, 4, ANY, float, float, float, hypotf(a, b)) \
    F2(hypotf_2, 4, BETWEEN(-9, 9), float, float, float, hypotf(a, b)) \
    F2(rhypotf, 3, ANY, float, float, float, rhypotf(a, b)) \
    F2(rhypotf_2, 3, BETWEEN(-9, 9), float, float, float, rhypotf(a, b)) \
    F3(norm3df, 4, ANY, float, float, float, float, norm3df(a, b, c)) \
    F3(norm3df_2, 4, BETWEEN(-9, 9), float, float, float, float, norm3df(a, b, c)) \
    F3(rnorm3df, 3, ANY, float, float, float, float, rnorm3df(a, b, c)) \
    F3(rnorm3df_2, 3, BETWEEN(-9, 9), float, float, float, float, rnorm3df(a, b, c)) \
    F1(expf, 3, ANY, float, float, expf(a)) \
    F1(expf_2, 3, BETWEEN(-10, 10), float, float, expf(a)) \
    F1(exp2f, 3, ANY, float, float, exp2f(a)) \
    F1(exp2f_2, 3, BETWEEN(-10, 10), float, float, exp2f(a)) \
    F1(exp10f, 3, ANY, float, float, exp10f(a)) \
    F1(exp10f_2, 3, BETWEEN(-10, 10), float, float, exp10f(a)) \
    F1(expm1f, 2, ANY, float, float, expm1f(a)) \
    F1(expm1f_2, 2, BETWEEN(-1, 1), float, float, expm1f(a)) \
    F1(logf, 2, ANY, float, float, logf(a)) \
    F1(logf_2, 2, BETWEEN(0, 10), float, float, logf(a)) \
    F1(log2f, 2, ANY, float, float, log2f(a)) \
    F1(log2f_2, 2, BETWEEN(0, 10), float, float, log2f(a)) \
    F1(log10f, 3, ANY, float, float, log10f(a)) \
    F1(log10f_2, 3, BETWEEN(0, 10), float, float, log10f(a)) \
    F1(log1pf, 2, ANY, float, float, log1pf(a)) \
    F1(log1pf_2, 2, BETWEEN(-1, 1), float, float, log1pf(a)) \
    F1(sinf, 3, ANY, float, float, sinf(a)) \
    F1(sinf_2, 3, BETWEEN(-10, 10), float, float, sinf(a)) \
    F1(cosf, 3, ANY, float, float, cosf(a)) \
    F1(cosf_2, 3, BETWEEN(-10, 10), float, float, cosf(a)) \
    F1(tanf, 5, ANY, float, float, tanf(a)) \
    F1(tanf_2, 5, BETWEEN(-10, 10), float, float, tanf(a)) \
    F1(sinpif, 2, ANY, float, float, sinpif(a)) \
    F1(sinpif_2, 2, BETWEEN(-10, 10), float, float, sinpif(a)) \
    F1(cospif, 2, ANY, float, float, cospif(a)) \
    F1(cospif_2, 2, BETWEEN(-10, 10), float, float, cospif(a)) \
    F1(asinf, 5, ANY, float, float, asinf(a)) \
    F1(asinf_2, 5, BETWEEN(-1, 1), float, float, asinf(a)) \
    F1(acosf, 4, ANY, float, float, acosf(a)) \
    F1(acosf_2, 4, BETWEEN(-1, 1), float, float, acosf(a)) \
    F1(atanf, 3, ANY, float, float, atanf(a)) \
    F1(atanf_2, 3, BETWEEN(-10, 10), float, float, atanf(a)) \
    F2(atan2f, 4, ANY, float, float, float, atan2f(a, b)) \
    F2(atan2f_2, 4, BETWEEN(-9, 9), float, float, float, atan2f(a, b)) \
    F1(sinhf, 4, ANY, float, float, sinhf(a)) \
    F1(sinhf_2, 4, BETWEEN(-9, 9), float, float, sinhf(a)) \
    F1(coshf, 3, ANY, float, float, coshf(a)) \
    F1(coshf_2, 3, BETWEEN(-9, 9), float, float, coshf(a)) \
    F1(tanhf, 3, ANY, float, float, tanhf(a)) \
    F1(tanhf_2, 3, BETWEEN(-3, 3), float, float, tanhf(a)) \
    F1(asinhf, 4, ANY, float, float, asinhf(a)) \
    F1(asinhf_2, 4, BETWEEN(-9, 9), float, float, asinhf(a)) \
    F1(acoshf, 5, ANY, float, float, acoshf(a)) \
    F1(acoshf_2, 5, BETWEEN(1, 9), float, float, acoshf(a)) \
    F1(atanhf, 4, ANY, float, float, atanhf(a)) \
    F1(atanhf_2, 4, BETWEEN(-1, 1), float, float, atanhf(a)) \
    F2(powf, 9, ANY, float, float, float, powf(a, b)) \
    F2(powf_2, 9, BETWEEN(0, 9), float, float, float, powf(a, b)) \
    F1(erff, 3, ANY, float, float, erff(a)) \
    F1(erff_2, 3, BETWEEN(-3, 3), float, float, erff(a)) \
    F1(erfcf, 5, ANY, float, float, erfcf(a)) \
    F1(erfcf_2, 5, BETWEEN(-3, 9), float, float, erfcf(a)) \
    F1(erfinvf, 3, ANY, float, float, erfinvf(a)) \
    F1(erfinvf_2, 3, BETWEEN(-1, 1), float, float, erfinvf(a)) \
    F1(erfcinvf, 3, ANY, float, float, erfcinvf(a)) \
    F1(erfcinvf_2, 3, BETWEEN(0, 2), float, float, erfcinvf(a)) \
    F1(erfcxf, 5, ANY, float, float, erfcxf(a)) \
    F1(erfcxf_2, 5, BETWEEN(-3, 30), float, float, erfcxf(a)) \
    F1(normcdff, 6, ANY, float, float, normcdff(a)) \
    F1(normcdff_2, 6, BETWEEN(-9, 5), float, float, normcdff(a)) \
    F1(normcdfinvf, 6, ANY, float, float, normcdfinvf(a)) \
    F1(normcdfinvf_2, 6, BETWEEN(0, 1), float, float, normcdfinvf(a)) \
    F1(lgammaf, 7, BETWEEN(0, 30), float, float, lgammaf(a)) \
    F1(lgammaf_2, 7, BETWEEN(-2, 0), float, float, lgammaf(a)) \
    F1(tgammaf, 12, BETWEEN(0, 30), float, float, tgammaf(a)) \
    F1(tgammaf_2, 12, BETWEEN(-5, 0), float, float, tgammaf(a)) \
    F1(cyl_bessel_i0f, 7, ANY, float, float, cyl_bessel_i0f(a)) \
    F1(cyl_bessel_i0f_2, 7, BETWEEN(-30, 30), float, float, cyl_bessel_i0f(a)) \
    F1(cyl_bessel_i1f, 7, ANY, float, float, cyl_bessel_i1f(a)) \
    F1(cyl_bessel_i1f_2, 7, BETWEEN(-30, 30), float, float, cyl_bessel_i1f(a))

#define EXACT(F1, F2, F3) \
    F1(ceilf, 0, ANY, float, float, ceilf(a)) \
    F1(ceilf_2, 0, BETWEEN(-9, 9), float, float, ceilf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(floorf, 0, ANY, float, float, floorf(a)) \
    F1(floorf_2, 0, BETWEEN(-9, 9), float, float, floorf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(truncf, 0, ANY, float, float, truncf(a)) \
    F1(truncf_2, 0, BETWEEN(-9, 9), float, float, truncf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(rintf, 0, ANY, float, float, rintf(a)) \
    F1(rintf_2, 0, BETWEEN(-9, 9), float, float, rintf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(nearbyintf, 0, ANY, float, float, nearbyintf(a)) \
    F1(nearbyintf_2, 0, BETWEEN(-9, 9), float, float, nearbyintf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(roundf, 0, ANY, float, float, roundf(a)) \
    F1(roundf_2, 0, BETWEEN(-9, 9), float, float, roundf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(fabsf, 0, ANY, float, float, fabsf(a)) \
    F1(fabsf_2, 0, BETWEEN(-9, 9), float, float, fabsf(static_cast<float>(0.5) * rint(a * 2))) \
    F1(logbf, 0, ANY, float, float, logbf(a)) \
    F1(logbf_2, 0, BETWEEN(-9, 9), float, float, logbf(static_cast<float>(0.5) * rint(a * 2))) \
    F2(fmodf, 0, ANY, float, float, float, fmodf(a, b)) \
    F2(fmodf_2, 0, BETWEEN(-9, 9), float, float, float, fmodf(a, b)) \
    F2(remainderf, 0, ANY, float, float, float, remainderf(a, b)) \
    F2(remainderf_2, 0, BETWEEN(-9, 9), float, float, float, remainderf(a, b)) \
    F2(fdimf, 0, ANY, float, float, float, fdimf(a, b)) \
    F2(fdimf_2, 0, BETWEEN(-9, 9), float, float, float, fdimf(a, b)) \
    F2(copysignf, 0, ANY, float, float, float, copysignf(a, b)) \
    F2(copysignf_2, 0, BETWEEN(-9, 9), float, float, float, copysignf(a, b)) \
    F2(nextafterf, 0, ANY, float, float, float, nextafterf(a, b)) \
    F2(nextafterf_2, 0, BETWEEN(-9, 9), float, float, float, nextafterf(a, b)) \
    F2(fminf, 0, ANY, float, float, float, fminf(a, b) + 0) \
    F2(fmaxf, 0, ANY, float, float, float, fmaxf(a, b) + 0) \
    F2(fminf_of_zeros, 0, BETWEEN(-1, 1), float, float, float, fminf(copysign(float(0), a), copysign(float(0), b))) \
    F2(fmaxf_of_zeros, 0, BETWEEN(-1, 1), float, float, float, fmaxf(copysign(float(0), a), copysign(float(0), b))) \
    F2(min, 0, ANY, float, float, float, min(a, b)) \
    F2(min_of_zeros, 0, BETWEEN(-1, 1), float, float, float, min(copysign(float(0), a), copysign(float(0), b))) \
    F2(max, 0, ANY, float, float, float, max(a, b)) \
    F2(max_of_zeros, 0, BETWEEN(-1, 1), float, float, float, max(copysign(float(0), a), copysign(float(0), b))) \
    F2(min_of_float_and_double, 0, ANY, double, float, double, min(a, b)) \
    F2(max_of_float_and_double, 0, ANY, double, float, double, max(a, b)) \
    F3(fmaf, 0, ANY, float, float, float, float, fmaf(a, b, c)) \
    F3(fmaf_2, 0, BETWEEN(-9, 9), float, float, float, float, fmaf(a, b, c)) \
    F1(lrintf, 0, BETWEEN(-1e9, 1e9), long long, float, lrintf(a)) \
    F1(llrintf, 0, BETWEEN(-1e9, 1e9), long long, float, llrintf(a)) \
    F1(lroundf, 0, BETWEEN(-1e9, 1e9), long long, float, lroundf(a)) \
    F1(llroundf, 0, BETWEEN(-1e9, 1e9), long long, float, llroundf(a)) \
    F1(ilogbf, 0, BETWEEN(-1e9, 1e9), int, float, ilogbf(a)) \
    F1(ilogbf_of_tiny, 0, BETWEEN(0, 1e-39), int, float, ilogbf(a)) \
    F1(isnanf, 0, ANY, int, float, isnan(a) ? 1 : 0) \
    F1(isinff, 0, ANY, int, float, isinf(a) ? 1 : 0) \
    F1(isfinitef, 0, ANY, int, float, isfinite(a) ? 1 : 0) \
    F1(signbitf, 0, BETWEEN(-9, 9), int, float, signbit(a) ? 1 : 0) \
    F1(signbitf_of_zero, 0, BETWEEN(-9, 9), int, float, signbit(a * 0) ? 1 : 0) \
    F2(ldexpf, 0, BETWEEN(-300, 300), float, float, int, ldexpf(a, b)) \
    F2(scalbnf, 0, BETWEEN(-300, 300), float, float, int, scalbnf(a, b)) \
    F2(scalblnf, 0, BETWEEN(-300, 300), float, float, long, scalblnf(a, b)) \
    F1(frexpf, 0, ANY, float, float, frexp_of(a)) \
    F1(modff, 0, BETWEEN(-99, 99), float, float, modf_of(a)) \
    F2(remquof, 0, BETWEEN(-99, 99), float, float, float, remquo_of(a, b)) \
    F2(fdividef, 3, BETWEEN(-99, 99), float, float, float, fdividef(a, b))

#define SEVERAL_RESULTS(F1, F2, F3) \
    F1(sincosf, 6, BETWEEN(-0.5, 0.5), float, float, sum_of_sincos(a)) \
    F1(sincospif, 6, BETWEEN(-0.25, 0.25), float, float, sum_of_sincospi(a)) \
    F3(normf, 4, BETWEEN(-9, 9), float, float, float, float, norm_of(a, b, c)) \
    F3(rnormf, 4, BETWEEN(-9, 9), float, float, float, float, rnorm_of(a, b, c)) \
    F3(norm4df, 4, BETWEEN(-9, 9), float, float, float, float, norm4df(a, b, c, 1)) \
    F3(rnorm4df, 3, BETWEEN(-9, 9), float, float, float, float, rnorm4df(a, b, c, 1))

#define BESSEL(F1, F2, F3) \
    F1(j0f, 3, BETWEEN(-8, 8), float, float, 40 + j0f(a)) \
    F1(j0f_2, 6, BETWEEN(8, 30), float, float, 4 + j0f(a)) \
    F1(j1f, 3, BETWEEN(-8, 8), float, float, 40 + j1f(a)) \
    F1(j1f_2, 6, BETWEEN(8, 30), float, float, 4 + j1f(a)) \
    F1(y0f, 3, BETWEEN(0.1, 8), float, float, 40 + y0f(a)) \
    F1(y0f_2, 6, BETWEEN(8, 30), float, float, 4 + y0f(a)) \
    F1(y1f, 3, BETWEEN(0.1, 8), float, float, 40 + y1f(a)) \
    F1(y1f_2, 6, BETWEEN(8, 30), float, float, 4 + y1f(a)) \
    F1(jnf, 6, BETWEEN(8, 30), float, float, 4 + jnf(3, a)) \
    F1(ynf, 6, BETWEEN(8, 30), float, float, 4 + ynf(3, a))

#define OVERLOADS(F1, F2, F3) \
    F1(rsqrt_of_float, 3, BETWEEN(0.1, 0.9), float, float, rsqrt(a)) \
    F1(rcbrt_of_float, 2, BETWEEN(0.1, 0.9), float, float, rcbrt(a)) \
    F1(exp10_of_float, 3, BETWEEN(0.1, 0.9), float, float, exp10(a)) \
    F1(sinpi_of_float, 2, BETWEEN(0.1, 0.9), float, float, sinpi(a)) \
    F1(cospi_of_float, 2, BETWEEN(0.1, 0.9), float, float, cospi(a)) \
    F1(erfinv_of_float, 3, BETWEEN(0.1, 0.9), float, float, erfinv(a)) \
    F1(erfcinv_of_float, 3, BETWEEN(0.1, 0.9), float, float, erfcinv(a)) \
    F1(erfcx_of_float, 5, BETWEEN(0.1, 0.9), float, float, erfcx(a)) \
    F1(normcdf_of_float, 6, BETWEEN(0.1, 0.9), float, float, normcdf(a)) \
    F1(normcdfinv_of_float, 6, BETWEEN(0.1, 0.9), float, float, normcdfinv(a)) \
    F1(cyl_bessel_i0_of_float, 7, BETWEEN(0.1, 0.9), float, float, cyl_bessel_i0(a)) \
    F1(cyl_bessel_i1_of_float, 7, BETWEEN(0.1, 0.9), float, float, cyl_bessel_i1(a)) \
    F1(sin_of_float, 3, BETWEEN(0.1, 0.9), float, float, sin(a)) \
    F1(exp_of_float, 3, BETWEEN(0.1, 0.9), float, float, exp(a)) \
    F1(log_of_float, 2, BETWEEN(0.1, 0.9), float, float, log(a)) \
    F1(tgamma_of_float, 12, BETWEEN(0.1, 0.9), float, float, tgamma(a)) \
    F1(j0_of_float, 6, BETWEEN(0.1, 8), float, float, 4 + j0(a)) \
    F1(j1_of_float, 6, BETWEEN(0.1, 8), float, float, 4 + j1(a)) \
    F1(y0_of_float, 6, BETWEEN(0.1, 8), float, float, 4 + y0(a)) \
    F1(y1_of_float, 6, BETWEEN(1, 8), float, float, 4 + y1(a)) \
    F1(jn_of_float, 6, BETWEEN(0.1, 8), float, float, 4 + jn(2, a)) \
    F1(yn_of_float, 6, BETWEEN(2, 8), float, float, 4 + yn(2, a)) \
    F2(hypot_of_float, 4, BETWEEN(-9, 9), float, float, float, hypot(a, b)) \
    F2(copysign_of_both, 0, BETWEEN(-9, 9), double, float, double, copysign(a, b))

#define FUNCTIONS(F1, F2, F3) \
    BOUNDED(F1, F2, F3) \
    EXACT(F1, F2, F3) \
    SEVERAL_RESULTS(F1, F2, F3) \
    BESSEL(F1, F2, F3) \
    OVERLOADS(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
