/* CCCL's header. What CCCL does with the toolkit also needs cudaGetDriverEntryPoint. Editors can have NVIDIA's
 * toolkit. */
#pragma once
#pragma GCC system_header
#include_next <cuda/std/__cccl/cuda_toolkit.h>
#if defined(KBUILD_EDITOR_H)
#include <cuda.h>
#endif
#if !defined(KBUILD_EDITOR_H) || defined(KBUILD_CPU_DRIVER_DRIVER_H)
#undef _CCCL_HAS_CTK
#define _CCCL_HAS_CTK() 0
#endif
/* Half precision does not need the toolkit. */
#if !defined(LIBCUDACXX_ENABLE_HOST_NVFP16)
#define LIBCUDACXX_ENABLE_HOST_NVFP16
#endif
