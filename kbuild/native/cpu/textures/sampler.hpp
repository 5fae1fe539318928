// Reads texture objects as a GPU's texture units do. Source: the chapter on texture fetching of the
// CUDA C++ programming guide.
#ifndef KBUILD_CPU_TEXTURES_SAMPLER_HPP
#define KBUILD_CPU_TEXTURES_SAMPLER_HPP

#include "textures/format.hpp"

#include <kbuild/detail/cpu_textures.h>

#include <cstdint>
#include <vector>

namespace kbuild::cpu {

// The elements of one level. `size` counts at least one element in each dimension.
struct Level {
    const char* data;
    std::size_t pitch;
    long size[3];
};

struct Texture {
    static constexpr const char* what = "texture object";

    kbuild_cpu_texture object;  // the first member, so that its address is the texture's
    cudaResourceDesc resource;
    cudaTextureDesc sampling;
    Format format;
    unsigned dimensions;  // 1, 2, or 3 that have coordinates; a cubemap has 2
    bool is_cubemap;
    bool is_layered;
    bool is_normalized;  // its coordinates
    std::vector<Level> levels;

    // Whether results are floating-point numbers, which can be filtered.
    bool reads_floats() const {
        return format.kind == Format::Kind::floating_point || reads_normalized();
    }
    bool reads_normalized() const {
        return format.is_normalized || (sampling.readMode == cudaReadModeNormalizedFloat &&
                                        format.kind != Format::Kind::floating_point);
    }
};

// Has the signature of kbuild_cpu_texture::read.
void read_texture(const kbuild_cpu_texture* object, const kbuild_cpu_texture_request* request,
                  std::uint32_t* channels);

}  // namespace kbuild::cpu

#endif
