#if !defined(KBUILD_MIXED)
#error "kbuild: the cpu backend does not support half precision: cuda_fp16.h"
#endif
#pragma once
#pragma GCC system_header
#include "kbuild_cpu/unavailable.h"

KBUILD_CPU_UNAVAILABLE_TYPE("half precision", __half)
KBUILD_CPU_UNAVAILABLE_TYPE("half precision", half)
KBUILD_CPU_UNAVAILABLE_TYPE("half precision", __half2)
KBUILD_CPU_UNAVAILABLE_TYPE("half precision", half2)
