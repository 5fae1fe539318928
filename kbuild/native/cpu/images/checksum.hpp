// The checksum at the end of an image. The dynamic loader trusts a file, and crashes if it is damaged.
#ifndef KBUILD_CPU_IMAGES_CHECKSUM_HPP
#define KBUILD_CPU_IMAGES_CHECKSUM_HPP

#include <cstddef>
#include <string_view>

namespace kbuild::cpu {

// The bytes that kbuild appends to an image (kbuild/backends/cpu/container.py): this text, and the
// CRC-32 of what precedes it, as zlib computes it.
constexpr std::string_view checksum_magic = "KBUILDCK";
constexpr std::size_t checksum_bytes = checksum_magic.size() + 4;

// Throws Failure unless the image ends with its checksum.
void check_image(std::string_view image);

}  // namespace kbuild::cpu

#endif
