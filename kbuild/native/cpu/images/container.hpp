// A container's best image for this machine, loaded.
#ifndef KBUILD_CPU_IMAGES_CONTAINER_HPP
#define KBUILD_CPU_IMAGES_CONTAINER_HPP

#include "images/file_name.hpp"
#include "images/image.hpp"

#include <kbuild/module.h>

#include <memory>

namespace kbuild::cpu {

struct LoadedContainer {
    std::unique_ptr<ReservedFileName> file_name;
    std::unique_ptr<Image> image;  // after the name, so that it is unloaded before
};

// Throws Failure; the kernel's name is for its text.
LoadedContainer load_container(const kbuild_container& container, const char* kernel);

}  // namespace kbuild::cpu

#endif
