/* CCCL's functions for the special registers, which are PTX. */
#pragma once
#pragma GCC system_header
#include "../../../kbuild_cpu/cccl/namespaces.h"
#include_next <cuda/__ptx/instructions/get_sreg.h>
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../../kbuild_cpu/cccl/registers.h"
#endif
