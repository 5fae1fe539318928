#include "textures/bindings.hpp"

#include "memory/allocations.hpp"
#include "registry.hpp"
#include "textures/arrays.hpp"
#include "textures/objects.hpp"

namespace kbuild::cpu {
namespace {

// What the device properties promise.
constexpr std::uintptr_t texture_alignment = 512;
constexpr std::size_t pitch_alignment = 32;

Level make_level(const Array& array) {
    return {array.data,
            array.row_bytes(),
            {static_cast<long>(array.description.width), static_cast<long>(array.height()),
             static_cast<long>(array.depth())}};
}

void use_array(Texture& texture, const Array& array) {
    texture.format = array.format;
    texture.is_cubemap = array.has(cudaArrayCubemap);
    texture.is_layered = array.has(cudaArrayLayered);
    const bool has_slices = texture.is_cubemap || texture.is_layered;
    texture.dimensions = array.description.height == 0                ? 1
                         : array.description.depth == 0 || has_slices ? 2
                                                                      : 3;
    texture.levels.push_back(make_level(array));
}

// Checks memory that is not an array against the allocation that contains it.
void check_memory(const void* memory, std::size_t bytes) {
    require(memory != nullptr, "the memory of the texture is a null pointer");
    require(reinterpret_cast<std::uintptr_t>(memory) % texture_alignment == 0,
            "the memory of a texture must be aligned to 512 bytes");
    const auto found = Allocations::instance().find(memory);
    require(found.base != nullptr || Registry::instance().has_variable_at(memory),
            "the memory of the texture is not memory of the device");
    if (found.base == nullptr) return;
    const auto offset = static_cast<std::size_t>(static_cast<const char*>(memory) -
                                                 static_cast<const char*>(found.base));
    require(bytes <= found.bytes - offset, "the texture is larger than its memory");
}

void use_linear(Texture& texture) {
    const auto& linear = texture.resource.res.linear;
    texture.format = read_format(linear.desc);
    texture.dimensions = 1;
    check_memory(linear.devPtr, linear.sizeInBytes);
    const auto width = linear.sizeInBytes / texture.format.bytes();
    texture.levels.push_back({static_cast<const char*>(linear.devPtr),
                              linear.sizeInBytes,
                              {static_cast<long>(width), 1, 1}});
}

void use_pitched(Texture& texture) {
    const auto& pitched = texture.resource.res.pitch2D;
    texture.format = read_format(pitched.desc);
    texture.dimensions = 2;
    require(pitched.width != 0 && pitched.height != 0, "the texture has no elements");
    const auto row_bytes = pitched.width * texture.format.bytes();
    require(pitched.pitchInBytes % pitch_alignment == 0 && pitched.pitchInBytes >= row_bytes,
            "the pitch of the texture must be a multiple of 32 bytes, and not smaller than a row");
    check_memory(pitched.devPtr, (pitched.height - 1) * pitched.pitchInBytes + row_bytes);
    texture.levels.push_back(
        {static_cast<const char*>(pitched.devPtr),
         pitched.pitchInBytes,
         {static_cast<long>(pitched.width), static_cast<long>(pitched.height), 1}});
}

void use_resource(Texture& texture) {
    const auto& resource = texture.resource;
    switch (resource.resType) {
    case cudaResourceTypeArray:
        return use_array(texture, Objects<Array>::instance().find(resource.res.array.array));
    case cudaResourceTypeMipmappedArray:
        for (const auto* level :
             Objects<MipmappedArray>::instance().find(resource.res.mipmap.mipmap).levels)
            use_array(texture, *level);
        return;
    case cudaResourceTypeLinear: return use_linear(texture);
    case cudaResourceTypePitch2D: return use_pitched(texture);
    }
    throw Failure(KBUILD_CPU_INVALID_VALUE, "unknown type of resource");
}

void check_sampling(const Texture& texture) {
    const auto& sampling = texture.sampling;
    if (sampling.readMode == cudaReadModeNormalizedFloat && texture.format.bits == 32 &&
        texture.format.kind != Format::Kind::floating_point)
        throw Failure(KBUILD_CPU_INVALID_NORMALIZATION,
                      "integers of 32 bits cannot be read as normalized numbers");
    if (sampling.filterMode == cudaFilterModeLinear && !texture.reads_floats())
        throw Failure(KBUILD_CPU_INVALID_FILTER,
                      "linear filtering needs elements that are read as floating-point numbers");
    require(texture.levels.size() == 1 || texture.is_normalized,
            "a texture with several levels needs normalized coordinates");
    if (texture.is_cubemap && sampling.seamlessCubemap != 0 &&
        sampling.filterMode == cudaFilterModeLinear)
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      "the cpu backend does not support linear filtering across the edges of a "
                      "cubemap (seamlessCubemap)");
}

}  // namespace

Texture* create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& sampling) {
    auto texture = std::make_unique<Texture>();
    texture->object.read = read_texture;
    texture->resource = resource;
    texture->sampling = sampling;
    use_resource(*texture);
    texture->is_normalized = sampling.normalizedCoords != 0 || texture->is_cubemap;
    check_sampling(*texture);
    return Objects<Texture>::instance().add(std::move(texture));
}

Surface* create_surface(const cudaResourceDesc& resource) {
    require(resource.resType == cudaResourceTypeArray, "a surface needs an array");
    const auto& array = Objects<Array>::instance().find(resource.res.array.array);
    auto surface = std::make_unique<Surface>();
    surface->object = {array.data, array.row_bytes(), array.height(), array.depth()};
    surface->resource = resource;
    return Objects<Surface>::instance().add(std::move(surface));
}

}  // namespace kbuild::cpu
