// How many bytes an image in memory has, which programs of the driver API do not say.
#ifndef KBUILD_CPU_IMAGES_EXTENT_HPP
#define KBUILD_CPU_IMAGES_EXTENT_HPP

#include <cstddef>
#include <string_view>

namespace kbuild::cpu {

// Returns the part of the bytes that a container or an image has. Throws Failure if they are neither, or
// code of a GPU. Reads no more than the first bytes say that there are.
std::string_view measure_image(const void* image, std::size_t most_bytes);

}  // namespace kbuild::cpu

#endif
