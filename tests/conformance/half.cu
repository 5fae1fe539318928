// Half precision: cuda_fp16.h.
#include "small_floats.hpp"

#define NUMBER __half
#define PAIR __half2
#define RAW __half_raw
#define NAME(prefix, suffix) prefix##half##suffix
#define NAME2(prefix, infix, suffix) prefix##half##infix##half##suffix
#define EXPONENT 9
#define MAGNITUDE 60000

__device__ __half take_constants(int i) {
    const __half constants[] = {CUDART_INF_FP16,     CUDART_NAN_FP16,  CUDART_MIN_DENORM_FP16, CUDART_MAX_NORMAL_FP16,
                                CUDART_NEG_ZERO_FP16, CUDART_ZERO_FP16, CUDART_ONE_FP16};
    return constants[static_cast<unsigned int>(i) % 7];
}
CONFORMANCE_UNARY(take_constants, __half, int)

inline void run_other_tests() { conformance::run<__half, int>("constants", test_take_constants, 0); }

#include "sixteen_bits.hpp"
