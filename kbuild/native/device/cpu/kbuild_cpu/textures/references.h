/* Texture references, which CUDA 12 removed.
 *
 * The backend treats variables of this type as device variables; see backends/cpu/mixed/qualifiers.py.
 * Host code binds memory to the variable of the host.  That creates a texture object, and writes it
 * into the variable of the device, which texture functions read. */
#ifndef KBUILD_CPU_TEXTURE_REFERENCES_H
#define KBUILD_CPU_TEXTURE_REFERENCES_H

#include "../host/texture_types.h"
#include "textures.h"

#pragma GCC system_header

/* The backend looks for references only in a text with this word. */
typedef int __kbuild_texture_references__;

struct textureReference {
    int normalized;
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureAddressMode addressMode[3];
    struct cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned int maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias;
    float minMipmapLevelClamp;
    float maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    enum cudaTextureReadMode __kbuild_read_mode;
    cudaTextureObject_t __kbuild_object;
};

template <class __T, int __dimensions = cudaTextureType1D,
          enum cudaTextureReadMode __mode = cudaReadModeElementType>
struct texture : textureReference {
    constexpr texture(int __normalized = 0,
                      enum cudaTextureFilterMode __filter = cudaFilterModePoint,
                      enum cudaTextureAddressMode __address = cudaAddressModeClamp)
        : texture(__normalized, __filter, __address,
                  cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone}) {}
    constexpr texture(int __normalized, enum cudaTextureFilterMode __filter,
                      enum cudaTextureAddressMode __address,
                      struct cudaChannelFormatDesc __channels)
        : textureReference{__normalized,
                           __filter,
                           {__address, __address, __address},
                           __channels,
                           0,
                           0,
                           cudaFilterModePoint,
                           0,
                           0,
                           0,
                           0,
                           __mode,
                           0} {}
};

namespace kbuild_cpu {

/* What a texture function returns. */
template <class __T, enum cudaTextureReadMode __mode>
struct texel_of {
    typedef __T type;
};
#define KBUILD_CPU_NORMALIZED(channel, name) \
    template <> \
    struct texel_of<channel, cudaReadModeNormalizedFloat> { \
        typedef float type; \
    }; \
    template <> \
    struct texel_of<name##1, cudaReadModeNormalizedFloat> { \
        typedef float1 type; \
    }; \
    template <> \
    struct texel_of<name##2, cudaReadModeNormalizedFloat> { \
        typedef float2 type; \
    }; \
    template <> \
    struct texel_of<name##4, cudaReadModeNormalizedFloat> { \
        typedef float4 type; \
    };
KBUILD_CPU_NORMALIZED(signed char, char)
KBUILD_CPU_NORMALIZED(unsigned char, uchar)
KBUILD_CPU_NORMALIZED(short, short)
KBUILD_CPU_NORMALIZED(unsigned short, ushort)
#undef KBUILD_CPU_NORMALIZED
template <>
struct texel_of<char, cudaReadModeNormalizedFloat> {
    typedef float type;
};

/* The function of the C library. <assert.h> would declare its macro for the source, too. */
extern "C" [[noreturn]] void __assert_fail(const char *, const char *, unsigned int,
                                           const char *) noexcept;

__device__ inline cudaTextureObject_t find_bound(const textureReference &__reference) {
    if (__reference.__kbuild_object == 0)
        __assert_fail("memory is bound to the texture reference", __FILE__, __LINE__, __func__);
    return __reference.__kbuild_object;
}

}  // namespace kbuild_cpu

#define KBUILD_CPU_FETCH(name) \
    template <class __T, int __dimensions, enum cudaTextureReadMode __mode, class... __Arguments> \
    __device__ inline typename kbuild_cpu::texel_of<__T, __mode>::type name( \
        const texture<__T, __dimensions, __mode> &__reference, __Arguments... __arguments) { \
        typedef typename kbuild_cpu::texel_of<__T, __mode>::type __texel; \
        return name<__texel>(kbuild_cpu::find_bound(__reference), __arguments...); \
    }
#define KBUILD_CPU_FETCHES(name) \
    KBUILD_CPU_FETCH(name) \
    KBUILD_CPU_FETCH(name##Lod) \
    KBUILD_CPU_FETCH(name##Grad)
KBUILD_CPU_FETCH(tex1Dfetch)
KBUILD_CPU_FETCH(tex2Dgather)
KBUILD_CPU_FETCHES(tex1D)
KBUILD_CPU_FETCHES(tex2D)
KBUILD_CPU_FETCHES(tex3D)
KBUILD_CPU_FETCHES(texCubemap)
KBUILD_CPU_FETCHES(tex1DLayered)
KBUILD_CPU_FETCHES(tex2DLayered)
KBUILD_CPU_FETCHES(texCubemapLayered)
#undef KBUILD_CPU_FETCHES
#undef KBUILD_CPU_FETCH

#endif
