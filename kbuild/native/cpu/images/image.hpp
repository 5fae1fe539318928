// A device image that is loaded into this process.
#ifndef KBUILD_CPU_IMAGES_IMAGE_HPP
#define KBUILD_CPU_IMAGES_IMAGE_HPP

#include "launches/shared_memory.hpp"

#include <kbuild/cpu_image.h>

#include <string>
#include <string_view>

namespace kbuild::cpu {

// Returns whether any code has loaded the file. Loading it again would share its variables.
bool is_loaded(const std::string& path);

class Image {
public:
    // Throws Failure if the file cannot be loaded or is not a device image.
    explicit Image(const std::string& path);
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    const kbuild_cpu_image& table() const noexcept { return *table_; }

    // The address at which the file is loaded.
    const void* base() const noexcept { return base_; }

    // The thread-local storage of the image.
    const StorageLayout& storage() const noexcept { return storage_; }

    // Returns the kernel with this name, or null.
    const kbuild_cpu_kernel* find(std::string_view name) const noexcept;

    // Returns the variable with this name, or null.
    const kbuild_cpu_variable* find_variable(std::string_view name) const noexcept;

private:
    void* library_;
    const kbuild_cpu_image* table_;
    const void* base_ = nullptr;
    StorageLayout storage_;
};

}  // namespace kbuild::cpu

#endif
