// Which device image architectures this machine runs.
#ifndef KBUILD_CPU_IMAGES_MACHINE_HPP
#define KBUILD_CPU_IMAGES_MACHINE_HPP

#include <string_view>
#include <vector>

namespace kbuild::cpu {

// Best first. The environment variable KBUILD_CPU_ARCH lowers the best one, so that every
// image of an artifact can be tested on one machine; a value that this machine does not
// run throws Failure(KBUILD_CPU_INVALID_VALUE).
std::vector<std::string_view> runnable_architectures();

}  // namespace kbuild::cpu

#endif
