// Test code: what was registered, each piece judged when it comes.
#ifndef RECORDING_HIP_REGISTRY_HPP
#define RECORDING_HIP_REGISTRY_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "elf_image.hpp"

namespace recording {

// A code object of a bundle.
struct CodeObject {
    std::string arch;
    const unsigned char* data;
    std::size_t size;
    ElfImage elf;
};

// What the runtime's handle of a fat binary points to.
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

// What each registration function does, and returns or throws out of the program.
void** register_container(const void* wrapper, const void* caller);
void register_kernel(void** container, const void* handle, const std::string& name);
void register_variable(void** container, const void* shadow, const std::string& name,
                       std::size_t size, bool is_constant);
void register_managed(void** container, void** pointer, const void* initial,
                      const std::string& name, std::size_t size, unsigned alignment);
void unregister_container(void** container);

// Null where there is no such kernel or variable.
const Kernel* find_kernel(const void* handle);
Variable* find_variable(const void* shadow);

// The image of the container for the device that this library claims to be; null without one.
const CodeObject* choose_image(const Container& container);

// That device: gfx90a, or what KBUILD_HIP_RECORDING_ARCH says.
std::string device_arch();

}  // namespace recording

#endif
