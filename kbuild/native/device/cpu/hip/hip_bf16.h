/* bfloat16 with HIP's names. */
#pragma once
#include "../cuda_bf16.h"

typedef __nv_bfloat16_raw __hip_bfloat16_raw;
typedef __nv_bfloat162_raw __hip_bfloat162_raw;
#if defined(__cplusplus)
typedef __nv_bfloat16 __hip_bfloat16;
typedef __nv_bfloat162 __hip_bfloat162;
#endif
