/* The header with which CCCL finds out about its compiler: a C++ compiler, which knows no PTX. */
#pragma GCC system_header
#if !defined(CCCL_DISABLE_NVTX)
#define CCCL_DISABLE_NVTX /* there is no profiler to show the ranges */
#endif
#include "../../../kbuild_cpu/cccl/version.h"
#include "../../../kbuild_cpu/cccl/begin.h"
#include_next <cuda/std/__cccl/compiler.h>
#include "../../../kbuild_cpu/cccl/end.h"
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
/* g++ accepts only a number here.  kbuild translates nvcc's pragma. */
#if !defined(__clang__)
#undef _CCCL_PRAGMA_UNROLL
#undef _CCCL_PRAGMA_UNROLL_FULL
#define _CCCL_PRAGMA_UNROLL(count) _CCCL_PRAGMA(unroll count)
#define _CCCL_PRAGMA_UNROLL_FULL() _CCCL_PRAGMA(unroll)
#endif
#endif
