// Double-precision functions of the CUDA math API. The ulps are those of math_float.cu.
#include "functions.hpp"

// Functions with several results, which these combine.
__device__ double frexp_of(double x) {
    int exponent = 0;
    const double part = frexp(x, &exponent);
    return isfinite(x) ? part + 2 * exponent : part;
}
__device__ double modf_of(double x) {
    double whole;
    const double part = modf(x, &whole);
    return part + 2 * whole;
}
// The quotient is only specified modulo 8.
__device__ double remquo_of(double x, double y) {
    int quotient = 0;
    const double rest = remquo(x, y, &quotient);
    return rest + 1000 * (quotient % 8);
}
__device__ double sum_of_sincos(double x) {
    double s, c;
    sincos(x, &s, &c);
    return s + 2 * c;
}
__device__ double sum_of_sincospi(double x) {
    double s, c;
    sincospi(x, &s, &c);
    return s + 2 * c;
}
__device__ double norm_of(double a, double b, double c) {
    const double values[] = {a, b, c, 1};
    return norm(4, values);
}
__device__ double rnorm_of(double a, double b, double c) {
    const double values[] = {a, b, c, 1};
    return rnorm(4, values);
}

#define BOUNDED(F1, F2, F3) \
    F1(sqrt, 0, ANY, double, double, sqrt(a)) \
    F1(sqrt_2, 0, BETWEEN(0, 100), double, double, sqrt(a)) \
    F1(rsqrt, 2, ANY, double, double, rsqrt(a)) \
    F1(rsqrt_2, 2, BETWEEN(0, 100), double, double, rsqrt(a)) \
    F1(cbrt, 2, ANY, double, double, cbrt(a)) \
    F1(cbrt_2, 2, BETWEEN(-100, 100), double, double, cbrt(a)) \
    F1(rcbrt, 2, ANY, double, double, rcbrt(a)) \
    F1(rcbrt_2, 2, BETWEEN(-100, 100), double, double, rcbrt(a)) \
    F2(hypot, 3, ANY, double, double, double, hypot(a, b)) \
    F2(hypot_2, 3, BETWEEN(-9, 9), double, double, double, hypot(a, b)) \
    F2(rhypot, 2, ANY, double, double, double, rhypot(a, b)) \
    F2(rhypot_2, 2, BETWEEN(-9, 9), double, double, double, rhypot(a, b)) \
    F3(norm3d, 3, ANY, double, double, double, double, norm3d(a, b, c)) \
    F3(norm3d_2, 3, BETWEEN(-9, 9), double, double, double, double, norm3d(a, b, c)) \
    F3(rnorm3d, 2, ANY, double, double, double, double, rnorm3d(a, b, c)) \
    F3(rnorm3d_2, 2, BETWEEN(-9, 9), double, double, double, double, rnorm3d(a, b, c)) \
    F1(exp, 2, ANY, double, double, exp(a)) \
    F1(exp_2, 2, BETWEEN(-10, 10), double, double, exp(a)) \
    F1(exp2, 2, ANY, double, double, exp2(a)) \
    F1(exp2_2, 2, BETWEEN(-10, 10), double, double, exp2(a)) \
    F1(exp10, 2, ANY, double, double, exp10(a)) \
    F1(exp10_2, 2, BETWEEN(-10, 10), double, double, exp10(a)) \
    F1(expm1, 2, ANY, double, double, expm1(a)) \
    F1(expm1_2, 2, BETWEEN(-1, 1), double, double, expm1(a)) \
    F1(log, 2, ANY, double, double, log(a)) \
    F1(log_2, 2, BETWEEN(0, 10), double, double, log(a)) \
    F1(log2, 2, ANY, double, double, log2(a)) \
    F1(log2_2, 2, BETWEEN(0, 10), double, double, log2(a)) \
    F1(log10, 2, ANY, double, double, log10(a)) \
    F1(log10_2, 2, BETWEEN(0, 10), double, double, log10(a)) \
    F1(log1p, 2, ANY, double, double, log1p(a)) \
    F1(log1p_2, 2, BETWEEN(-1, 1), double, double, log1p(a)) \
    F1(sin, 2, ANY, double, double, sin(a)) \
    F1(sin_2, 2, BETWEEN(-10, 10), double, double, sin(a)) \
    F1(cos, 2, ANY, double, double, cos(a)) \
    F1(cos_2, 2, BETWEEN(-10, 10), double, double, cos(a)) \
    F1(tan, 3, ANY, double, double, tan(a)) \
    F1(tan_2, 3, BETWEEN(-10, 10), double, double, tan(a)) \
    F1(sinpi, 2, ANY, double, double, sinpi(a)) \
    F1(sinpi_2, 2, BETWEEN(-10, 10), double, double, sinpi(a)) \
    F1(cospi, 2, ANY, double, double, cospi(a)) \
    F1(cospi_2, 2, BETWEEN(-10, 10), double, double, cospi(a)) \
    F1(asin, 3, ANY, double, double, asin(a)) \
    F1(asin_2, 3, BETWEEN(-1, 1), double, double, asin(a)) \
    F1(acos, 2, ANY, double, double, acos(a)) \
    F1(acos_2, 2, BETWEEN(-1, 1), double, double, acos(a)) \
    F1(atan, 3, ANY, double, double, atan(a)) \
    F1(atan_2, 3, BETWEEN(-10, 10), double, double, atan(a)) \
    F2(atan2, 3, ANY, double, double, double, atan2(a, b)) \
    F2(atan2_2, 3, BETWEEN(-9, 9), double, double, double, atan2(a, b)) \
    F1(sinh, 2, ANY, double, double, sinh(a)) \
    F1(sinh_2, 2, BETWEEN(-9, 9), double, double, sinh(a)) \
    F1(cosh, 2, ANY, double, double, cosh(a)) \
    F1(cosh_2, 2, BETWEEN(-9, 9), double, double, cosh(a)) \
    F1(tanh, 2, ANY, double, double, tanh(a)) \
    F1(tanh_2, 2, BETWEEN(-3, 3), double, double, tanh(a)) \
    F1(asinh, 3, ANY, double, double, asinh(a)) \
    F1(asinh_2, 3, BETWEEN(-9, 9), double, double, asinh(a)) \
    F1(acosh, 3, ANY, double, double, acosh(a)) \
    F1(acosh_2, 3, BETWEEN(1, 9), double, double, acosh(a)) \
    F1(atanh, 3, ANY, double, double, atanh(a)) \
    F1(atanh_2, 3, BETWEEN(-1, 1), double, double, atanh(a)) \
    F2(pow, 3, ANY, double, double, double, pow(a, b)) \
    F2(pow_2, 3, BETWEEN(0, 9), double, double, double, pow(a, b)) \
    F1(erf, 3, ANY, double, double, erf(a)) \
    F1(erf_2, 3, BETWEEN(-3, 3), double, double, erf(a)) \
    F1(erfc, 5, ANY, double, double, erfc(a)) \
    F1(erfc_2, 5, BETWEEN(-3, 26), double, double, erfc(a)) \
    F1(erfinv, 6, ANY, double, double, erfinv(a)) \
    F1(erfinv_2, 6, BETWEEN(-1, 1), double, double, erfinv(a)) \
    F1(erfcinv, 7, ANY, double, double, erfcinv(a)) \
    F1(erfcinv_2, 7, BETWEEN(0, 2), double, double, erfcinv(a)) \
    F1(erfcx, 4, ANY, double, double, erfcx(a)) \
    F1(erfcx_2, 4, BETWEEN(-3, 30), double, double, erfcx(a)) \
    F1(normcdf, 6, ANY, double, double, normcdf(a)) \
    F1(normcdf_2, 6, BETWEEN(-30, 5), double, double, normcdf(a)) \
    F1(normcdfinv, 8, ANY, double, double, normcdfinv(a)) \
    F1(normcdfinv_2, 8, BETWEEN(0, 1), double, double, normcdfinv(a)) \
    F1(lgamma, 5, BETWEEN(0, 30), double, double, lgamma(a)) \
    F1(lgamma_2, 5, BETWEEN(-2, 0), double, double, lgamma(a)) \
    F1(tgamma, 9, BETWEEN(0, 30), double, double, tgamma(a)) \
    F1(tgamma_2, 9, BETWEEN(-5, 0), double, double, tgamma(a)) \
    F1(cyl_bessel_i0, 7, ANY, double, double, cyl_bessel_i0(a)) \
    F1(cyl_bessel_i0_2, 7, BETWEEN(-30, 30), double, double, cyl_bessel_i0(a)) \
    F1(cyl_bessel_i1, 7, ANY, double, double, cyl_bessel_i1(a)) \
    F1(cyl_bessel_i1_2, 7, BETWEEN(-30, 30), double, double, cyl_bessel_i1(a))

