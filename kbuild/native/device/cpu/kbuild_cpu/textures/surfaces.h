/* Surface functions: loads and stores at a byte of a row, without conversions. */
#ifndef KBUILD_CPU_SURFACES_H
#define KBUILD_CPU_SURFACES_H

#include <kbuild/detail/cpu_textures.h>

#include "../integers.h"
#include "../qualifiers.h"
#include "types.h"

#include <string.h>

#pragma GCC system_header

namespace kbuild_cpu {

/* Returns the address of an element.  Outside of the surface, it is null, the nearest element's, or
 * the end of the launch, as the mode says. */
__device__ inline void *surface_element(cudaSurfaceObject_t __object, long __x, long __y, long __z,
                                        long __bytes, cudaSurfaceBoundaryMode __mode) {
    const auto *__surface = reinterpret_cast<const kbuild_cpu_surface *>(__object);
    const long __last_x = static_cast<long>(__surface->row_bytes) - __bytes;
    const long __last_y = static_cast<long>(__surface->height) - 1;
    const long __last_z = static_cast<long>(__surface->depth) - 1;
    if (__x < 0 || __y < 0 || __z < 0 || __x > __last_x || __y > __last_y || __z > __last_z) {
        if (__mode == cudaBoundaryModeTrap)
            kbuild_cpu_api->trap(kbuild_cpu_runner, KBUILD_CPU_ILLEGAL_ADDRESS);
        if (__mode == cudaBoundaryModeZero) return nullptr;
        const auto __clamp = [](long __value, long __last) {
            return __value < 0 ? 0 : __value > __last ? __last : __value;
        };
        __x = __clamp(__x, __last_x);
        __y = __clamp(__y, __last_y);
        __z = __clamp(__z, __last_z);
    }
    return __surface->data +
           (__z * (__last_y + 1) + __y) * static_cast<long>(__surface->row_bytes) + __x;
}

}  // namespace kbuild_cpu

/* `place` is the coordinates of the surface's row. */
#define KBUILD_CPU_SURFACE(name, parameters, arguments, place) \
    template <class __T> \
    __device__ inline __T name##read(cudaSurfaceObject_t __surface, KBUILD_CPU_LIST parameters, \
                                     cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) { \
        __T __value{}; \
        if (const void *__element = kbuild_cpu::surface_element(__surface, KBUILD_CPU_LIST place, \
                                                                sizeof(__T), __mode)) \
            memcpy(&__value, __element, sizeof __value); \
        return __value; \
    } \
    template <class __T> \
    __device__ inline void name##read(__T *__value, cudaSurfaceObject_t __surface, \
                                      KBUILD_CPU_LIST parameters, \
                                      cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) { \
        *__value = name##read<__T>(__surface, KBUILD_CPU_LIST arguments, __mode); \
    } \
    template <class __T> \
    __device__ inline void name##write(__T __value, cudaSurfaceObject_t __surface, \
                                       KBUILD_CPU_LIST parameters, \
                                       cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) { \
        if (void *__element = kbuild_cpu::surface_element(__surface, KBUILD_CPU_LIST place, \
                                                          sizeof(__T), __mode)) \
            memcpy(__element, &__value, sizeof __value); \
    }
#define KBUILD_CPU_LIST(...) __VA_ARGS__

KBUILD_CPU_SURFACE(surf1D, (int __x), (__x), (__x, 0, 0))
KBUILD_CPU_SURFACE(surf2D, (int __x, int __y), (__x, __y), (__x, __y, 0))
KBUILD_CPU_SURFACE(surf3D, (int __x, int __y, int __z), (__x, __y, __z), (__x, __y, __z))
KBUILD_CPU_SURFACE(surf1DLayered, (int __x, int __layer), (__x, __layer), (__x, 0, __layer))
KBUILD_CPU_SURFACE(surf2DLayered, (int __x, int __y, int __layer), (__x, __y, __layer),
                   (__x, __y, __layer))
KBUILD_CPU_SURFACE(surfCubemap, (int __x, int __y, int __face), (__x, __y, __face),
                   (__x, __y, __face))
KBUILD_CPU_SURFACE(surfCubemapLayered, (int __x, int __y, int __layer_face),
                   (__x, __y, __layer_face), (__x, __y, __layer_face))

#undef KBUILD_CPU_LIST
#undef KBUILD_CPU_SURFACE

#endif
