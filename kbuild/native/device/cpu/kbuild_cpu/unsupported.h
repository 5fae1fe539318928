/* Declares the features that the cpu backend does not support, so that the compiler reports their
 * names instead of missing declarations. */
#ifndef KBUILD_CPU_UNSUPPORTED_H
#define KBUILD_CPU_UNSUPPORTED_H

#pragma GCC system_header

#define KBUILD_CPU_UNSUPPORTED(what, name) \
    __attribute__((error("kbuild: the cpu backend does not support " what ": " #name)))

/* CUDA has removed these.  HIP's headers declare their own. */
#define KBUILD_CPU_NO_MASKLESS_WARP(result, name)                                            \
    template <class... __Arguments>                                                          \
    KBUILD_CPU_UNSUPPORTED("warp operations without a mask in CUDA sources; use " #name      \
                           "_sync, or include hip/hip_runtime.h", name)                      \
    result name(__Arguments...)
#define KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(name)                                           \
    template <class __T, class... __Arguments>                                               \
    KBUILD_CPU_UNSUPPORTED("warp operations without a mask in CUDA sources; use " #name      \
                           "_sync, or include hip/hip_runtime.h", name)                      \
    __T name(__T, __Arguments...)

KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_up);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_down);
KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE(__shfl_xor);
KBUILD_CPU_NO_MASKLESS_WARP(int, __any);
KBUILD_CPU_NO_MASKLESS_WARP(int, __all);
KBUILD_CPU_NO_MASKLESS_WARP(unsigned int, __ballot);

#undef KBUILD_CPU_NO_MASKLESS_WARP_OF_VALUE
#undef KBUILD_CPU_NO_MASKLESS_WARP

#undef KBUILD_CPU_UNSUPPORTED

#endif
