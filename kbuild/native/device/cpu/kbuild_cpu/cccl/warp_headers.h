/* What CUB's algorithms for warps include.  Their headers are included with macros for keywords, which these
 * must not see. */
#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#if __has_include(<cub/warp/specializations/warp_redux.cuh>)
#include <cub/warp/specializations/warp_redux.cuh>
#endif
#if __has_include(<cuda/warp>)
#include <cuda/warp>
#else
#include <cuda/ptx>
#endif
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
