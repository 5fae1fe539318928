/* What texture and surface objects of the CPU backend point to.  Part of the image ABI; see
 * kbuild/cpu_image.h. */
#ifndef KBUILD_DETAIL_CPU_TEXTURES_H
#define KBUILD_DETAIL_CPU_TEXTURES_H

#include <kbuild/detail/integers.h>
#include <stddef.h>

enum kbuild_cpu_texture_operation {
    KBUILD_CPU_TEXTURE_FETCH = 0,    /* the texel with number `integer` */
    KBUILD_CPU_TEXTURE_SAMPLE = 1,   /* at level 0 */
    KBUILD_CPU_TEXTURE_LEVEL = 2,    /* at `level` */
    KBUILD_CPU_TEXTURE_GRADIENT = 3, /* at the level that `along_x` and `along_y` determine */
    KBUILD_CPU_TEXTURE_GATHER = 4    /* component `integer` of four texels */
};

struct kbuild_cpu_texture_request {
    kbuild_uint32 operation; /* enum kbuild_cpu_texture_operation */
    kbuild_int32 integer;
    kbuild_int32 layer;
    float level;
    float position[3];
    float along_x[3];
    float along_y[3];
};

/* A texture object is the address of this structure, which brings the code that reads it. */
struct kbuild_cpu_texture {
    /* Writes four channels: the bits of float numbers, or integers of 32 bits. */
    void (*read)(const struct kbuild_cpu_texture *__texture,
                 const struct kbuild_cpu_texture_request *__request, kbuild_uint32 *__channels);
};

/* A surface object is the address of this structure: rows without gaps, in `depth` slices, layers,
 * or faces of `height` rows. */
struct kbuild_cpu_surface {
    char *data;
    kbuild_uint64 row_bytes;
    kbuild_uint64 height;
    kbuild_uint64 depth;
};

#endif
