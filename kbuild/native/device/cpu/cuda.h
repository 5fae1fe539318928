/* For sources that include this CUDA header for the version of CUDA.  The backend does not have the
 * driver API.  Editors also read sources of CUDA, with the toolkit's header. */
#pragma once
#include "kbuild_cpu/language.h"
#if defined(KBUILD_EDITOR_H) && __has_include_next(<cuda.h>)
#include_next <cuda.h>
#else
#define CUDA_VERSION CUDART_VERSION
#define KBUILD_CPU_WITHOUT_DRIVER
#endif
