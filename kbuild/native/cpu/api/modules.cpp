// Modules and device variables.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "api/linker.hpp"
#include "checks/checker.hpp"
#include "images/module.hpp"
#include "images/program_image.hpp"
#include "registry.hpp"
#include "streams/transfers.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace {

using namespace kbuild::cpu;

// Returns the address in a device variable at which a copy starts. Throws Failure if the copy does
// not fit.
char* address_in(const void* symbol, std::size_t bytes, std::size_t offset) {
    const auto& variable = Registry::instance().locate(symbol);
    if (offset > variable.size || bytes > variable.size - offset) {
        const auto problem = "a copy of " + std::to_string(bytes) + " bytes at offset " +
                             std::to_string(offset) + " does not fit in variable " + variable.name +
                             ", which has " + std::to_string(variable.size) + " bytes";
        if (auto* const checker = checks::Checker::find())
            checker->report_invalid_copy(problem, variable.address);
        throw Failure(KBUILD_CPU_INVALID_VALUE, problem);
    }
    return static_cast<char*>(variable.address) + offset;
}

// See `error_message` in kbuild/module.h.
const char* explain_error(int code) {
    kbuild_cpu_take_error();
    return kbuild_cpu_error_message(code);
}

constexpr kbuild_runtime runtime = {
    kbuild_cpu_device_count, kbuild_cpu_resolve, kbuild_cpu_launch,      kbuild_cpu_allocate,
    kbuild_cpu_release,      kbuild_cpu_copy,    kbuild_cpu_synchronize, explain_error,
};

kbuild_cpu_area_copy make_row_copy(void* destination, const void* source, std::size_t bytes) {
    return {{destination, bytes, 1}, {const_cast<void*>(source), bytes, 1}, bytes, 1, 1,
            KBUILD_CPU_COPY_DEFAULT};
}

void copy_to(const void* symbol, const void* source, std::size_t bytes, std::size_t offset,
             void* stream, bool is_awaited) {
    auto* const destination = address_in(symbol, bytes, offset);
    require(source != nullptr || bytes == 0, "the source of the copy is a null pointer");
    submit_checked_copy(make_row_copy(destination, source, bytes), stream, is_awaited);
}

void copy_from(void* destination, const void* symbol, std::size_t bytes, std::size_t offset,
               void* stream, bool is_awaited) {
    const auto* const source = address_in(symbol, bytes, offset);
    require(destination != nullptr || bytes == 0, "the destination of the copy is a null pointer");
    submit_checked_copy(make_row_copy(destination, source, bytes), stream, is_awaited);
}

const kbuild_module* load_module(std::string_view images) {
    auto loaded = std::make_unique<ImageModule>(images, runtime);
    Registry::instance().add(*loaded);
    return loaded.release();
}

// Loads an image of a program. If it is relocatable, it is linked alone, as a driver links PTX.
const kbuild_module* load_program_image(const void* image, std::size_t most_bytes) {
    const auto content = copy_program_image(image, most_bytes);
    return load_module(is_relocatable(content) ? link_images({{content, "image", false}})
                                               : content);
}

// Programs of the driver API print names of errors only.
int explain_image(int code) {
    if (code == KBUILD_CPU_INVALID_PTX || code == KBUILD_CPU_NO_IMAGE_FOR_MACHINE ||
        code == KBUILD_CPU_INVALID_IMAGE || code == KBUILD_CPU_NOT_SUPPORTED)
        std::fprintf(stderr, "kbuild: %s\n", error_message(code));
    return code;
}

}  // namespace

int kbuild_cpu_load_images(const kbuild_module** module, const void* images, std::size_t bytes) {
    return guarded([&] {
        require(module != nullptr, "the address for the result is a null pointer");
        require(images != nullptr, "the images are a null pointer");
        *module = load_module({static_cast<const char*>(images), bytes});
    });
}

