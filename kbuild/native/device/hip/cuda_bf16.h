#pragma once
#if !__has_include(<hip/hip_bf16.h>)
#error "kbuild: bfloat16 in device code requires HIP 5.7 or newer: cuda_bf16.h"
#endif
#include <hip/hip_bf16.h>

typedef __hip_bfloat16 __nv_bfloat16;
typedef __hip_bfloat162 __nv_bfloat162;
