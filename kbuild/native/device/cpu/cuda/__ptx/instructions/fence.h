/* CCCL's fences, which are PTX. */
#pragma once
#pragma GCC system_header
#include "../../../kbuild_cpu/cccl/namespaces.h"
#include_next <cuda/__ptx/instructions/fence.h>
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../../kbuild_cpu/cccl/fences.h"
#endif
