// Conversions and bit casts of the CUDA math API.
#include "functions.hpp"

#define TO_INTEGERS(F1, F2, F3) \
    F1(__float2int_rn, 0, ANY, int, float, __float2int_rn(a)) \
    F1(__float2int_rz, 0, ANY, int, float, __float2int_rz(a)) \
    F1(__float2int_rd, 0, ANY, int, float, __float2int_rd(a)) \
    F1(__float2int_ru, 0, ANY, int, float, __float2int_ru(a)) \
    F1(__float2uint_rn, 0, ANY, unsigned int, float, __float2uint_rn(a)) \
    F1(__float2uint_rz, 0, ANY, unsigned int, float, __float2uint_rz(a)) \
    F1(__float2uint_rd, 0, ANY, unsigned int, float, __float2uint_rd(a)) \
    F1(__float2uint_ru, 0, ANY, unsigned int, float, __float2uint_ru(a)) \
    F1(__float2ll_rn, 0, ANY, long long, float, __float2ll_rn(a)) \
    F1(__float2ll_rz, 0, ANY, long long, float, __float2ll_rz(a)) \
    F1(__float2ll_rd, 0, ANY, long long, float, __float2ll_rd(a)) \
    F1(__float2ll_ru, 0, ANY, long long, float, __float2ll_ru(a)) \
    F1(__float2ull_rn, 0, ANY, unsigned long long, float, __float2ull_rn(a)) \
    F1(__float2ull_rz, 0, ANY, unsigned long long, float, __float2ull_rz(a)) \
    F1(__float2ull_rd, 0, ANY, unsigned long long, float, __float2ull_rd(a)) \
    F1(__float2ull_ru, 0, ANY, unsigned long long, float, __float2ull_ru(a)) \
    F1(__double2int_rn, 0, ANY, int, double, __double2int_rn(a)) \
    F1(__double2int_rz, 0, ANY, int, double, __double2int_rz(a)) \
    F1(__double2int_rd, 0, ANY, int, double, __double2int_rd(a)) \
    F1(__double2int_ru, 0, ANY, int, double, __double2int_ru(a)) \
    F1(__double2uint_rn, 0, ANY, unsigned int, double, __double2uint_rn(a)) \
    F1(__double2uint_rz, 0, ANY, unsigned int, double, __double2uint_rz(a)) \
    F1(__double2uint_rd, 0, ANY, unsigned int, double, __double2uint_rd(a)) \
    F1(__double2uint_ru, 0, ANY, unsigned int, double, __double2uint_ru(a)) \
    F1(__double2ll_rn, 0, ANY, long long, double, __double2ll_rn(a)) \
    F1(__double2ll_rz, 0, ANY, long long, double, __double2ll_rz(a)) \
    F1(__double2ll_rd, 0, ANY, long long, double, __double2ll_rd(a)) \
    F1(__double2ll_ru, 0, ANY, long long, double, __double2ll_ru(a)) \
    F1(__double2ull_rn, 0, ANY, unsigned long long, double, __double2ull_rn(a)) \
    F1(__double2ull_rz, 0, ANY, unsigned long long, double, __double2ull_rz(a)) \
    F1(__double2ull_rd, 0, ANY, unsigned long long, double, __double2ull_rd(a)) \
    F1(__double2ull_ru, 0, ANY, unsigned long long, double, __double2ull_ru(a))

