/* CUB's reduces of warps.  Each asm statement there adds the value of a higher lane, for another type.  The
 * operands are local variables, which have the same names in all of them. */
#pragma once
#pragma GCC system_header
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../../../kbuild_cpu/cccl/warp_headers.h"
#define asm
#define volatile(...) output = ::kbuild_cpu::ptx::add_down(input, offset, shfl_c, member_mask)
#include_next <cub/warp/specializations/warp_reduce_shfl.cuh>
#undef asm
#undef volatile
#else
#include_next <cub/warp/specializations/warp_reduce_shfl.cuh>
#endif
