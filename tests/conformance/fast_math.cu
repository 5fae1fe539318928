// The fast functions for float. Constants turn ulps into absolute bounds, as in math_float.cu.
#include "functions.hpp"

__device__ float sum_of_sincos(float x) {
    float s, c;
    __sincosf(x, &s, &c);
    return s + c;
}

#define FAST(F1, F2, F3) \
    F1(__sinf, 3, BETWEEN(-3.1415, 3.1415), float, float, 6 + __sinf(a)) \
    F1(__cosf, 3, BETWEEN(-3.1415, 3.1415), float, float, 6 + __cosf(a)) \
    F1(__tanf, 9, BETWEEN(-0.7, 0.7), float, float, 6 + __tanf(a)) \
    F1(__sincosf, 6, BETWEEN(-3.1415, 3.1415), float, float, 6 + sum_of_sincos(a)) \
    F1(__tanhf, 8192, BETWEEN(-4, 4), float, float, __tanhf(a)) \
    F1(__expf, 13, BETWEEN(-8, 8), float, float, __expf(a)) \
    F1(__exp10f, 15, BETWEEN(-4, 4), float, float, __exp10f(a)) \
    F1(__logf, 3, BETWEEN(0.5, 2), float, float, 6 + __logf(a)) \
    F1(__logf_2, 5, BETWEEN(2, 99), float, float, __logf(a)) \
    F1(__log2f, 3, BETWEEN(0.5, 2), float, float, 6 + __log2f(a)) \
    F1(__log2f_2, 5, BETWEEN(2, 99), float, float, __log2f(a)) \
    F1(__log10f, 3, BETWEEN(0.5, 2), float, float, 6 + __log10f(a)) \
    F1(__log10f_2, 5, BETWEEN(2, 99), float, float, __log10f(a)) \
    F2(__powf, 64, BETWEEN(1, 4), float, float, float, __powf(a, b)) \
    F2(__powf_of_negative, 0, BETWEEN(1, 4), float, float, float, __powf(-a, b)) \
    F2(__fdividef, 4, BETWEEN(-99, 99), float, float, float, __fdividef(a, b)) \
    F1(__fdividef_by_large, 0, BETWEEN(1.1, 1.9), float, float, __fdividef(3, a * 0x1p126f)) \
    F1(__fdividef_inf_by_large, 0, BETWEEN(1.1, 1.9), float, float, __fdividef(INFINITY, a * 0x1p126f)) \
    F1(__saturatef, 0, ANY, float, float, __saturatef(a)) \
    F1(__saturatef_2, 0, BETWEEN(-1, 2), float, float, __saturatef(a))

CONFORMANCE_MAIN(FAST)
