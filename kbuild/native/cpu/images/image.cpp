#include "images/image.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "launches/runner.hpp"
#include "loader.hpp"

#include <dlfcn.h>
#include <link.h>

namespace kbuild::cpu {
namespace {

std::string last_loader_error() {
    const char* text = dlerror();
    return text == nullptr ? "unknown loader error" : text;
}

// dl_iterate_phdr reports the program first. A program without an interpreter was linked with
// -static.
int is_dynamic(dl_phdr_info* program, std::size_t, void* answer) {
    for (int index = 0; index < program->dlpi_phnum; ++index)
        if (program->dlpi_phdr[index].p_type == PT_INTERP) *static_cast<bool*>(answer) = true;
    return 1;
}

// In a static program, dlopen loads a second C library for the image, and thread-local storage does
// not work across the two.
void refuse_static_program() {
    bool can_load = false;
    dl_iterate_phdr(is_dynamic, &can_load);
    if (!can_load)
        throw Failure(KBUILD_CPU_INVALID_IMAGE,
                      "a program that is linked with -static cannot load device images; link it "
                      "without -static, which RUNTIME static does not need");
}

}  // namespace

bool is_loaded(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == nullptr) return false;
    dlclose(library);
    return true;
}

Image::Image(const std::string& path) {
    refuse_static_program();
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
        throw Failure(KBUILD_CPU_INVALID_IMAGE,
                      "cannot load the device image: " + last_loader_error());
    table_ = static_cast<const kbuild_cpu_image*>(dlsym(library_, "kbuild_cpu_image"));
    if (table_ == nullptr || table_->abi != KBUILD_CPU_IMAGE_ABI) {
        const auto problem = table_ == nullptr
                                 ? std::string(" does not export kbuild_cpu_image")
                                 : " has image ABI version " + std::to_string(table_->abi) +
                                       ", but this runtime supports " +
                                       std::to_string(KBUILD_CPU_IMAGE_ABI);
        dlclose(library_);
        throw Failure(KBUILD_CPU_INVALID_IMAGE, "the device image " + path + problem);
    }
    base_ = reinterpret_cast<const void*>(find_object(table_).base);
    storage_ = find_storage(*table_);
    if (table_->is_instrumented == 0) {
        table_->attach(&BlockRunner::device_api);
        return;
    }
    checks::start();
    checks::Checker::instance().add_image(path, *table_, base_, storage_);
    table_->attach(&checks::instrumented_api());
}

Image::~Image() { dlclose(library_); }

const kbuild_cpu_kernel* Image::find(std::string_view name) const noexcept {
    for (std::uint32_t i = 0; i < table_->kernel_count; ++i)
        if (name == table_->kernels[i].name) return &table_->kernels[i];
    return nullptr;
}

const kbuild_cpu_variable* Image::find_variable(std::string_view name) const noexcept {
    for (std::uint64_t i = 0; i < table_->variable_count; ++i)
        if (name == table_->variables[i].name) return &table_->variables[i];
    return nullptr;
}

}  // namespace kbuild::cpu
