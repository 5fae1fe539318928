// Reads a container: a sequence of LLVM offload binaries (version 1) with one image each.
#ifndef KBUILD_CPU_IMAGES_OFFLOAD_BINARY_HPP
#define KBUILD_CPU_IMAGES_OFFLOAD_BINARY_HPP

#include <string_view>
#include <vector>

namespace kbuild::cpu {

// One device image. The views point into the container.
struct OffloadImage {
    std::string_view arch;
    std::string_view sha256;
    std::string_view bytes;
};

// Returns the container's images in file order. Throws Failure(KBUILD_CPU_INVALID_IMAGE) if an
// offset or size is invalid.
std::vector<OffloadImage> read_offload_images(std::string_view container);

}  // namespace kbuild::cpu

#endif
