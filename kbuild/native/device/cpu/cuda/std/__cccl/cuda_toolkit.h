/* CCCL's interfaces to the driver need more of CUDA than this backend has. */
#pragma once
#pragma GCC system_header
#include_next <cuda/std/__cccl/cuda_toolkit.h>
#undef _CCCL_HAS_CTK
#define _CCCL_HAS_CTK() 0
/* Half precision does not need the toolkit. */
#if !defined(LIBCUDACXX_ENABLE_HOST_NVFP16)
#define LIBCUDACXX_ENABLE_HOST_NVFP16
#endif
