/* The driver API.  Editors also read sources of CUDA, with the toolkit's header. */
#pragma once
#include "kbuild_cpu/language.h"

#include <stdint.h>
#include <stdlib.h>
#if defined(KBUILD_EDITOR_H) && __has_include_next(<cuda.h>)
#include_next <cuda.h>
#else
#define CUDA_VERSION CUDART_VERSION
#define __CUDA_API_VERSION CUDART_VERSION
#define __cuda_cuda_h__
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
#if defined(__cplusplus)
extern "C" {
#endif
#include "kbuild_cpu/driver/driver.h"
#if defined(__cplusplus)
}
#endif
#endif
#endif
