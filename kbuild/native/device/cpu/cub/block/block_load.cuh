/* cub::BlockLoad. */
#pragma once
#pragma GCC system_header
#include_next <cub/block/block_load.cuh>
#include "../../kbuild_cpu/cccl/block/select.h"
#if defined(KBUILD_CPU_CCCL_PRIMITIVES)
#include "../../kbuild_cpu/cccl/block/load.h"
#endif
