/* nvcuda::wmma: matrix operations of a warp. */
#ifndef KBUILD_CPU_MMA_H
#define KBUILD_CPU_MMA_H

#include "kbuild_cpu_device.h"

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "kbuild_cpu/wmma/fragments.h"
#include "kbuild_cpu/wmma/operations.h"
#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include "kbuild_cpu/wmma/regions.h"
#endif

#endif
