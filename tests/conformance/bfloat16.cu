// bfloat16: cuda_bf16.h.
#include "small_floats.hpp"

#define NUMBER __nv_bfloat16
#define PAIR __nv_bfloat162
#define RAW __nv_bfloat16_raw
#define NAME(prefix, suffix) prefix##bfloat16##suffix
#define NAME2(prefix, infix, suffix) prefix##bfloat16##infix##bfloat16##suffix
#define EXPONENT 80
#define MAGNITUDE 1e9

__device__ __nv_bfloat16 take_constants(int i) {
    const __nv_bfloat16 constants[] = {CUDART_INF_BF16,      CUDART_NAN_BF16,  CUDART_MIN_DENORM_BF16, CUDART_MAX_NORMAL_BF16,
                                       CUDART_NEG_ZERO_BF16, CUDART_ZERO_BF16, CUDART_ONE_BF16};
    return constants[static_cast<unsigned int>(i) % 7];
}
__device__ __half convert_to_half(__nv_bfloat16 a) { return __half(a); }
__device__ __nv_bfloat16 convert_from_half(__half a) { return __nv_bfloat16(a); }
CONFORMANCE_UNARY(take_constants, __nv_bfloat16, int)
CONFORMANCE_UNARY(convert_to_half, __half, __nv_bfloat16)
CONFORMANCE_UNARY(convert_from_half, __nv_bfloat16, __half)

inline void run_other_tests() {
    conformance::run<__nv_bfloat16, int>("constants", test_take_constants, 0);
    conformance::run_all<__half, __nv_bfloat16>("convert_to_half", test_convert_to_half);
    conformance::run_all<__nv_bfloat16, __half>("convert_from_half", test_convert_from_half);
}

#include "sixteen_bits.hpp"
