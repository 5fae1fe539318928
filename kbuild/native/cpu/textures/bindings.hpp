// Creates texture and surface objects from the vendor's descriptions.
#ifndef KBUILD_CPU_TEXTURES_BINDINGS_HPP
#define KBUILD_CPU_TEXTURES_BINDINGS_HPP

#include "textures/sampler.hpp"

namespace kbuild::cpu {

struct Surface {
    static constexpr const char* what = "surface object";

    kbuild_cpu_surface object;  // the first member, so that its address is the surface's
    cudaResourceDesc resource;
};

// Both throw Failure. Objects<Texture> and Objects<Surface> have what exists.
Texture* create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& sampling);
Surface* create_surface(const cudaResourceDesc& resource);

}  // namespace kbuild::cpu

#endif
