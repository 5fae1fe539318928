/* The version of CUDA.  For an older one, the backend or a toolkit puts a directory of device/cuda_versions into the
 * include path. */
#ifndef KBUILD_CPU_CUDA_VERSION_H
#define KBUILD_CPU_CUDA_VERSION_H

#if __has_include(<kbuild_cuda_version.h>)
#include <kbuild_cuda_version.h>
#else
#define KBUILD_CUDA_VERSION 13
#define KBUILD_CUDA_MINOR_VERSION 0
#endif
#define CUDART_VERSION (KBUILD_CUDA_VERSION * 1000 + KBUILD_CUDA_MINOR_VERSION * 10)

#endif
