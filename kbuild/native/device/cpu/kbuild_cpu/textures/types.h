/* What device code and host code know of textures and surfaces.  The rest is in
 * ../host/texture_types.h, because members of its structures have names that projects define as
 * macros. */
#ifndef KBUILD_CPU_TEXTURE_TYPES_H
#define KBUILD_CPU_TEXTURE_TYPES_H

#pragma GCC system_header

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2
};

#endif
