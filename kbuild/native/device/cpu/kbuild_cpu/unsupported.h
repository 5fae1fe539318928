/* Declares the features that the cpu backend does not support, so that the compiler reports their
 * names instead of missing declarations. */
#ifndef KBUILD_CPU_UNSUPPORTED_H
#define KBUILD_CPU_UNSUPPORTED_H

#include "vector_types.h"

#include <stddef.h>

#pragma GCC system_header

#define KBUILD_CPU_UNSUPPORTED(what, name) \
    __attribute__((error("kbuild: the cpu backend does not support " what ": " #name)))

/* CUDA has removed these.  HIP's headers declare their own. */
#define KBUILD_CPU_NO_MASKLESS_WARP(result, name) \
    template <class... __Arguments> \
    KBUILD_CPU_UNSUPPORTED("warp operations without a mask in CUDA sources; use " #name \
                           "_sync, or include hip/hip_runtime.h", \
                           name) \
    result \
    name(__Arguments...)
#define KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(name) \
    template <class __T, class... __Arguments> \
    KBUILD_CPU_UNSUPPORTED("warp operations without a mask in CUDA sources; use " #name \
                           "_sync, or include hip/hip_runtime.h", \
                           name) \
    __T \
    name(__T, __Arguments...)

KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_up);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_down);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_xor);
KBUILD_CPU_NO_MASKLESS_WARP(int, __any);
KBUILD_CPU_NO_MASKLESS_WARP(int, __all);
KBUILD_CPU_NO_MASKLESS_WARP(unsigned int, __ballot);

#undef KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE
#undef KBUILD_CPU_NO_MASKLESS_WARP

#define KBUILD_CPU_NO_ADDRESS_SPACE(result, name, parameter) \
    KBUILD_CPU_UNSUPPORTED("address spaces", name) result name(parameter)

KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isGlobal, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isShared, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isConstant, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isLocal, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isGridConstant, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isClusterShared, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(unsigned int, __isCtaShared, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(size_t, __cvta_generic_to_constant, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(size_t, __cvta_generic_to_local, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(size_t, __cvta_generic_to_grid_constant, const void *);
KBUILD_CPU_NO_ADDRESS_SPACE(void *, __cvta_constant_to_generic, size_t);
KBUILD_CPU_NO_ADDRESS_SPACE(void *, __cvta_local_to_generic, size_t);
KBUILD_CPU_NO_ADDRESS_SPACE(void *, __cvta_grid_constant_to_generic, size_t);

#undef KBUILD_CPU_NO_ADDRESS_SPACE

KBUILD_CPU_UNSUPPORTED("thread block clusters", __cluster_map_shared_multicast)
uint2 __cluster_map_shared_multicast(const void *, unsigned int);

KBUILD_CPU_UNSUPPORTED("named barriers", __barrier_sync) void __barrier_sync(unsigned int);
KBUILD_CPU_UNSUPPORTED("named barriers", __barrier_sync_count)
void __barrier_sync_count(unsigned int, unsigned int);
KBUILD_CPU_UNSUPPORTED("performance counters", __pm0) unsigned int __pm0();
KBUILD_CPU_UNSUPPORTED("performance counters", __pm1) unsigned int __pm1();
KBUILD_CPU_UNSUPPORTED("performance counters", __pm2) unsigned int __pm2();
KBUILD_CPU_UNSUPPORTED("performance counters", __pm3) unsigned int __pm3();

#undef KBUILD_CPU_UNSUPPORTED

#endif
