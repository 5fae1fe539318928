/* The header with which CCCL finds out about its compiler: a C++ compiler, which knows no PTX. */
#pragma GCC system_header
#include "../../../kbuild_cpu/cccl/begin.h"
#include_next <cuda/std/__cccl/compiler.h>
#include "../../../kbuild_cpu/cccl/end.h"
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../../kbuild_cpu/cccl/ptx.h"
#endif
