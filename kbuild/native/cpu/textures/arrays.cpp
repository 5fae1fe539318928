#include "textures/arrays.hpp"

#include "api/exported.hpp"

#include "api/errors.hpp"
#include "textures/objects.hpp"

namespace kbuild::cpu {
namespace {

constexpr unsigned supported_flags =
    cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
constexpr std::size_t faces_of_cube = 6;

void check_shape(const kbuild_cpu_array& array) {
    if ((array.flags & ~supported_flags) != 0)
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      "the cpu backend does not support sparse arrays, deferred mapping, or color "
                      "attachments");
    require(array.width != 0, "the width of the array is 0");
    const bool is_layered = (array.flags & cudaArrayLayered) != 0;
    require(array.depth == 0 || array.height != 0 || is_layered,
            "an array with a depth needs a height or layers");
    require(array.depth != 0 || !is_layered, "a layered array needs a number of layers");
    if ((array.flags & cudaArrayCubemap) == 0) return;
    require(array.width == array.height, "the faces of a cubemap must be squares");
    require(is_layered ? array.depth % faces_of_cube == 0 : array.depth == faces_of_cube,
            "the depth of a cubemap must be 6, and 6 for each layer of a layered one");
}

std::size_t count_bytes(const Array& array) {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(array.description.width, array.format.bytes(), &bytes) ||
        __builtin_mul_overflow(bytes, array.height(), &bytes) ||
        __builtin_mul_overflow(bytes, array.depth(), &bytes))
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the size of the array is too large");
    return bytes;
}

Array* allocate_array(const kbuild_cpu_array& description, bool belongs_to_mipmap) {
    const auto& bits = description.channel_bits;
    auto array = std::make_unique<Array>();
    array->description = description;
    array->format = read_format(
        {bits[0], bits[1], bits[2], bits[3], static_cast<cudaChannelFormatKind>(description.kind)});
    array->belongs_to_mipmap = belongs_to_mipmap;
    check_shape(description);
    void* data = nullptr;
    if (kbuild_cpu_allocate(&data, count_bytes(*array)) != KBUILD_CPU_SUCCESS)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, error_message(KBUILD_CPU_OUT_OF_MEMORY));
    array->data = static_cast<char*>(data);
    return Objects<Array>::instance().add(std::move(array));
}

void release_array(const void* handle) {
    kbuild_cpu_release(Objects<Array>::instance().remove(handle)->data);
}

std::size_t shrink(std::size_t size, unsigned level) {
    return size == 0 ? 0 : std::max<std::size_t>(size >> level, 1);
}

}  // namespace

Array* create_array(const kbuild_cpu_array& description) {
    return allocate_array(description, false);
}

void destroy_array(const void* array) {
    if (array == nullptr) return;
    require(!Objects<Array>::instance().find(array).belongs_to_mipmap,
            "the array is a level of a mipmapped array, which must be freed instead");
    release_array(array);
}

MipmappedArray* create_mipmapped_array(const kbuild_cpu_array& description) {
    const bool has_slices = (description.flags & (cudaArrayLayered | cudaArrayCubemap)) != 0;
    auto greatest = std::max(description.width, description.height);
    if (!has_slices) greatest = std::max(greatest, description.depth);
    unsigned most_levels = 1;
    while (greatest >> most_levels != 0) ++most_levels;
    const auto count = std::clamp(description.levels, 1u, most_levels);
    auto mipmap = std::make_unique<MipmappedArray>();
    for (unsigned i = 0; i < count; ++i) {
        auto level = description;
        level.width = shrink(description.width, i);
        level.height = shrink(description.height, i);
        if (!has_slices) level.depth = shrink(description.depth, i);
        level.levels = 1;
        mipmap->levels.push_back(allocate_array(level, true));
    }
    return Objects<MipmappedArray>::instance().add(std::move(mipmap));
}

void destroy_mipmapped_array(const void* array) {
    if (array == nullptr) return;
    const auto mipmap = Objects<MipmappedArray>::instance().remove(array);
    for (const auto* level : mipmap->levels) release_array(level);
}

}  // namespace kbuild::cpu
