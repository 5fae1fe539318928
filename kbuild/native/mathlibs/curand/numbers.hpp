// NVIDIA's cuRAND, whose generators for hosts make the numbers. They need no GPU.
#ifndef KBUILD_MATHLIBS_CURAND_NUMBERS_HPP
#define KBUILD_MATHLIBS_CURAND_NUMBERS_HPP

#pragma GCC visibility push(default)
#include <library_types.h>

#include <curand.h>
#pragma GCC visibility pop

namespace kbuild::mathlibs {

// Writes a message about what this library does not do.
void log_message(const char* function, const char* message);

// Returns the function of NVIDIA's library, or null if it does not have it.
void* find_function(const char* name);

// Calls the function of NVIDIA's library.
template <class... Parameters, class... Arguments>
curandStatus_t call(curandStatus_t (* /*type*/)(Parameters...), const char* name,
                    Arguments... arguments) {
    const auto function = reinterpret_cast<curandStatus_t (*)(Parameters...)>(find_function(name));
    if (function == nullptr) return CURAND_STATUS_INITIALIZATION_FAILED;
    return function(arguments...);
}

}  // namespace kbuild::mathlibs

#define CALL_NVIDIA(function, ...) call(&function, #function, __VA_ARGS__)

#endif
