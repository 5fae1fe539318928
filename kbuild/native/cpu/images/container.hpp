// Loads the best image in a container for this machine.
#ifndef KBUILD_CPU_IMAGES_CONTAINER_HPP
#define KBUILD_CPU_IMAGES_CONTAINER_HPP

#include "images/file_name.hpp"
#include "images/image.hpp"

#include <kbuild/module.h>

#include <memory>

namespace kbuild::cpu {

struct LoadedContainer {
    std::unique_ptr<ReservedFileName> file_name;
    std::unique_ptr<Image> image;  // declared after the name, so it is unloaded first
};

// Loads from a container, or a single image that was built for this machine. Throws Failure. The
// kernel's name is used only in the error message, and can be null.
LoadedContainer load_container(const kbuild_container& container, const char* kernel);

}  // namespace kbuild::cpu

#endif
