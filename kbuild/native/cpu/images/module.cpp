#include "images/module.hpp"

#include "api/errors.hpp"
#include "images/checksum.hpp"
#include "images/container.hpp"
#include "images/offload_binary.hpp"

#include <cstdint>

namespace kbuild::cpu {
namespace {

void check_images(std::string_view images) {
    if (images.substr(0, 1) == "\x7f") return check_image(images);
    for (const auto& image : read_offload_images(images)) check_image(image.bytes);
}

}  // namespace

// The image is unloaded again, because the registry loads its own when a kernel is first needed.
ImageModule::ImageModule(std::string_view images, const kbuild_runtime& own_runtime)
    : kbuild_module{}, images_(images), container_{images_.data(), images_.size(), nullptr} {
    check_images(images_);
    const auto loaded = load_container(container_, nullptr);
    const auto& table = loaded.image->table();
    for (std::uint64_t i = 0; i < table.variable_count; ++i)
        if (table.variables[i].kind == KBUILD_CPU_REFERENCE)
            throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                          std::string("the memory of managed variable ") + table.variables[i].name +
                              " is in its program; a device image that a program loads can have "
                              "__device__ variables");
    kernels_.reserve(table.kernel_count);
    for (std::uint32_t i = 0; i < table.kernel_count; ++i) {
        const auto& kernel = table.kernels[i];
        kernels_.push_back({kernel.name, {kernel.params, kernel.params + kernel.param_count}});
    }
    for (const auto& kernel : kernels_)
        rows_.push_back({static_cast<const void*>(&kernel.stub), kernel.name.c_str(),
                         kernel.params.data(), static_cast<std::uint32_t>(kernel.params.size()),
                         0});
    abi = KBUILD_MODULE_ABI;
    size = sizeof(kbuild_module);
    target = "images";
    backend = "cpu";
    record = "";
    kernels = rows_.data();
    kernel_count = rows_.size();
    containers = &container_;
    container_count = 1;
    runtime = &own_runtime;
}

}  // namespace kbuild::cpu
