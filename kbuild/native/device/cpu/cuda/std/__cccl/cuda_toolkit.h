/* CCCL's header. What CCCL does with the toolkit also needs the driver API. */
#pragma once
#pragma GCC system_header
#include_next <cuda/std/__cccl/cuda_toolkit.h>
#include <cuda.h>
#if defined(KBUILD_CPU_WITHOUT_DRIVER)
#undef _CCCL_HAS_CTK
#define _CCCL_HAS_CTK() 0
#endif
/* Half precision does not need the toolkit. */
#if !defined(LIBCUDACXX_ENABLE_HOST_NVFP16)
#define LIBCUDACXX_ENABLE_HOST_NVFP16
#endif