int kbuild_cpu_load_image(const kbuild_module** module, const void* image) {
    return explain_image(guarded([&] {
        require(module != nullptr, "the address for the result is a null pointer");
        *module = load_program_image(image, unknown_size);
    }));
}

int kbuild_cpu_load_image_file(const kbuild_module** module, const char* path) {
    return explain_image(guarded([&] {
        require(module != nullptr, "the address for the result is a null pointer");
        const auto content = read_program_file(path);
        *module = load_program_image(content.data(), content.size());
    }));
}

int kbuild_cpu_find_kernel(const void** handle, const kbuild_module* module, const char* name) {
    return guarded([&] {
        require(handle != nullptr && module != nullptr && name != nullptr,
                "an argument is a null pointer");
        const auto* const end = module->kernels + module->kernel_count;
        const auto* const found = std::find_if(module->kernels, end, [&](const auto& kernel) {
            return std::strcmp(kernel.device_name, name) == 0;
        });
        if (found == end)
            throw Failure(KBUILD_CPU_KERNEL_NOT_FOUND,
                          std::string("the device image does not contain kernel ") + name);
        *handle = found->handle;
    });
}

int kbuild_cpu_find_variable(void** address, std::size_t* bytes, const kbuild_module* module,
                             const char* name) {
    return guarded([&] {
        require(module != nullptr && name != nullptr, "an argument is a null pointer");
        const auto variable = Registry::instance().locate(*module, name);
        if (address != nullptr) *address = variable.address;
        if (bytes != nullptr) *bytes = variable.size;
    });
}

int kbuild_cpu_find_module(const kbuild_module** module, const void* handle) {
    return guarded([&] {
        require(module != nullptr, "the address for the result is a null pointer");
        *module = Registry::instance().find_module(handle);
        if (*module == nullptr)
            throw Failure(KBUILD_CPU_INVALID_HANDLE, "there is no such function");
    });
}

void kbuild_cpu_unload_images(const kbuild_module* module) {
    guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        const std::unique_ptr<const ImageModule> loaded(static_cast<const ImageModule*>(module));
        Registry::instance().remove(*loaded);
    });
}

int kbuild_cpu_register(const kbuild_module* module) {
    return guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().add(*module);
    });
}

void kbuild_cpu_unregister(const kbuild_module* module) {
    guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().remove(*module);
    });
}

int kbuild_cpu_get_symbol_address(void** pointer, const void* symbol) {
    return guarded_use([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        *pointer = address_in(symbol, 0, 0);
    });
}

int kbuild_cpu_get_symbol_size(std::size_t* bytes, const void* symbol) {
    return guarded_use([&] {
        require(bytes != nullptr, "the address for the result is a null pointer");
        *bytes = Registry::instance().locate(symbol).size;
    });
}

int kbuild_cpu_copy_to_symbol(const void* symbol, const void* source, std::size_t bytes,
                              std::size_t offset) {
    return guarded_use([&] { copy_to(symbol, source, bytes, offset, nullptr, true); });
}

int kbuild_cpu_copy_from_symbol(void* destination, const void* symbol, std::size_t bytes,
                                std::size_t offset) {
    return guarded_use([&] { copy_from(destination, symbol, bytes, offset, nullptr, true); });
}

int kbuild_cpu_queue_copy_to_symbol(const void* symbol, const void* source, std::size_t bytes,
                                    std::size_t offset, void* stream) {
    return guarded_use([&] { copy_to(symbol, source, bytes, offset, stream, false); });
}

int kbuild_cpu_queue_copy_from_symbol(void* destination, const void* symbol, std::size_t bytes,
                                      std::size_t offset, void* stream) {
    return guarded_use([&] { copy_from(destination, symbol, bytes, offset, stream, false); });
}

int kbuild_cpu_initialize_managed(const kbuild_module* module, void (*initialize)()) {
    return guarded([&] {
        require(module != nullptr, "the module is a null pointer");
        Registry::instance().initialize_managed(*module, initialize);
    });
}
