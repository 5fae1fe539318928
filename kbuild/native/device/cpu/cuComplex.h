/* Complex numbers with CUDA's names, for host and device code. */
#ifndef KBUILD_CPU_CUCOMPLEX_H
#define KBUILD_CPU_CUCOMPLEX_H

#include "kbuild_cpu/vector_types.h"

#include <math.h> /* as NVIDIA's */

#pragma GCC system_header

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* The functions for one type; `last` is the end of their names, and `most` its largest number.  The
 * operations are in the order of CUDA's header, which gives the same bits on a GPU without
 * contraction. */
#define KBUILD_CPU_COMPLEX(type, number, pair, last, most) \
    static inline number cuCreal##last(type __z) { return __z.x; } \
    static inline number cuCimag##last(type __z) { return __z.y; } \
    static inline type make_##type(number __x, number __y) { return make_##pair(__x, __y); } \
    static inline type cuConj##last(type __z) { return make_##pair(__z.x, -__z.y); } \
    static inline type cuCadd##last(type __a, type __b) { \
        return make_##pair(__a.x + __b.x, __a.y + __b.y); \
    } \
    static inline type cuCsub##last(type __a, type __b) { \
        return make_##pair(__a.x - __b.x, __a.y - __b.y); \
    } \
    static inline type cuCmul##last(type __a, type __b) { \
        return make_##pair(__a.x * __b.x - __a.y * __b.y, __a.x * __b.y + __a.y * __b.x); \
    } \
    /* Scales, so that large numbers do not overflow. */ \
    static inline type cuCdiv##last(type __a, type __b) { \
        const number __scale = 1 / (__builtin_fabs##last(__b.x) + __builtin_fabs##last(__b.y)); \
        const type __p = make_##pair(__a.x * __scale, __a.y * __scale); \
        const type __q = make_##pair(__b.x * __scale, __b.y * __scale); \
        const number __factor = 1 / (__q.x * __q.x + __q.y * __q.y); \
        return make_##pair((__p.x * __q.x + __p.y * __q.y) * __factor, \
                           (__p.y * __q.x - __p.x * __q.y) * __factor); \
    } \
    static inline number cuCabs##last(type __z) { \
        const number __x = __builtin_fabs##last(__z.x), __y = __builtin_fabs##last(__z.y); \
        const number __large = __x > __y ? __x : __y, __small = __x > __y ? __y : __x; \
        const number __ratio = __small / __large; \
        if (__large == 0 || __large > most || __small > most) return __large + __small; \
        return __large * __builtin_sqrt##last(1 + __ratio * __ratio); \
    } \
    static inline type cuCfma##last(type __a, type __b, type __c) { \
        const number __x = __a.x * __b.x + __c.x, __y = __a.x * __b.y + __c.y; \
        return make_##pair(-(__a.y * __b.y) + __x, __a.y * __b.x + __y); \
    }

KBUILD_CPU_COMPLEX(cuFloatComplex, float, float2, f, __FLT_MAX__)
KBUILD_CPU_COMPLEX(cuDoubleComplex, double, double2, , __DBL_MAX__)

#undef KBUILD_CPU_COMPLEX

static inline cuComplex make_cuComplex(float __x, float __y) { return make_float2(__x, __y); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex __z) {
    return make_double2(__z.x, __z.y);
}
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex __z) {
    return make_float2((float)__z.x, (float)__z.y);
}

#endif
