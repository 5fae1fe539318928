// Arithmetic with an explicit rounding mode.
#include "functions.hpp"

#include <cfloat>

#define ANY_NUMBERS(F1, F2, F3) \
    F2(__fadd_rn, 0, ANY, float, float, float, __fadd_rn(a, b)) \
    F2(__fsub_rn, 0, ANY, float, float, float, __fsub_rn(a, b)) \
    F2(__fmul_rn, 0, ANY, float, float, float, __fmul_rn(a, b)) \
    F2(__fdiv_rn, 0, ANY, float, float, float, __fdiv_rn(a, b)) \
    F1(__frcp_rn, 0, ANY, float, float, __frcp_rn(a)) \
    F1(__fsqrt_rn, 0, ANY, float, float, __fsqrt_rn(a)) \
    F3(__fmaf_rn, 0, ANY, float, float, float, float, __fmaf_rn(a, b, c)) \
    F3(__fmaf_ieee_rn, 0, ANY, float, float, float, float, __fmaf_ieee_rn(a, b, c)) \
    F2(__fadd_rz, 0, ANY, float, float, float, __fadd_rz(a, b)) \
    F2(__fsub_rz, 0, ANY, float, float, float, __fsub_rz(a, b)) \
    F2(__fmul_rz, 0, ANY, float, float, float, __fmul_rz(a, b)) \
    F2(__fdiv_rz, 0, ANY, float, float, float, __fdiv_rz(a, b)) \
    F1(__frcp_rz, 0, ANY, float, float, __frcp_rz(a)) \
    F1(__fsqrt_rz, 0, ANY, float, float, __fsqrt_rz(a)) \
    F3(__fmaf_rz, 0, ANY, float, float, float, float, __fmaf_rz(a, b, c)) \
    F3(__fmaf_ieee_rz, 0, ANY, float, float, float, float, __fmaf_ieee_rz(a, b, c)) \
    F2(__fadd_rd, 0, ANY, float, float, float, __fadd_rd(a, b)) \
    F2(__fsub_rd, 0, ANY, float, float, float, __fsub_rd(a, b)) \
    F2(__fmul_rd, 0, ANY, float, float, float, __fmul_rd(a, b)) \
    F2(__fdiv_rd, 0, ANY, float, float, float, __fdiv_rd(a, b)) \
    F1(__frcp_rd, 0, ANY, float, float, __frcp_rd(a)) \
    F1(__fsqrt_rd, 0, ANY, float, float, __fsqrt_rd(a)) \
    F3(__fmaf_rd, 0, ANY, float, float, float, float, __fmaf_rd(a, b, c)) \
    F3(__fmaf_ieee_rd, 0, ANY, float, float, float, float, __fmaf_ieee_rd(a, b, c)) \
    F2(__fadd_ru, 0, ANY, float, float, float, __fadd_ru(a, b)) \
    F2(__fsub_ru, 0, ANY, float, float, float, __fsub_ru(a, b)) \
    F2(__fmul_ru, 0, ANY, float, float, float, __fmul_ru(a, b)) \
    F2(__fdiv_ru, 0, ANY, float, float, float, __fdiv_ru(a, b)) \
    F1(__frcp_ru, 0, ANY, float, float, __frcp_ru(a)) \
    F1(__fsqrt_ru, 0, ANY, float, float, __fsqrt_ru(a)) \
    F3(__fmaf_ru, 0, ANY, float, float, float, float, __fmaf_ru(a, b, c)) \
    F3(__fmaf_ieee_ru, 0, ANY, float, float, float, float, __fmaf_ieee_ru(a, b, c)) \
    F2(__dadd_rn, 0, ANY, double, double, double, __dadd_rn(a, b)) \
    F2(__dsub_rn, 0, ANY, double, double, double, __dsub_rn(a, b)) \
    F2(__dmul_rn, 0, ANY, double, double, double, __dmul_rn(a, b)) \
    F2(__ddiv_rn, 0, ANY, double, double, double, __ddiv_rn(a, b)) \
    F1(__drcp_rn, 0, ANY, double, double, __drcp_rn(a)) \
    F1(__dsqrt_rn, 0, ANY, double, double, __dsqrt_rn(a)) \
    F3(__fma_rn, 0, ANY, double, double, double, double, __fma_rn(a, b, c)) \
    F2(__dadd_rz, 0, ANY, double, double, double, __dadd_rz(a, b)) \
    F2(__dsub_rz, 0, ANY, double, double, double, __dsub_rz(a, b)) \
    F2(__dmul_rz, 0, ANY, double, double, double, __dmul_rz(a, b)) \
    F2(__ddiv_rz, 0, ANY, double, double, double, __ddiv_rz(a, b)) \
    F1(__drcp_rz, 0, ANY, double, double, __drcp_rz(a)) \
    F1(__dsqrt_rz, 0, ANY, double, double, __dsqrt_rz(a)) \
    F3(__fma_rz, 0, ANY, double, double, double, double, __fma_rz(a, b, c)) \
    F2(__dadd_rd, 0, ANY, double, double, double, __dadd_rd(a, b)) \
    F2(__dsub_rd, 0, ANY, double, double, double, __dsub_rd(a, b)) \
    F2(__dmul_rd, 0, ANY, double, double, double, __dmul_rd(a, b)) \
    F2(__ddiv_rd, 0, ANY, double, double, double, __ddiv_rd(a, b)) \
    F1(__drcp_rd, 0, ANY, double, double, __drcp_rd(a)) \
    F1(__dsqrt_rd, 0, ANY, double, double, __dsqrt_rd(a)) \
    F3(__fma_rd, 0, ANY, double, double, double, double, __fma_rd(a, b, c)) \
    F2(__dadd_ru, 0, ANY, double, double, double, __dadd_ru(a, b)) \
    F2(__dsub_ru, 0, ANY, double, double, double, __dsub_ru(a, b)) \
    F2(__dmul_ru, 0, ANY, double, double, double, __dmul_ru(a, b)) \
    F2(__ddiv_ru, 0, ANY, double, double, double, __ddiv_ru(a, b)) \
    F1(__drcp_ru, 0, ANY, double, double, __drcp_ru(a)) \
    F1(__dsqrt_ru, 0, ANY, double, double, __dsqrt_ru(a)) \
    F3(__fma_ru, 0, ANY, double, double, double, double, __fma_ru(a, b, c)) \
    F1(__frsqrt_rn, 0, ANY, float, float, __frsqrt_rn(a))

