/* Complex numbers with HIP's names.  Unlike CUDA's, the functions do not scale. */
#ifndef KBUILD_CPU_HIP_COMPLEX_H
#define KBUILD_CPU_HIP_COMPLEX_H

#include "../cuComplex.h"

#pragma GCC system_header

typedef cuFloatComplex hipFloatComplex;
typedef cuDoubleComplex hipDoubleComplex;
typedef hipFloatComplex hipComplex;

/* The functions for one type; `last` is the end of their names. */
#define KBUILD_CPU_HIP_COMPLEX(type, number, pair, last) \
    static inline number hipCreal##last(type __z) { return __z.x; } \
    static inline number hipCimag##last(type __z) { return __z.y; } \
    static inline type make_##type(number __x, number __y) { return make_##pair(__x, __y); } \
    static inline type hipConj##last(type __z) { return cuConj##last(__z); } \
    static inline number hipCsqabs##last(type __z) { return __z.x * __z.x + __z.y * __z.y; } \
    static inline number hipCabs##last(type __z) { \
        return __builtin_sqrt##last(hipCsqabs##last(__z)); \
    } \
    static inline type hipCadd##last(type __a, type __b) { return cuCadd##last(__a, __b); } \
    static inline type hipCsub##last(type __a, type __b) { return cuCsub##last(__a, __b); } \
    static inline type hipCmul##last(type __a, type __b) { return cuCmul##last(__a, __b); } \
    static inline type hipCdiv##last(type __a, type __b) { \
        const number __size = hipCsqabs##last(__b); \
        return make_##pair((__a.x * __b.x + __a.y * __b.y) / __size, \
                           (__a.y * __b.x - __a.x * __b.y) / __size); \
    } \
    static inline type hipCfma##last(type __a, type __b, type __c) { \
        return cuCfma##last(__a, __b, __c); \
    }

KBUILD_CPU_HIP_COMPLEX(hipFloatComplex, float, float2, f)
KBUILD_CPU_HIP_COMPLEX(hipDoubleComplex, double, double2, )

#undef KBUILD_CPU_HIP_COMPLEX

static inline hipComplex make_hipComplex(float __x, float __y) { return make_float2(__x, __y); }
static inline hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex __z) {
    return cuComplexFloatToDouble(__z);
}
static inline hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex __z) {
    return cuComplexDoubleToFloat(__z);
}

#endif
