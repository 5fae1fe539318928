/* CCCL's header.  Its classes for streams, memory, and devices need the host API, which texts that are only device
 * code do not have.  CCCL 3.1 finds the driver API by a function that the CPU does not have. */
#pragma once
#pragma GCC system_header
#include "../../../kbuild_cpu/cccl/version.h"
#include_next <cuda/std/__cccl/cuda_toolkit.h>
#if (defined(KBUILD_DEVICE_CODE) && !defined(KBUILD_MIXED)) || CCCL_VERSION < 3002000
#undef _CCCL_HAS_CTK
#define _CCCL_HAS_CTK() 0
#endif
/* Half precision does not need the toolkit. */
#if !defined(LIBCUDACXX_ENABLE_HOST_NVFP16)
#define LIBCUDACXX_ENABLE_HOST_NVFP16
#endif
