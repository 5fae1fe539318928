// The architectures of device images that this machine can run.
#ifndef KBUILD_CPU_IMAGES_MACHINE_HPP
#define KBUILD_CPU_IMAGES_MACHINE_HPP

#include <string_view>
#include <vector>

namespace kbuild::cpu {

// Returns the architectures, best first. The environment variable KBUILD_CPU_ARCH selects a lower
// one as the best, so that one machine can test every image of an artifact. Throws
// Failure(KBUILD_CPU_INVALID_VALUE) if this machine cannot run that architecture.
std::vector<std::string_view> runnable_architectures();

}  // namespace kbuild::cpu

#endif
