// The kernels of images that belong to no artifact, described as a stub unit would describe them.
#ifndef KBUILD_CPU_IMAGES_MODULE_HPP
#define KBUILD_CPU_IMAGES_MODULE_HPP

#include <kbuild/module.h>

#include <string>
#include <string_view>
#include <vector>

namespace kbuild::cpu {

// The descriptor is the base, so that programs can refer to a module by it.
class ImageModule : public kbuild_module {
public:
    // Reads a container or a single image, and keeps a copy of it. Throws Failure.
    ImageModule(std::string_view images, const kbuild_runtime& runtime);
    ImageModule(const ImageModule&) = delete;
    ImageModule& operator=(const ImageModule&) = delete;

private:
    struct Kernel {
        std::string name;
        std::vector<kbuild_param> params;
        const void* stub = nullptr;  // its address is the kernel's handle
    };

    std::string images_;
    kbuild_container container_;
    std::vector<Kernel> kernels_;
    std::vector<kbuild_kernel> rows_;
};

}  // namespace kbuild::cpu

#endif