#define TO_INTEGERS_NEAR_THE_ENDS(F1, F2, F3) \
    F1(__float2int_rn_near, 0, BETWEEN(-3e+09, 3e+09), int, float, __float2int_rn(a)) \
    F1(__float2int_rn_small, 0, BETWEEN(-4, 4), int, float, __float2int_rn(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2int_rz_near, 0, BETWEEN(-3e+09, 3e+09), int, float, __float2int_rz(a)) \
    F1(__float2int_rz_small, 0, BETWEEN(-4, 4), int, float, __float2int_rz(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2int_rd_near, 0, BETWEEN(-3e+09, 3e+09), int, float, __float2int_rd(a)) \
    F1(__float2int_rd_small, 0, BETWEEN(-4, 4), int, float, __float2int_rd(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2int_ru_near, 0, BETWEEN(-3e+09, 3e+09), int, float, __float2int_ru(a)) \
    F1(__float2int_ru_small, 0, BETWEEN(-4, 4), int, float, __float2int_ru(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2uint_rn_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, float, __float2uint_rn(a)) \
    F1(__float2uint_rn_small, 0, BETWEEN(-4, 4), unsigned int, float, __float2uint_rn(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2uint_rz_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, float, __float2uint_rz(a)) \
    F1(__float2uint_rz_small, 0, BETWEEN(-4, 4), unsigned int, float, __float2uint_rz(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2uint_rd_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, float, __float2uint_rd(a)) \
    F1(__float2uint_rd_small, 0, BETWEEN(-4, 4), unsigned int, float, __float2uint_rd(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2uint_ru_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, float, __float2uint_ru(a)) \
    F1(__float2uint_ru_small, 0, BETWEEN(-4, 4), unsigned int, float, __float2uint_ru(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ll_rn_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, float, __float2ll_rn(a)) \
    F1(__float2ll_rn_small, 0, BETWEEN(-4, 4), long long, float, __float2ll_rn(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ll_rz_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, float, __float2ll_rz(a)) \
    F1(__float2ll_rz_small, 0, BETWEEN(-4, 4), long long, float, __float2ll_rz(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ll_rd_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, float, __float2ll_rd(a)) \
    F1(__float2ll_rd_small, 0, BETWEEN(-4, 4), long long, float, __float2ll_rd(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ll_ru_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, float, __float2ll_ru(a)) \
    F1(__float2ll_ru_small, 0, BETWEEN(-4, 4), long long, float, __float2ll_ru(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ull_rn_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, float, __float2ull_rn(a)) \
    F1(__float2ull_rn_small, 0, BETWEEN(-4, 4), unsigned long long, float, __float2ull_rn(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ull_rz_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, float, __float2ull_rz(a)) \
    F1(__float2ull_rz_small, 0, BETWEEN(-4, 4), unsigned long long, float, __float2ull_rz(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ull_rd_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, float, __float2ull_rd(a)) \
    F1(__float2ull_rd_small, 0, BETWEEN(-4, 4), unsigned long long, float, __float2ull_rd(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__float2ull_ru_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, float, __float2ull_ru(a)) \
    F1(__float2ull_ru_small, 0, BETWEEN(-4, 4), unsigned long long, float, __float2ull_ru(static_cast<float>(0.25) * rint(a * 4))) \
    F1(__double2int_rn_near, 0, BETWEEN(-3e+09, 3e+09), int, double, __double2int_rn(a)) \
    F1(__double2int_rn_small, 0, BETWEEN(-4, 4), int, double, __double2int_rn(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2int_rz_near, 0, BETWEEN(-3e+09, 3e+09), int, double, __double2int_rz(a)) \
    F1(__double2int_rz_small, 0, BETWEEN(-4, 4), int, double, __double2int_rz(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2int_rd_near, 0, BETWEEN(-3e+09, 3e+09), int, double, __double2int_rd(a)) \
    F1(__double2int_rd_small, 0, BETWEEN(-4, 4), int, double, __double2int_rd(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2int_ru_near, 0, BETWEEN(-3e+09, 3e+09), int, double, __double2int_ru(a)) \
    F1(__double2int_ru_small, 0, BETWEEN(-4, 4), int, double, __double2int_ru(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2uint_rn_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, double, __double2uint_rn(a)) \
    F1(__double2uint_rn_small, 0, BETWEEN(-4, 4), unsigned int, double, __double2uint_rn(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2uint_rz_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, double, __double2uint_rz(a)) \
    F1(__double2uint_rz_small, 0, BETWEEN(-4, 4), unsigned int, double, __double2uint_rz(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2uint_rd_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, double, __double2uint_rd(a)) \
    F1(__double2uint_rd_small, 0, BETWEEN(-4, 4), unsigned int, double, __double2uint_rd(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2uint_ru_near, 0, BETWEEN(-6e+09, 6e+09), unsigned int, double, __double2uint_ru(a)) \
    F1(__double2uint_ru_small, 0, BETWEEN(-4, 4), unsigned int, double, __double2uint_ru(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ll_rn_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, double, __double2ll_rn(a)) \
    F1(__double2ll_rn_small, 0, BETWEEN(-4, 4), long long, double, __double2ll_rn(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ll_rz_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, double, __double2ll_rz(a)) \
    F1(__double2ll_rz_small, 0, BETWEEN(-4, 4), long long, double, __double2ll_rz(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ll_rd_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, double, __double2ll_rd(a)) \
    F1(__double2ll_rd_small, 0, BETWEEN(-4, 4), long long, double, __double2ll_rd(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ll_ru_near, 0, BETWEEN(-1.2e+19, 1.2e+19), long long, double, __double2ll_ru(a)) \
    F1(__double2ll_ru_small, 0, BETWEEN(-4, 4), long long, double, __double2ll_ru(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ull_rn_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, double, __double2ull_rn(a)) \
    F1(__double2ull_rn_small, 0, BETWEEN(-4, 4), unsigned long long, double, __double2ull_rn(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ull_rz_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, double, __double2ull_rz(a)) \
    F1(__double2ull_rz_small, 0, BETWEEN(-4, 4), unsigned long long, double, __double2ull_rz(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ull_rd_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, double, __double2ull_rd(a)) \
    F1(__double2ull_rd_small, 0, BETWEEN(-4, 4), unsigned long long, double, __double2ull_rd(static_cast<double>(0.25) * rint(a * 4))) \
    F1(__double2ull_ru_near, 0, BETWEEN(-2.5e+19, 2.5e+19), unsigned long long, double, __double2ull_ru(a)) \
    F1(__double2ull_ru_small, 0, BETWEEN(-4, 4), unsigned long long, double, __double2ull_ru(static_cast<double>(0.25) * rint(a * 4)))

#define TO_FLOATING_POINT(F1, F2, F3) \
    F1(__double2float_rn, 0, ANY, float, double, __double2float_rn(a)) \
    F1(__double2float_rn_near, 0, BETWEEN(-1000, 1000), float, double, __double2float_rn(a)) \
    F1(__double2float_rn_small, 0, BETWEEN(-1e-38, 1e-38), float, double, __double2float_rn(a)) \
    F1(__int2float_rn, 0, ANY, float, int, __int2float_rn(a)) \
    F1(__uint2float_rn, 0, ANY, float, unsigned int, __uint2float_rn(a)) \
    F1(__ll2float_rn, 0, ANY, float, long long, __ll2float_rn(a)) \
    F1(__ull2float_rn, 0, ANY, float, unsigned long long, __ull2float_rn(a)) \
    F1(__ll2double_rn, 0, ANY, double, long long, __ll2double_rn(a)) \
    F1(__ull2double_rn, 0, ANY, double, unsigned long long, __ull2double_rn(a)) \
    F1(__double2float_rz, 0, ANY, float, double, __double2float_rz(a)) \
    F1(__double2float_rz_near, 0, BETWEEN(-1000, 1000), float, double, __double2float_rz(a)) \
    F1(__double2float_rz_small, 0, BETWEEN(-1e-38, 1e-38), float, double, __double2float_rz(a)) \
    F1(__int2float_rz, 0, ANY, float, int, __int2float_rz(a)) \
    F1(__uint2float_rz, 0, ANY, float, unsigned int, __uint2float_rz(a)) \
    F1(__ll2float_rz, 0, ANY, float, long long, __ll2float_rz(a)) \
    F1(__ull2float_rz, 0, ANY, float, unsigned long long, __ull2float_rz(a)) \
    F1(__ll2double_rz, 0, ANY, double, long long, __ll2double_rz(a)) \
    F1(__ull2double_rz, 0, ANY, double, unsigned long long, __ull2double_rz(a)) \
    F1(__double2float_rd, 0, ANY, float, double, __double2float_rd(a)) \
    F1(__double2float_rd_near, 0, BETWEEN(-1000, 1000), float, double, __double2float_rd(a)) \
    F1(__double2float_rd_small, 0, BETWEEN(-1e-38, 1e-38), float, double, __double2float_rd(a)) \
    F1(__int2float_rd, 0, ANY, float, int, __int2float_rd(a)) \
    F1(__uint2float_rd, 0, ANY, float, unsigned int, __uint2float_rd(a)) \
    F1(__ll2float_rd, 0, ANY, float, long long, __ll2float_rd(a)) \
    F1(__ull2float_rd, 0, ANY, float, unsigned long long, __ull2float_rd(a)) \
    F1(__ll2double_rd, 0, ANY, double, long long, __ll2double_rd(a)) \
    F1(__ull2double_rd, 0, ANY, double, unsigned long long, __ull2double_rd(a)) \
    F1(__double2float_ru, 0, ANY, float, double, __double2float_ru(a)) \
    F1(__double2float_ru_near, 0, BETWEEN(-1000, 1000), float, double, __double2float_ru(a)) \
    F1(__double2float_ru_small, 0, BETWEEN(-1e-38, 1e-38), float, double, __double2float_ru(a)) \
    F1(__int2float_ru, 0, ANY, float, int, __int2float_ru(a)) \
    F1(__uint2float_ru, 0, ANY, float, unsigned int, __uint2float_ru(a)) \
    F1(__ll2float_ru, 0, ANY, float, long long, __ll2float_ru(a)) \
    F1(__ull2float_ru, 0, ANY, float, unsigned long long, __ull2float_ru(a)) \
    F1(__ll2double_ru, 0, ANY, double, long long, __ll2double_ru(a)) \
    F1(__ull2double_ru, 0, ANY, double, unsigned long long, __ull2double_ru(a)) \
    F1(__int2double_rn, 0, ANY, double, int, __int2double_rn(a)) \
    F1(__uint2double_rn, 0, ANY, double, unsigned int, __uint2double_rn(a))

#define BIT_CASTS(F1, F2, F3) \
    F1(__float_as_int, 0, ANY, int, float, __float_as_int(a)) \
    F1(__int_as_float, 0, ANY, float, int, __int_as_float(a)) \
    F1(__float_as_uint, 0, ANY, unsigned int, float, __float_as_uint(a)) \
    F1(__uint_as_float, 0, ANY, float, unsigned int, __uint_as_float(a)) \
    F1(__double_as_longlong, 0, ANY, long long, double, __double_as_longlong(a)) \
    F1(__longlong_as_double, 0, ANY, double, long long, __longlong_as_double(a)) \
    F1(__double2hiint, 0, ANY, int, double, __double2hiint(a)) \
    F1(__double2loint, 0, ANY, int, double, __double2loint(a)) \
    F2(__hiloint2double, 0, ANY, double, int, int, __hiloint2double(a, b))

#define FUNCTIONS(F1, F2, F3) \
    TO_INTEGERS(F1, F2, F3) \
    TO_INTEGERS_NEAR_THE_ENDS(F1, F2, F3) \
    TO_FLOATING_POINT(F1, F2, F3) \
    BIT_CASTS(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
