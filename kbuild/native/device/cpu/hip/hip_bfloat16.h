/* bfloat16 with the name of HIP's older header. */
#pragma once
#include "hip_bf16.h"

#if defined(__cplusplus)
typedef __hip_bfloat16 hip_bfloat16;
#endif
