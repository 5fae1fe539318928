// Loads NVIDIA's library.
#include "curand/numbers.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace kbuild::mathlibs {
namespace {

void* load() {
    void* const library = dlopen(MATHLIBS_CURAND, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) log_message("cuRAND", dlerror());
    return library;
}

}  // namespace

void log_message(const char* function, const char* message) {
    std::fprintf(stderr, "[curand] %s: %s\n", function, message);
}

void* find_function(const char* name) {
    static void* const library = load();
    if (library == nullptr) return nullptr;
    void* const function = dlsym(library, name);
    if (function == nullptr) log_message(name, "the installed cuRAND does not have this function");
    return function;
}

}  // namespace kbuild::mathlibs
