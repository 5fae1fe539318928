// Test code: the registered entities, each of which is checked when it is registered.
#ifndef RECORDING_HIP_REGISTRY_HPP
#define RECORDING_HIP_REGISTRY_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "elf_image.hpp"

namespace recording {

// A code object in a bundle.
struct CodeObject {
    std::string arch;
    const unsigned char* data;
    std::size_t size;
    ElfImage elf;
};

// The data behind the runtime's handle of a fat binary.
struct Container {
    std::string file;
    std::vector<CodeObject> images;
    bool is_open = true;
};

struct Kernel {
    const void* handle;
    std::string name;
    const Container* container;
};

struct Variable {
    const void* shadow;
    std::string name;
    const Container* container;
    std::vector<unsigned char> memory;
};

// Implement the registration functions. Violations end the program.
void** register_container(const void* wrapper, const void* caller);
void register_kernel(void** container, const void* handle, const std::string& name);
void register_variable(void** container, const void* shadow, const std::string& name,
                       std::size_t size, bool is_constant);
void register_managed(void** container, void** pointer, const void* initial,
                      const std::string& name, std::size_t size, unsigned alignment);
void unregister_container(void** container);

// Return null if the kernel or variable does not exist.
const Kernel* find_kernel(const void* handle);
Variable* find_variable(const void* shadow);

// Returns the container's image for the simulated device, or null.
const CodeObject* choose_image(const Container& container);

// Returns the architecture of the simulated device: KBUILD_HIP_RECORDING_ARCH, or gfx90a.
std::string device_arch();

}  // namespace recording

#endif