#define EXACT(F1, F2, F3) \
    F1(ceil, 0, ANY, double, double, ceil(a)) \
    F1(ceil_2, 0, BETWEEN(-9, 9), double, double, ceil(static_cast<double>(0.5) * rint(a * 2))) \
    F1(floor, 0, ANY, double, double, floor(a)) \
    F1(floor_2, 0, BETWEEN(-9, 9), double, double, floor(static_cast<double>(0.5) * rint(a * 2))) \
    F1(trunc, 0, ANY, double, double, trunc(a)) \
    F1(trunc_2, 0, BETWEEN(-9, 9), double, double, trunc(static_cast<double>(0.5) * rint(a * 2))) \
    F1(rint, 0, ANY, double, double, rint(a)) \
    F1(rint_2, 0, BETWEEN(-9, 9), double, double, rint(static_cast<double>(0.5) * rint(a * 2))) \
    F1(nearbyint, 0, ANY, double, double, nearbyint(a)) \
    F1(nearbyint_2, 0, BETWEEN(-9, 9), double, double, nearbyint(static_cast<double>(0.5) * rint(a * 2))) \
    F1(round, 0, ANY, double, double, round(a)) \
    F1(round_2, 0, BETWEEN(-9, 9), double, double, round(static_cast<double>(0.5) * rint(a * 2))) \
    F1(fabs, 0, ANY, double, double, fabs(a)) \
    F1(fabs_2, 0, BETWEEN(-9, 9), double, double, fabs(static_cast<double>(0.5) * rint(a * 2))) \
    F1(logb, 0, ANY, double, double, logb(a)) \
    F1(logb_2, 0, BETWEEN(-9, 9), double, double, logb(static_cast<double>(0.5) * rint(a * 2))) \
    F2(fmod, 0, ANY, double, double, double, fmod(a, b)) \
    F2(fmod_2, 0, BETWEEN(-9, 9), double, double, double, fmod(a, b)) \
    F2(remainder, 0, ANY, double, double, double, remainder(a, b)) \
    F2(remainder_2, 0, BETWEEN(-9, 9), double, double, double, remainder(a, b)) \
    F2(fdim, 0, ANY, double, double, double, fdim(a, b)) \
    F2(fdim_2, 0, BETWEEN(-9, 9), double, double, double, fdim(a, b)) \
    F2(copysign, 0, ANY, double, double, double, copysign(a, b)) \
    F2(copysign_2, 0, BETWEEN(-9, 9), double, double, double, copysign(a, b)) \
    F2(nextafter, 0, ANY, double, double, double, nextafter(a, b)) \
    F2(nextafter_2, 0, BETWEEN(-9, 9), double, double, double, nextafter(a, b)) \
    F2(fmin, 0, ANY, double, double, double, fmin(a, b) + 0) \
    F2(fmax, 0, ANY, double, double, double, fmax(a, b) + 0) \
    F2(fmin_of_zeros, 0, BETWEEN(-1, 1), double, double, double, fmin(copysign(double(0), a), copysign(double(0), b))) \
    F2(fmax_of_zeros, 0, BETWEEN(-1, 1), double, double, double, fmax(copysign(double(0), a), copysign(double(0), b))) \
    F2(min, 0, ANY, double, double, double, min(a, b)) \
    F2(min_of_zeros, 0, BETWEEN(-1, 1), double, double, double, min(copysign(double(0), a), copysign(double(0), b))) \
    F2(max, 0, ANY, double, double, double, max(a, b)) \
    F2(max_of_zeros, 0, BETWEEN(-1, 1), double, double, double, max(copysign(double(0), a), copysign(double(0), b))) \
    F2(min_of_float_and_double, 0, ANY, double, float, double, min(a, b)) \
    F2(max_of_float_and_double, 0, ANY, double, float, double, max(a, b)) \
    F3(fma, 0, ANY, double, double, double, double, fma(a, b, c)) \
    F3(fma_2, 0, BETWEEN(-9, 9), double, double, double, double, fma(a, b, c)) \
    F1(lrint, 0, BETWEEN(-1e9, 1e9), long long, double, lrint(a)) \
    F1(llrint, 0, BETWEEN(-1e9, 1e9), long long, double, llrint(a)) \
    F1(lround, 0, BETWEEN(-1e9, 1e9), long long, double, lround(a)) \
    F1(llround, 0, BETWEEN(-1e9, 1e9), long long, double, llround(a)) \
    F1(ilogb, 0, BETWEEN(-1e9, 1e9), int, double, ilogb(a)) \
    F1(ilogb_of_tiny, 0, BETWEEN(0, 1e-310), int, double, ilogb(a)) \
    F1(isnan, 0, ANY, int, double, isnan(a) ? 1 : 0) \
    F1(isinf, 0, ANY, int, double, isinf(a) ? 1 : 0) \
    F1(isfinite, 0, ANY, int, double, isfinite(a) ? 1 : 0) \
    F1(signbit, 0, BETWEEN(-9, 9), int, double, signbit(a) ? 1 : 0) \
    F1(signbit_of_zero, 0, BETWEEN(-9, 9), int, double, signbit(a * 0) ? 1 : 0) \
    F2(ldexp, 0, BETWEEN(-300, 300), double, double, int, ldexp(a, b)) \
    F2(scalbn, 0, BETWEEN(-300, 300), double, double, int, scalbn(a, b)) \
    F2(scalbln, 0, BETWEEN(-300, 300), double, double, long, scalbln(a, b)) \
    F1(frexp, 0, ANY, double, double, frexp_of(a)) \
    F1(modf, 0, BETWEEN(-99, 99), double, double, modf_of(a)) \
    F2(remquo, 0, BETWEEN(-99, 99), double, double, double, remquo_of(a, b)) \
    F2(fdivide, 0, BETWEEN(-99, 99), double, double, double, fdivide(a, b))

