#if !defined(KBUILD_MIXED)
#error "kbuild: the cpu backend does not support bfloat16: cuda_bf16.h"
#endif
#pragma once
#pragma GCC system_header
#include "kbuild_cpu/unavailable.h"

KBUILD_CPU_UNAVAILABLE_TYPE("bfloat16", __nv_bfloat16)
KBUILD_CPU_UNAVAILABLE_TYPE("bfloat16", nv_bfloat16)
KBUILD_CPU_UNAVAILABLE_TYPE("bfloat16", __nv_bfloat162)
KBUILD_CPU_UNAVAILABLE_TYPE("bfloat16", nv_bfloat162)
