/* Texture functions.  The runtime samples; these functions describe the request, and convert the
 * channels of the result. */
#ifndef KBUILD_CPU_TEXTURES_H
#define KBUILD_CPU_TEXTURES_H

#include <kbuild/detail/cpu_textures.h>

#include "../qualifiers.h"
#include "../traits.h"
#include "types.h"
#include "../vector_types.h"

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu {

template <class __T>
__device__ inline void set_channel(__T &__channel, kbuild_uint32 __bits) {
    static_assert(is_arithmetic_v<__T> && sizeof(__T) <= 4,
                  "kbuild: a texture has channels of at most 32 bits");
    if constexpr (is_floating_point_v<__T>)
        memcpy(&__channel, &__bits, sizeof __channel);
    else
        __channel = static_cast<__T>(__bits);
}

template <class __T>
__device__ inline __T make_texel(const kbuild_uint32 *__channels) {
    __T __texel;
    if constexpr (is_arithmetic_v<__T>) {
        set_channel(__texel, __channels[0]);
    } else {
        constexpr int __count = sizeof(__T) / sizeof __texel.x;
        static_assert(__count == 1 || __count == 2 || __count == 4,
                      "kbuild: a texture has 1, 2, or 4 channels");
        set_channel(__texel.x, __channels[0]);
        if constexpr (__count > 1) set_channel(__texel.y, __channels[1]);
        if constexpr (__count > 2) {
            set_channel(__texel.z, __channels[2]);
            set_channel(__texel.w, __channels[3]);
        }
    }
    return __texel;
}

template <class __T>
__device__ inline __T read_texture(cudaTextureObject_t __object,
                                   const kbuild_cpu_texture_request &__request) {
    kbuild_uint32 __channels[4];
    const auto *__texture = reinterpret_cast<const kbuild_cpu_texture *>(__object);
    __texture->read(__texture, &__request, __channels);
    return make_texel<__T>(__channels);
}

}  // namespace kbuild_cpu

/* Defines a function in its two forms: the texel as the result, and through a pointer. */
#define KBUILD_CPU_TEXTURE(name, parameters, arguments, ...) \
    template <class __T> \
    __device__ inline __T name(cudaTextureObject_t __texture, KBUILD_CPU_LIST parameters) { \
        const kbuild_cpu_texture_request __request = __VA_ARGS__; \
        return kbuild_cpu::read_texture<__T>(__texture, __request); \
    } \
    template <class __T> \
    __device__ inline void name(__T *__texel, cudaTextureObject_t __texture, \
                                KBUILD_CPU_LIST parameters) { \
        *__texel = name<__T>(__texture, KBUILD_CPU_LIST arguments); \
    }
#define KBUILD_CPU_LIST(...) __VA_ARGS__

/* Defines the three forms that differ in how they choose the level.  `layer` is 0 if there are no
 * layers. */
#define KBUILD_CPU_TEXTURES(name, parameters, arguments, layer, position, gradient, along_x, \
                            along_y) \
    KBUILD_CPU_TEXTURE(name, parameters, arguments, \
                       {KBUILD_CPU_TEXTURE_SAMPLE, 0, layer, 0, position, {}, {}}) \
    KBUILD_CPU_TEXTURE(name##Lod, (KBUILD_CPU_LIST parameters, float __level), \
                       (KBUILD_CPU_LIST arguments, __level), \
                       {KBUILD_CPU_TEXTURE_LEVEL, 0, layer, __level, position, {}, {}}) \
    KBUILD_CPU_TEXTURE(name##Grad, \
                       (KBUILD_CPU_LIST parameters, gradient __along_x, gradient __along_y), \
                       (KBUILD_CPU_LIST arguments, __along_x, __along_y), \
                       {KBUILD_CPU_TEXTURE_GRADIENT, 0, layer, 0, position, along_x, along_y})
#define KBUILD_CPU_GROUP(...) {__VA_ARGS__}

KBUILD_CPU_TEXTURES(tex1D, (float __x), (__x), 0, {__x}, float, {__along_x}, {__along_y})
KBUILD_CPU_TEXTURES(tex1DLayered, (float __x, int __layer), (__x, __layer), __layer, {__x}, float,
                    {__along_x}, {__along_y})
KBUILD_CPU_TEXTURES(tex2D, (float __x, float __y), (__x, __y), 0, KBUILD_CPU_GROUP(__x, __y),
                    float2, KBUILD_CPU_GROUP(__along_x.x, __along_x.y),
                    KBUILD_CPU_GROUP(__along_y.x, __along_y.y))
KBUILD_CPU_TEXTURES(tex2DLayered, (float __x, float __y, int __layer), (__x, __y, __layer), __layer,
                    KBUILD_CPU_GROUP(__x, __y), float2, KBUILD_CPU_GROUP(__along_x.x, __along_x.y),
                    KBUILD_CPU_GROUP(__along_y.x, __along_y.y))
KBUILD_CPU_TEXTURES(tex3D, (float __x, float __y, float __z), (__x, __y, __z), 0,
                    KBUILD_CPU_GROUP(__x, __y, __z), float4,
                    KBUILD_CPU_GROUP(__along_x.x, __along_x.y, __along_x.z),
                    KBUILD_CPU_GROUP(__along_y.x, __along_y.y, __along_y.z))
KBUILD_CPU_TEXTURES(texCubemap, (float __x, float __y, float __z), (__x, __y, __z), 0,
                    KBUILD_CPU_GROUP(__x, __y, __z), float4,
                    KBUILD_CPU_GROUP(__along_x.x, __along_x.y, __along_x.z),
                    KBUILD_CPU_GROUP(__along_y.x, __along_y.y, __along_y.z))
KBUILD_CPU_TEXTURES(texCubemapLayered, (float __x, float __y, float __z, int __layer),
                    (__x, __y, __z, __layer), __layer, KBUILD_CPU_GROUP(__x, __y, __z), float4,
                    KBUILD_CPU_GROUP(__along_x.x, __along_x.y, __along_x.z),
                    KBUILD_CPU_GROUP(__along_y.x, __along_y.y, __along_y.z))
KBUILD_CPU_TEXTURE(tex1Dfetch, (int __index), (__index),
                   {KBUILD_CPU_TEXTURE_FETCH, __index, 0, 0, {}, {}, {}})
KBUILD_CPU_TEXTURE(tex2Dgather, (float __x, float __y, int __component = 0),
                   (__x, __y, __component),
                   {KBUILD_CPU_TEXTURE_GATHER, __component, 0, 0, {__x, __y}, {}, {}})

#undef KBUILD_CPU_GROUP
#undef KBUILD_CPU_TEXTURES
#undef KBUILD_CPU_LIST
#undef KBUILD_CPU_TEXTURE

#endif