#define SEVERAL_RESULTS(F1, F2, F3) \
    F1(sincos, 6, BETWEEN(-0.5, 0.5), double, double, sum_of_sincos(a)) \
    F1(sincospi, 6, BETWEEN(-0.25, 0.25), double, double, sum_of_sincospi(a)) \
    F3(norm, 4, BETWEEN(-9, 9), double, double, double, double, norm_of(a, b, c)) \
    F3(rnorm, 3, BETWEEN(-9, 9), double, double, double, double, rnorm_of(a, b, c)) \
    F3(norm4d, 3, BETWEEN(-9, 9), double, double, double, double, norm4d(a, b, c, 1)) \
    F3(rnorm4d, 2, BETWEEN(-9, 9), double, double, double, double, rnorm4d(a, b, c, 1))

#define BESSEL(F1, F2, F3) \
    F1(j0, 3, BETWEEN(-8, 8), double, double, 40 + j0(a)) \
    F1(j0_2, 5700, BETWEEN(8, 30), double, double, 4 + j0(a)) \
    F1(j1, 3, BETWEEN(-8, 8), double, double, 40 + j1(a)) \
    F1(j1_2, 5700, BETWEEN(8, 30), double, double, 4 + j1(a)) \
    F1(y0, 3, BETWEEN(0.1, 8), double, double, 40 + y0(a)) \
    F1(y0_2, 5700, BETWEEN(8, 30), double, double, 4 + y0(a)) \
    F1(y1, 3, BETWEEN(0.1, 8), double, double, 40 + y1(a)) \
    F1(y1_2, 5700, BETWEEN(8, 30), double, double, 4 + y1(a)) \
    F1(jn, 5700, BETWEEN(8, 30), double, double, 4 + jn(3, a)) \
    F1(yn, 5700, BETWEEN(8, 30), double, double, 4 + yn(3, a))

#define FUNCTIONS(F1, F2, F3) \
    BOUNDED(F1, F2, F3) \
    EXACT(F1, F2, F3) \
    SEVERAL_RESULTS(F1, F2, F3) \
    BESSEL(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
