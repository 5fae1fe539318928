// A device image, loaded into this process.
#ifndef KBUILD_CPU_IMAGES_IMAGE_HPP
#define KBUILD_CPU_IMAGES_IMAGE_HPP

#include <kbuild/cpu_image.h>

#include <string>
#include <string_view>

namespace kbuild::cpu {

// Is a file loaded already, by whomever? Loading it again would share its variables.
bool is_loaded(const std::string& path);

class Image {
public:
    // Throws Failure if the file cannot be loaded or is not a device image.
    explicit Image(const std::string& path);
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;

    const kbuild_cpu_image& table() const noexcept { return *table_; }

    // The kernel of that name, or null.
    const kbuild_cpu_kernel* find(std::string_view name) const noexcept;

    // The variable of that name, or null.
    const kbuild_cpu_variable* find_variable(std::string_view name) const noexcept;

private:
    void* library_;
    const kbuild_cpu_image* table_;
};

}  // namespace kbuild::cpu

#endif
