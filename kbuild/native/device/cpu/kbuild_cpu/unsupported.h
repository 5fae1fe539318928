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

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define KBUILD_CPU_NO_TEXTURE(name)                      \
    template <class __T, class... __Arguments>               \
    KBUILD_CPU_UNSUPPORTED("textures", name) __T name(cudaTextureObject_t, __Arguments...)
#define KBUILD_CPU_NO_SURFACE_READ(name)                 \
    template <class __T, class... __Arguments>               \
    KBUILD_CPU_UNSUPPORTED("surfaces", name) __T name(cudaSurfaceObject_t, __Arguments...)
#define KBUILD_CPU_NO_SURFACE_WRITE(name)                \
    template <class __T, class... __Arguments>               \
    KBUILD_CPU_UNSUPPORTED("surfaces", name) void name(__T, cudaSurfaceObject_t, __Arguments...)

KBUILD_CPU_NO_TEXTURE(tex1D);
KBUILD_CPU_NO_TEXTURE(tex1Dfetch);
KBUILD_CPU_NO_TEXTURE(tex2D);
KBUILD_CPU_NO_TEXTURE(tex2DLod);
KBUILD_CPU_NO_TEXTURE(tex2DLayered);
KBUILD_CPU_NO_TEXTURE(tex3D);
KBUILD_CPU_NO_SURFACE_READ(surf1Dread);
KBUILD_CPU_NO_SURFACE_READ(surf2Dread);
KBUILD_CPU_NO_SURFACE_READ(surf3Dread);
KBUILD_CPU_NO_SURFACE_WRITE(surf1Dwrite);
KBUILD_CPU_NO_SURFACE_WRITE(surf2Dwrite);
KBUILD_CPU_NO_SURFACE_WRITE(surf3Dwrite);

#undef KBUILD_CPU_NO_SURFACE_WRITE
#undef KBUILD_CPU_NO_SURFACE_READ
#undef KBUILD_CPU_NO_TEXTURE
#undef KBUILD_CPU_UNSUPPORTED

#endif
