/* Whether regions know the order of CUB's algorithms for blocks and warps: that of these versions. */
#ifndef KBUILD_CPU_CCCL_BLOCK_SELECT_H
#define KBUILD_CPU_CCCL_BLOCK_SELECT_H

#include <cub/config.cuh>

#pragma GCC system_header

#if CCCL_VERSION >= 3005000 && CCCL_VERSION <= 3005999 && \
    (defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE))
#define KBUILD_CPU_CCCL_PRIMITIVES 1
#endif

#endif
