// Launches the kernels of a module that it opens, through the module's own descriptor.
#include <kbuild/module.h>

#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#if defined(HAS_STUBS_ON)
constexpr const char* descriptor = "kbuild_module_MODULE_ON";
constexpr bool has_stubs = true;
#elif defined(HAS_STUBS_OFF)
constexpr const char* descriptor = "kbuild_module_MODULE_OFF";
constexpr bool has_stubs = false;
#endif

int main() {
    void* library = dlopen(MODULE, RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::fprintf(stderr, "%s\n", dlerror()), 1;
    const auto* module = static_cast<const kbuild_module*>(dlsym(library, descriptor));
    if (!module || module->kernel_count != 4) return std::fprintf(stderr, "descriptor\n"), 1;
    int launched = 0;
    for (std::uint64_t i = 0; i < module->kernel_count; ++i) {
        const auto& kernel = module->kernels[i];
        if (dlsym(library, kernel.device_name) != kernel.handle) return 2;
        const bool adds = std::strstr(kernel.device_name, "add") != nullptr;
        // The handles of instances are code.
        const void* content = *static_cast<void* const*>(kernel.handle);
        if (!adds && (content != nullptr) != has_stubs) return 3;
        kbuild_launch_config config = {};
        config.grid = config.block = {1, 1, 1};
        int value = 5, result = 100, *to = &result;
        void* arguments[] = {&to, &value};
        const int error = module->runtime->launch(kernel.handle, &config, arguments);
        if (error) return std::fprintf(stderr, "%s\n", module->runtime->error_message(error)), 4;
        if (result != (adds ? 105 : 5)) return 5;
        ++launched;
    }
    if (dlclose(library) != 0 || launched != 4) return 6;
    std::puts("all right");
}