#define NUMBERS_IN_A_RANGE(F1, F2, F3) \
    F2(__fadd_rn_near, 0, BETWEEN(-4, 4), float, float, float, __fadd_rn(a, b)) \
    F2(__fsub_rn_near, 0, BETWEEN(-4, 4), float, float, float, __fsub_rn(a, b)) \
    F2(__fmul_rn_near, 0, BETWEEN(-4, 4), float, float, float, __fmul_rn(a, b)) \
    F2(__fdiv_rn_near, 0, BETWEEN(-4, 4), float, float, float, __fdiv_rn(a, b)) \
    F1(__frcp_rn_near, 0, BETWEEN(0, 4), float, float, __frcp_rn(a)) \
    F1(__fsqrt_rn_near, 0, BETWEEN(0, 4), float, float, __fsqrt_rn(a)) \
    F3(__fmaf_rn_near, 0, BETWEEN(-4, 4), float, float, float, float, __fmaf_rn(a, b, c)) \
    F2(__fmul_rn_small, 0, BETWEEN(-1, 1), float, float, float, __fmul_rn(a, static_cast<float>(1e-38) * b)) \
    F2(__fdiv_rn_small, 0, BETWEEN(-1, 1), float, float, float, __fdiv_rn(static_cast<float>(1e-38) * a, b)) \
    F2(__fadd_rn_large, 0, BETWEEN(-1, 1), float, float, float, __fadd_rn(FLT_MAX * a, FLT_MAX * b)) \
    F2(__fadd_rn_cancelled, 0, BETWEEN(-1, 1), float, float, float, __fadd_rn(a, -a)) \
    F2(__fadd_rz_near, 0, BETWEEN(-4, 4), float, float, float, __fadd_rz(a, b)) \
    F2(__fsub_rz_near, 0, BETWEEN(-4, 4), float, float, float, __fsub_rz(a, b)) \
    F2(__fmul_rz_near, 0, BETWEEN(-4, 4), float, float, float, __fmul_rz(a, b)) \
    F2(__fdiv_rz_near, 0, BETWEEN(-4, 4), float, float, float, __fdiv_rz(a, b)) \
    F1(__frcp_rz_near, 0, BETWEEN(0, 4), float, float, __frcp_rz(a)) \
    F1(__fsqrt_rz_near, 0, BETWEEN(0, 4), float, float, __fsqrt_rz(a)) \
    F3(__fmaf_rz_near, 0, BETWEEN(-4, 4), float, float, float, float, __fmaf_rz(a, b, c)) \
    F2(__fmul_rz_small, 0, BETWEEN(-1, 1), float, float, float, __fmul_rz(a, static_cast<float>(1e-38) * b)) \
    F2(__fdiv_rz_small, 0, BETWEEN(-1, 1), float, float, float, __fdiv_rz(static_cast<float>(1e-38) * a, b)) \
    F2(__fadd_rz_large, 0, BETWEEN(-1, 1), float, float, float, __fadd_rz(FLT_MAX * a, FLT_MAX * b)) \
    F2(__fadd_rz_cancelled, 0, BETWEEN(-1, 1), float, float, float, __fadd_rz(a, -a)) \
    F2(__fadd_rd_near, 0, BETWEEN(-4, 4), float, float, float, __fadd_rd(a, b)) \
    F2(__fsub_rd_near, 0, BETWEEN(-4, 4), float, float, float, __fsub_rd(a, b)) \
    F2(__fmul_rd_near, 0, BETWEEN(-4, 4), float, float, float, __fmul_rd(a, b)) \
    F2(__fdiv_rd_near, 0, BETWEEN(-4, 4), float, float, float, __fdiv_rd(a, b)) \
    F1(__frcp_rd_near, 0, BETWEEN(0, 4), float, float, __frcp_rd(a)) \
    F1(__fsqrt_rd_near, 0, BETWEEN(0, 4), float, float, __fsqrt_rd(a)) \
    F3(__fmaf_rd_near, 0, BETWEEN(-4, 4), float, float, float, float, __fmaf_rd(a, b, c)) \
    F2(__fmul_rd_small, 0, BETWEEN(-1, 1), float, float, float, __fmul_rd(a, static_cast<float>(1e-38) * b)) \
    F2(__fdiv_rd_small, 0, BETWEEN(-1, 1), float, float, float, __fdiv_rd(static_cast<float>(1e-38) * a, b)) \
    F2(__fadd_rd_large, 0, BETWEEN(-1, 1), float, float, float, __fadd_rd(FLT_MAX * a, FLT_MAX * b)) \
    F2(__fadd_rd_cancelled, 0, BETWEEN(-1, 1), float, float, float, __fadd_rd(a, -a)) \
    F2(__fadd_ru_near, 0, BETWEEN(-4, 4), float, float, float, __fadd_ru(a, b)) \
    F2(__fsub_ru_near, 0, BETWEEN(-4, 4), float, float, float, __fsub_ru(a, b)) \
    F2(__fmul_ru_near, 0, BETWEEN(-4, 4), float, float, float, __fmul_ru(a, b)) \
    F2(__fdiv_ru_near, 0, BETWEEN(-4, 4), float, float, float, __fdiv_ru(a, b)) \
    F1(__frcp_ru_near, 0, BETWEEN(0, 4), float, float, __frcp_ru(a)) \
    F1(__fsqrt_ru_near, 0, BETWEEN(0, 4), float, float, __fsqrt_ru(a)) \
    F3(__fmaf_ru_near, 0, BETWEEN(-4, 4), float, float, float, float, __fmaf_ru(a, b, c)) \
    F2(__fmul_ru_small, 0, BETWEEN(-1, 1), float, float, float, __fmul_ru(a, static_cast<float>(1e-38) * b)) \
    F2(__fdiv_ru_small, 0, BETWEEN(-1, 1), float, float, float, __fdiv_ru(static_cast<float>(1e-38) * a, b)) \
    F2(__fadd_ru_large, 0, BETWEEN(-1, 1), float, float, float, __fadd_ru(FLT_MAX * a, FLT_MAX * b)) \
    F2(__fadd_ru_cancelled, 0, BETWEEN(-1, 1), float, float, float, __fadd_ru(a, -a)) \
    F2(__dadd_rn_near, 0, BETWEEN(-4, 4), double, double, double, __dadd_rn(a, b)) \
    F2(__dsub_rn_near, 0, BETWEEN(-4, 4), double, double, double, __dsub_rn(a, b)) \
    F2(__dmul_rn_near, 0, BETWEEN(-4, 4), double, double, double, __dmul_rn(a, b)) \
    F2(__ddiv_rn_near, 0, BETWEEN(-4, 4), double, double, double, __ddiv_rn(a, b)) \
    F1(__drcp_rn_near, 0, BETWEEN(0, 4), double, double, __drcp_rn(a)) \
    F1(__dsqrt_rn_near, 0, BETWEEN(0, 4), double, double, __dsqrt_rn(a)) \
    F3(__fma_rn_near, 0, BETWEEN(-4, 4), double, double, double, double, __fma_rn(a, b, c)) \
    F2(__dmul_rn_small, 0, BETWEEN(-1, 1), double, double, double, __dmul_rn(a, static_cast<double>(3e-308) * b)) \
    F2(__ddiv_rn_small, 0, BETWEEN(-1, 1), double, double, double, __ddiv_rn(static_cast<double>(3e-308) * a, b)) \
    F2(__dadd_rn_large, 0, BETWEEN(-1, 1), double, double, double, __dadd_rn(DBL_MAX * a, DBL_MAX * b)) \
    F2(__dadd_rn_cancelled, 0, BETWEEN(-1, 1), double, double, double, __dadd_rn(a, -a)) \
    F2(__dadd_rz_near, 0, BETWEEN(-4, 4), double, double, double, __dadd_rz(a, b)) \
    F2(__dsub_rz_near, 0, BETWEEN(-4, 4), double, double, double, __dsub_rz(a, b)) \
    F2(__dmul_rz_near, 0, BETWEEN(-4, 4), double, double, double, __dmul_rz(a, b)) \
    F2(__ddiv_rz_near, 0, BETWEEN(-4, 4), double, double, double, __ddiv_rz(a, b)) \
    F1(__drcp_rz_near, 0, BETWEEN(0, 4), double, double, __drcp_rz(a)) \
    F1(__dsqrt_rz_near, 0, BETWEEN(0, 4), double, double, __dsqrt_rz(a)) \
    F3(__fma_rz_near, 0, BETWEEN(-4, 4), double, double, double, double, __fma_rz(a, b, c)) \
    F2(__dmul_rz_small, 0, BETWEEN(-1, 1), double, double, double, __dmul_rz(a, static_cast<double>(3e-308) * b)) \
    F2(__ddiv_rz_small, 0, BETWEEN(-1, 1), double, double, double, __ddiv_rz(static_cast<double>(3e-308) * a, b)) \
    F2(__dadd_rz_large, 0, BETWEEN(-1, 1), double, double, double, __dadd_rz(DBL_MAX * a, DBL_MAX * b)) \
    F2(__dadd_rz_cancelled, 0, BETWEEN(-1, 1), double, double, double, __dadd_rz(a, -a)) \
    F2(__dadd_rd_near, 0, BETWEEN(-4, 4), double, double, double, __dadd_rd(a, b)) \
    F2(__dsub_rd_near, 0, BETWEEN(-4, 4), double, double, double, __dsub_rd(a, b)) \
    F2(__dmul_rd_near, 0, BETWEEN(-4, 4), double, double, double, __dmul_rd(a, b)) \
    F2(__ddiv_rd_near, 0, BETWEEN(-4, 4), double, double, double, __ddiv_rd(a, b)) \
    F1(__drcp_rd_near, 0, BETWEEN(0, 4), double, double, __drcp_rd(a)) \
    F1(__dsqrt_rd_near, 0, BETWEEN(0, 4), double, double, __dsqrt_rd(a)) \
    F3(__fma_rd_near, 0, BETWEEN(-4, 4), double, double, double, double, __fma_rd(a, b, c)) \
    F2(__dmul_rd_small, 0, BETWEEN(-1, 1), double, double, double, __dmul_rd(a, static_cast<double>(3e-308) * b)) \
    F2(__ddiv_rd_small, 0, BETWEEN(-1, 1), double, double, double, __ddiv_rd(static_cast<double>(3e-308) * a, b)) \
    F2(__dadd_rd_large, 0, BETWEEN(-1, 1), double, double, double, __dadd_rd(DBL_MAX * a, DBL_MAX * b)) \
    F2(__dadd_rd_cancelled, 0, BETWEEN(-1, 1), double, double, double, __dadd_rd(a, -a)) \
    F2(__dadd_ru_near, 0, BETWEEN(-4, 4), double, double, double, __dadd_ru(a, b)) \
    F2(__dsub_ru_near, 0, BETWEEN(-4, 4), double, double, double, __dsub_ru(a, b)) \
    F2(__dmul_ru_near, 0, BETWEEN(-4, 4), double, double, double, __dmul_ru(a, b)) \
    F2(__ddiv_ru_near, 0, BETWEEN(-4, 4), double, double, double, __ddiv_ru(a, b)) \
    F1(__drcp_ru_near, 0, BETWEEN(0, 4), double, double, __drcp_ru(a)) \
    F1(__dsqrt_ru_near, 0, BETWEEN(0, 4), double, double, __dsqrt_ru(a)) \
    F3(__fma_ru_near, 0, BETWEEN(-4, 4), double, double, double, double, __fma_ru(a, b, c)) \
    F2(__dmul_ru_small, 0, BETWEEN(-1, 1), double, double, double, __dmul_ru(a, static_cast<double>(3e-308) * b)) \
    F2(__ddiv_ru_small, 0, BETWEEN(-1, 1), double, double, double, __ddiv_ru(static_cast<double>(3e-308) * a, b)) \
    F2(__dadd_ru_large, 0, BETWEEN(-1, 1), double, double, double, __dadd_ru(DBL_MAX * a, DBL_MAX * b)) \
    F2(__dadd_ru_cancelled, 0, BETWEEN(-1, 1), double, double, double, __dadd_ru(a, -a)) \
    F1(__frsqrt_rn_near, 0, BETWEEN(1, 4), float, float, __frsqrt_rn(a))

#define UNFUSED(F1, F2, F3) \
    F3(fmul_rn_is_not_fused, 0, BETWEEN(-4, 4), float, float, float, float, __fmul_rn(a, b) + c) \
    F3(fadd_rn_is_not_fused, 0, BETWEEN(-4, 4), float, float, float, float, __fadd_rn(a * b, c)) \
    F3(dmul_rn_is_not_fused, 0, BETWEEN(-4, 4), double, double, double, double, __dmul_rn(a, b) - c) \
    F3(dsub_rn_is_not_fused, 0, BETWEEN(-4, 4), double, double, double, double, __dsub_rn(a * b, c))

#define FUNCTIONS(F1, F2, F3) \
    ANY_NUMBERS(F1, F2, F3) \
    NUMBERS_IN_A_RANGE(F1, F2, F3) \
    UNFUSED(F1, F2, F3)

CONFORMANCE_MAIN(FUNCTIONS)
