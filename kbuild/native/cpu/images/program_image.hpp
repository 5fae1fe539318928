// The images that programs of the driver API load, which are what kbuild compiles for the CPU in the
// places of fat binaries, cubins, and PTX.
#ifndef KBUILD_CPU_IMAGES_PROGRAM_IMAGE_HPP
#define KBUILD_CPU_IMAGES_PROGRAM_IMAGE_HPP

#include <cstddef>
#include <string>
#include <string_view>

namespace kbuild::cpu {

// As many bytes as an image in memory says that it has, because programs do not say it.
constexpr std::size_t unknown_size = PTRDIFF_MAX;

// Returns a copy of a container or an image, also of one that is written as text, in the place of PTX.
// Throws Failure if the bytes are neither, or code of a GPU. Reads no more bytes than it needs to know how
// many there are, and none that the process cannot read.
std::string copy_program_image(const void* image, std::size_t most_bytes);

// Returns whether the content of `copy_program_image` needs a device link before it can be loaded.
bool is_relocatable(std::string_view content);

}  // namespace kbuild::cpu

#endif
