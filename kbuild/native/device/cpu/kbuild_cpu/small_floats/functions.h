/* Conversions, arithmetic, and comparisons of a 16-bit format.  Included once per format with the
 * macros that types.h describes. */
#pragma GCC system_header

#define KBUILD_SMALL_WIDE(x) kbuild_small::widen<KBUILD_SMALL_FORMAT>(x)
#define KBUILD_SMALL_ROUND(x) kbuild_small::round<KBUILD_SMALL_FORMAT, KBUILD_SMALL>(x)
#define KBUILD_SMALL_BITS(bits) \
    kbuild_small::cast_bits<KBUILD_SMALL>(static_cast<unsigned short>(bits))

/* Floating-point types. */
KBUILD_SMALL_FUNCTION float KBUILD_SMALL_NAME(__, 2float)(const KBUILD_SMALL __a) {
    return KBUILD_SMALL_WIDE(__a);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__double2, )(const double __a) {
    return KBUILD_SMALL_ROUND(__a);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__float2, )(const float __a) {
    return KBUILD_SMALL_ROUND(__a);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__float2, _rn)(const float __a) {
    return KBUILD_SMALL_ROUND(__a);
}

/* The functions that round, as `define(suffix, mode)`. */
#define KBUILD_SMALL_MODES(define) \
    define(_rz, kbuild_small::round_zero) define(_rd, kbuild_small::round_down) \
        define(_ru, kbuild_small::round_up)
#define KBUILD_SMALL_FROM_FLOAT(suffix, mode) \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__float2, suffix)(const float __a) { \
        return KBUILD_SMALL_BITS(KBUILD_SMALL_FORMAT::round(__a, mode)); \
    }
KBUILD_SMALL_MODES(KBUILD_SMALL_FROM_FLOAT)
#undef KBUILD_SMALL_FROM_FLOAT

/* Integers.  The parts of names are not identifiers that a project could define as macros. */
#define KBUILD_SMALL_TO_INTEGER(type, to, suffix, mode) \
    KBUILD_SMALL_FUNCTION type KBUILD_SMALL_NAME(__, to##suffix)(const KBUILD_SMALL __h) { \
        return kbuild_small::to_integer<type>(KBUILD_SMALL_WIDE(__h), mode); \
    }
#define KBUILD_SMALL_FROM_INTEGER(type, from, suffix, mode) \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(from, suffix)(const type __i) { \
        return KBUILD_SMALL_BITS( \
            KBUILD_SMALL_FORMAT::round(kbuild_small::round_to_odd(__i), mode)); \
    }
#define KBUILD_SMALL_INTEGER_MODE(type, to, from, suffix, mode) \
    KBUILD_SMALL_TO_INTEGER(type, to, suffix, mode) \
    KBUILD_SMALL_FROM_INTEGER(type, from, suffix, mode)
#define KBUILD_SMALL_INTEGER(type, to, from) \
    KBUILD_SMALL_INTEGER_MODE(type, to, from, _rn, kbuild_small::round_nearest) \
    KBUILD_SMALL_INTEGER_MODE(type, to, from, _rz, kbuild_small::round_zero) \
    KBUILD_SMALL_INTEGER_MODE(type, to, from, _rd, kbuild_small::round_down) \
    KBUILD_SMALL_INTEGER_MODE(type, to, from, _ru, kbuild_small::round_up)
KBUILD_SMALL_TO_INTEGER(signed char, 2char, _rz, kbuild_small::round_zero)
KBUILD_SMALL_TO_INTEGER(unsigned char, 2uchar, _rz, kbuild_small::round_zero)
KBUILD_SMALL_INTEGER(short, 2short, __short2)
KBUILD_SMALL_INTEGER(unsigned short, 2ushort, __ushort2)
KBUILD_SMALL_INTEGER(int, 2int, __int2)
KBUILD_SMALL_INTEGER(unsigned int, 2uint, __uint2)
KBUILD_SMALL_INTEGER(long long, 2ll, __ll2)
KBUILD_SMALL_INTEGER(unsigned long long, 2ull, __ull2)
#undef KBUILD_SMALL_INTEGER
#undef KBUILD_SMALL_INTEGER_MODE
#undef KBUILD_SMALL_FROM_INTEGER
#undef KBUILD_SMALL_TO_INTEGER
#undef KBUILD_SMALL_MODES

/* Bits. */
KBUILD_SMALL_FUNCTION short KBUILD_SMALL_NAME(__, _as_short)(const KBUILD_SMALL __h) {
    return kbuild_small::cast_bits<short>(__h);
}
KBUILD_SMALL_FUNCTION unsigned short KBUILD_SMALL_NAME(__, _as_ushort)(const KBUILD_SMALL __h) {
    return kbuild_small::cast_bits<unsigned short>(__h);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__short_as_, )(const short __i) {
    return KBUILD_SMALL_BITS(__i);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__ushort_as_, )(const unsigned short __i) {
    return KBUILD_SMALL_BITS(__i);
}

