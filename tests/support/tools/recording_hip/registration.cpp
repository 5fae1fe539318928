// Test code: the registration functions of AMD's runtime, which only check and record their
// arguments.
//
// No header declares them. Their signatures are from HIP's hip_platform.cpp and clang's
// CGCUDANV.cpp.
#include <string>

#include "journal.hpp"
#include "registry.hpp"

using recording::require;

extern "C" {

void** __hipRegisterFatBinary(const void* wrapper) {
    return recording::register_container(wrapper, __builtin_return_address(0));
}

void __hipUnregisterFatBinary(void** container) { recording::unregister_container(container); }

void __hipRegisterFunction(void** container, const void* host, char* device, const char* name,
                           unsigned thread_limit, void* thread_index, void* block_index,
                           void* block_size, void* grid_size, int* wavefront_size) {
    require(device != nullptr && name != nullptr && std::string(device) == name,
            "a kernel with two names");
    require(thread_limit == ~0u, std::string(name) + ": a limit of threads");
    require(!thread_index && !block_index && !block_size && !grid_size && !wavefront_size,
            std::string(name) + ": registered with more than a name");
    recording::register_kernel(container, host, name);
}

void __hipRegisterVar(void** container, void* shadow, char* host, char* device, int is_extern,
                      std::size_t size, int is_constant, int is_global) {
    require(host != nullptr && device != nullptr && std::string(host) == device,
            "a variable with two names");
    require(is_extern == 0 && is_global == 0 && (is_constant == 0 || is_constant == 1),
            std::string(device) + ": flags that clang never sets");
    recording::register_variable(container, shadow, device, size, is_constant != 0);
}

void __hipRegisterManagedVar(void* container, void** pointer, void* initial, const char* name,
                             std::size_t size, unsigned alignment) {
    recording::register_managed(static_cast<void**>(container), pointer, initial, name, size, alignment);
}

}  // extern "C"
