/* What CUB's algorithms for warps include.  Their headers are included with macros for keywords, which these
 * must not see.  Another version of CCCL can be later in the include path, so __has_include does not help. */
#pragma GCC system_header

#include <cub/config.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_ptx.cuh>
#include <cub/util_type.cuh>
#if CCCL_VERSION >= 3005000
#include <cub/warp/specializations/warp_redux.cuh>
#endif
#if CCCL_VERSION >= 3001000
#include <cuda/warp>
#else
#include <cuda/ptx>
#endif
#include <cuda/std/bit>
#include <cuda/std/cstdint>
#include <cuda/std/functional>
#include <cuda/std/type_traits>