/* Pairs. */
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(make_, 2)(const KBUILD_SMALL __x,
                                                                const KBUILD_SMALL __y) {
    return KBUILD_SMALL2(__x, __y);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__halves2, 2)(const KBUILD_SMALL __a,
                                                                    const KBUILD_SMALL __b) {
    return KBUILD_SMALL2(__a, __b);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME2(__, 2, 2)(const KBUILD_SMALL __a) {
    return KBUILD_SMALL2(__a, __a);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__float2, 2_rn)(const float __a) {
    return KBUILD_SMALL2(KBUILD_SMALL_ROUND(__a), KBUILD_SMALL_ROUND(__a));
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__floats2, 2_rn)(const float __a,
                                                                       const float __b) {
    return KBUILD_SMALL2(KBUILD_SMALL_ROUND(__a), KBUILD_SMALL_ROUND(__b));
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__float22, 2_rn)(const float2 __a) {
    return KBUILD_SMALL2(KBUILD_SMALL_ROUND(__a.x), KBUILD_SMALL_ROUND(__a.y));
}
KBUILD_SMALL_FUNCTION float2 KBUILD_SMALL_NAME(__, 22float2)(const KBUILD_SMALL2 __a) {
    return make_float2(KBUILD_SMALL_WIDE(__a.x), KBUILD_SMALL_WIDE(__a.y));
}
KBUILD_SMALL_FUNCTION float __low2float(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL_WIDE(__a.x);
}
KBUILD_SMALL_FUNCTION float __high2float(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL_WIDE(__a.y);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__low2, )(const KBUILD_SMALL2 __a) {
    return __a.x;
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL KBUILD_SMALL_NAME(__high2, )(const KBUILD_SMALL2 __a) {
    return __a.y;
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__low2, 2)(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL2(__a.x, __a.x);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__high2, 2)(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL2(__a.y, __a.y);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__lows2, 2)(const KBUILD_SMALL2 __a,
                                                                  const KBUILD_SMALL2 __b) {
    return KBUILD_SMALL2(__a.x, __b.x);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 KBUILD_SMALL_NAME(__highs2, 2)(const KBUILD_SMALL2 __a,
                                                                   const KBUILD_SMALL2 __b) {
    return KBUILD_SMALL2(__a.y, __b.y);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 __lowhigh2highlow(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL2(__a.y, __a.x);
}

/* A function of one, two, or three numbers as an expression, and the function of pairs. */
#define KBUILD_SMALL_UNARY(name, name2, expression) \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL name(const KBUILD_SMALL __a) { return expression; } \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL2 name2(const KBUILD_SMALL2 __a) { \
        return KBUILD_SMALL2(name(__a.x), name(__a.y)); \
    }
#define KBUILD_SMALL_BINARY(name, name2, expression) \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL name(const KBUILD_SMALL __a, const KBUILD_SMALL __b) { \
        return expression; \
    } \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL2 name2(const KBUILD_SMALL2 __a, const KBUILD_SMALL2 __b) { \
        return KBUILD_SMALL2(name(__a.x, __b.x), name(__a.y, __b.y)); \
    }
#define KBUILD_SMALL_TERNARY(name, name2, expression) \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL name(const KBUILD_SMALL __a, const KBUILD_SMALL __b, \
                                            const KBUILD_SMALL __c) { \
        return expression; \
    } \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL2 name2(const KBUILD_SMALL2 __a, const KBUILD_SMALL2 __b, \
                                              const KBUILD_SMALL2 __c) { \
        return KBUILD_SMALL2(name(__a.x, __b.x, __c.x), name(__a.y, __b.y, __c.y)); \
    }

/* Rounding a sum of floats again is correct. */
#define KBUILD_SMALL_ADD KBUILD_SMALL_ROUND(KBUILD_SMALL_WIDE(__a) + KBUILD_SMALL_WIDE(__b))
#define KBUILD_SMALL_SUBTRACT KBUILD_SMALL_ROUND(KBUILD_SMALL_WIDE(__a) - KBUILD_SMALL_WIDE(__b))
#define KBUILD_SMALL_PRODUCT(x) static_cast<KBUILD_SMALL_FORMAT::product>(KBUILD_SMALL_WIDE(x))
#define KBUILD_SMALL_MULTIPLY \
    KBUILD_SMALL_ROUND(KBUILD_SMALL_PRODUCT(__a) * KBUILD_SMALL_PRODUCT(__b))
KBUILD_SMALL_BINARY(__hadd, __hadd2, KBUILD_SMALL_ADD)
KBUILD_SMALL_BINARY(__hsub, __hsub2, KBUILD_SMALL_SUBTRACT)
KBUILD_SMALL_BINARY(__hmul, __hmul2, KBUILD_SMALL_MULTIPLY)
KBUILD_SMALL_BINARY(__hadd_rn, __hadd2_rn, KBUILD_SMALL_ADD)
KBUILD_SMALL_BINARY(__hsub_rn, __hsub2_rn, KBUILD_SMALL_SUBTRACT)
KBUILD_SMALL_BINARY(__hmul_rn, __hmul2_rn, KBUILD_SMALL_MULTIPLY)
KBUILD_SMALL_BINARY(__hdiv, __h2div,
                    KBUILD_SMALL_ROUND(KBUILD_SMALL_PRODUCT(__a) / KBUILD_SMALL_PRODUCT(__b)))
KBUILD_SMALL_TERNARY(__hfma, __hfma2,
                     KBUILD_SMALL_BITS(KBUILD_SMALL_FORMAT::multiply_add(KBUILD_SMALL_WIDE(__a),
                                                                         KBUILD_SMALL_WIDE(__b),
                                                                         KBUILD_SMALL_WIDE(__c))))
#undef KBUILD_SMALL_MULTIPLY
#undef KBUILD_SMALL_PRODUCT
#undef KBUILD_SMALL_SUBTRACT
#undef KBUILD_SMALL_ADD

#define KBUILD_SMALL_SATURATE(x) kbuild_small::saturate<KBUILD_SMALL_FORMAT>(x)
KBUILD_SMALL_BINARY(__hadd_sat, __hadd2_sat, KBUILD_SMALL_SATURATE(__hadd(__a, __b)))
KBUILD_SMALL_BINARY(__hsub_sat, __hsub2_sat, KBUILD_SMALL_SATURATE(__hsub(__a, __b)))
KBUILD_SMALL_BINARY(__hmul_sat, __hmul2_sat, KBUILD_SMALL_SATURATE(__hmul(__a, __b)))
KBUILD_SMALL_TERNARY(__hfma_sat, __hfma2_sat, KBUILD_SMALL_SATURATE(__hfma(__a, __b, __c)))
#undef KBUILD_SMALL_SATURATE

#define KBUILD_SMALL_CHOOSE(...) kbuild_small::choose<KBUILD_SMALL_FORMAT>(__VA_ARGS__)
KBUILD_SMALL_BINARY(__hmax, __hmax2, KBUILD_SMALL_CHOOSE(__a, __b, true, false))
KBUILD_SMALL_BINARY(__hmin, __hmin2, KBUILD_SMALL_CHOOSE(__a, __b, false, false))
KBUILD_SMALL_BINARY(__hmax_nan, __hmax2_nan, KBUILD_SMALL_CHOOSE(__a, __b, true, true))
KBUILD_SMALL_BINARY(__hmin_nan, __hmin2_nan, KBUILD_SMALL_CHOOSE(__a, __b, false, true))
#undef KBUILD_SMALL_CHOOSE
KBUILD_SMALL_TERNARY(__hfma_relu, __hfma2_relu,
                     __hmax_nan(__hfma(__a, __b, __c), KBUILD_SMALL_BITS(0)))

KBUILD_SMALL_UNARY(__habs, __habs2,
                   KBUILD_SMALL_BITS(kbuild_small::cast_bits<unsigned short>(__a) & 0x7FFF))
KBUILD_SMALL_UNARY(__hneg, __hneg2,
                   KBUILD_SMALL_BITS(kbuild_small::cast_bits<unsigned short>(__a) ^ 0x8000))

/* Multiplies and adds complex numbers. */
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 __hcmadd(const KBUILD_SMALL2 __a, const KBUILD_SMALL2 __b,
                                             const KBUILD_SMALL2 __c) {
    return KBUILD_SMALL2(__hfma(__hneg(__a.y), __b.y, __hfma(__a.x, __b.x, __c.x)),
                         __hfma(__a.y, __b.x, __hfma(__a.x, __b.y, __c.y)));
}

/* Comparisons.  The forms that end in u are true if a number is a NaN, and the others are false. */
KBUILD_SMALL_FUNCTION bool __hisnan(const KBUILD_SMALL __a) {
    return kbuild_small::is_nan<KBUILD_SMALL_FORMAT>(__a);
}
KBUILD_SMALL_FUNCTION KBUILD_SMALL2 __hisnan2(const KBUILD_SMALL2 __a) {
    return KBUILD_SMALL2(KBUILD_SMALL_BITS(__hisnan(__a.x) ? KBUILD_SMALL_FORMAT::one : 0),
                         KBUILD_SMALL_BITS(__hisnan(__a.y) ? KBUILD_SMALL_FORMAT::one : 0));
}
KBUILD_SMALL_FUNCTION int __hisinf(const KBUILD_SMALL __a) {
    const unsigned short __bits = kbuild_small::cast_bits<unsigned short>(__a);
    return (__bits & 0x7FFF) != KBUILD_SMALL_FORMAT::infinity ? 0 : __bits >> 15 ? -1 : 1;
}
#define KBUILD_SMALL_COMPARE(name, expression) \
    KBUILD_SMALL_FUNCTION bool __h##name(const KBUILD_SMALL __a, const KBUILD_SMALL __b) { \
        const float __x = KBUILD_SMALL_WIDE(__a), __y = KBUILD_SMALL_WIDE(__b); \
        return expression; \
    } \
    KBUILD_SMALL_FUNCTION bool __hb##name##2(const KBUILD_SMALL2 __a, const KBUILD_SMALL2 __b) { \
        return __h##name(__a.x, __b.x) && __h##name(__a.y, __b.y); \
    } \
    KBUILD_SMALL_FUNCTION KBUILD_SMALL2 __h##name##2(const KBUILD_SMALL2 __a, \
                                                     const KBUILD_SMALL2 __b) { \
        return KBUILD_SMALL2( \
            KBUILD_SMALL_BITS(__h##name(__a.x, __b.x) ? KBUILD_SMALL_FORMAT::one : 0), \
            KBUILD_SMALL_BITS(__h##name(__a.y, __b.y) ? KBUILD_SMALL_FORMAT::one : 0)); \
    } \
    KBUILD_SMALL_FUNCTION unsigned int __h##name##2_mask(const KBUILD_SMALL2 __a, \
                                                         const KBUILD_SMALL2 __b) { \
        return (__h##name(__a.x, __b.x) ? 0xFFFFu : 0u) | \
               (__h##name(__a.y, __b.y) ? 0xFFFF0000u : 0u); \
    }
KBUILD_SMALL_COMPARE(eq, __x == __y)
KBUILD_SMALL_COMPARE(ne, __x<__y || __x> __y)
KBUILD_SMALL_COMPARE(le, __x <= __y)
KBUILD_SMALL_COMPARE(ge, __x >= __y)
KBUILD_SMALL_COMPARE(lt, __x < __y)
KBUILD_SMALL_COMPARE(gt, __x > __y)
KBUILD_SMALL_COMPARE(equ, !(__x < __y || __x > __y))
KBUILD_SMALL_COMPARE(neu, __x != __y)
KBUILD_SMALL_COMPARE(leu, !(__x > __y))
KBUILD_SMALL_COMPARE(geu, !(__x < __y))
KBUILD_SMALL_COMPARE(ltu, !(__x >= __y))
KBUILD_SMALL_COMPARE(gtu, !(__x <= __y))
#undef KBUILD_SMALL_COMPARE

/* Functions of double are precise enough that rounding again is correct. */
#define KBUILD_SMALL_MATH(name, expression) \
    KBUILD_SMALL_UNARY(h##name, h2##name, KBUILD_SMALL_ROUND(expression))
#define KBUILD_SMALL_DOUBLE static_cast<double>(KBUILD_SMALL_WIDE(__a))
KBUILD_SMALL_MATH(trunc, __builtin_truncf(KBUILD_SMALL_WIDE(__a)))
KBUILD_SMALL_MATH(ceil, __builtin_ceilf(KBUILD_SMALL_WIDE(__a)))
KBUILD_SMALL_MATH(floor, __builtin_floorf(KBUILD_SMALL_WIDE(__a)))
KBUILD_SMALL_MATH(rint, __builtin_rintf(KBUILD_SMALL_WIDE(__a)))
KBUILD_SMALL_MATH(sqrt, __builtin_sqrtf(KBUILD_SMALL_WIDE(__a)))
KBUILD_SMALL_MATH(rsqrt, 1.0 / __builtin_sqrt(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(rcp, 1.0 / KBUILD_SMALL_DOUBLE)
KBUILD_SMALL_MATH(log, __builtin_log(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(log2, __builtin_log2(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(log10, __builtin_log10(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(exp, __builtin_exp(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(exp2, __builtin_exp2(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(exp10, __builtin_pow(10.0, KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(sin, __builtin_sin(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(cos, __builtin_cos(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(tanh, __builtin_tanh(KBUILD_SMALL_DOUBLE))
KBUILD_SMALL_MATH(tanh_approx, __builtin_tanh(KBUILD_SMALL_DOUBLE))
#undef KBUILD_SMALL_DOUBLE
#undef KBUILD_SMALL_MATH

#undef KBUILD_SMALL_TERNARY
#undef KBUILD_SMALL_BINARY
#undef KBUILD_SMALL_UNARY
#undef KBUILD_SMALL_BITS
#undef KBUILD_SMALL_ROUND
#undef KBUILD_SMALL_WIDE
