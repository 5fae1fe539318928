/* cub::WarpReduce. */
#pragma once
#pragma GCC system_header
#include_next <cub/warp/warp_reduce.cuh>
#include "../../kbuild_cpu/cccl/block/select.h"
#if defined(KBUILD_CPU_CCCL_PRIMITIVES)
#include "../../kbuild_cpu/cccl/block/warp_reduce.h"
#endif
