// kbuild's host API in C++17: launches kernels and manages device memory.
//
//     KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
//     auto err = kbuild::launch(saxpy, {4, 256}, n, a, x, y);
//     if (err) std::fprintf(stderr, "%s\n", err.message());
//
// In device code, this header only defines KBUILD_KERNEL.
#ifndef KBUILD_KBUILD_HPP
#define KBUILD_KBUILD_HPP

#include <kbuild/kbuild.h>

#if !defined(KBUILD_DEVICE_CODE)

#if __cplusplus < 201703L
#error \
    "kbuild/kbuild.hpp requires C++17: add target_compile_features(<target> PRIVATE cxx_std_17), or include kbuild/kbuild.h"
#endif

#include <kbuild/detail/launch/config.hpp>
#include <kbuild/detail/launch/stub.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace kbuild {

template <class>
char* error::explain(int __code) {
    return copy(kbuild_error_message(__code));
}

template <class>
char* error::explain(int __code, const void* __kernel) {
    return copy(kbuild_launch_error_message(__kernel, __code));
}

namespace detail {

// Prevents deduction of the parameter type from the argument, so that arguments convert as in a
// call.
template <class __P>
struct parameter {
    static_assert(!std::is_reference_v<__P>, "a kernel cannot have reference parameters");
    using __type = __P;
};

template <class __T>
const void* address_of(__T& __variable) noexcept {
    return const_cast<const void*>(
        static_cast<const volatile void*>(__builtin_addressof(__variable)));
}

}  // namespace detail

// Launches a kernel. The arguments convert to the parameter types as in a function call.
//
// If the kernel was built with debug stubs, the launch goes through its stub, so that a stack trace
// shows the kernel's name and arguments. A launch with attributes that a stub cannot pass on
// (cluster, cooperative, programmatic dependent launch, priority) bypasses the stub.
//
// The function is always inlined, so that the configuration goes directly into the arguments of the
// runtime. docs/explanation/launch-cost.md has the instruction counts.
template <class... __P>
[[gnu::always_inline]] inline error launch(void (*__kernel)(__P...), const LaunchConfig& __config,
                                           typename detail::parameter<__P>::__type... __args) {
    const auto __c_config = detail::to_c(__config);
    const auto __handle = reinterpret_cast<const void*>(__kernel);
    void* __addresses[sizeof...(__P) + (sizeof...(__P) == 0)] = {
        static_cast<void*>(__builtin_addressof(__args))...};
    kbuild_error_t __code;
    if (__builtin_expect(kbuild_is_extended(&__c_config), 0)) {
        __code = kbuild_launch_extended(__handle, &__c_config, __addresses);
    } else if (!kbuild_launch_prepared(__handle, &__c_config, __addresses, &__code)) {
        const auto __stub = detail::stub_of(__kernel);
        if (__builtin_expect(!kbuild_has_stub(__handle), 1))
            __code = kbuild_launch_unprepared(__handle, &__c_config, __addresses);
        else if (detail::is_code(__stub))
            __code = detail::launch_instance(__handle, &__c_config, __addresses, __config.file,
                                             __config.line);
        else
            __code = detail::launch_through_stub(
                __stub, detail::make_indices<sizeof...(__P)>(), __addresses, __c_config.grid.x,
                __c_config.grid.y, __c_config.grid.z, __c_config.block.x, __c_config.block.y,
                __c_config.block.z, __c_config.shared_bytes, __c_config.stream, __config.file,
                __config.line);
    }
    if (__builtin_expect(__code == 0, 1)) return error();
    return error(__code, __handle);
}

// The second declaration only makes a call with a wrong number of arguments a clear compile error.
template <class... __P, class... __A>
std::enable_if_t<sizeof...(__P) != sizeof...(__A), error> launch(void (*)(__P...),
                                                                 const LaunchConfig&, __A&&...) {
    static_assert(sizeof...(__P) == sizeof...(__A),
                  "kbuild::launch: wrong number of arguments for this kernel");
    return error();
}

// Waits until all launched work has finished.
inline error synchronize() { return error(kbuild_synchronize()); }

// Allocates device memory.
inline error allocate(void** __pointer, std::size_t __bytes) {
    return error(kbuild_malloc(__pointer, __bytes));
}

// Frees device memory.
inline error release(void* __pointer) { return error(kbuild_free(__pointer)); }

// Copies memory in the given direction.
inline error copy(void* __destination, const void* __source, std::size_t __bytes,
                  kbuild_copy_direction __direction) {
    return error(kbuild_memcpy(__destination, __source, __bytes, __direction));
}

// Copies to a __device__ or __constant__ variable. Declare the variable on the host with the same
// name and type (`extern float weights[16];`), and pass it as `variable`.
template <class __T>
error copy_to_symbol(__T& __variable, const void* __source, std::size_t __bytes = sizeof(__T),
                     std::size_t __offset = 0) {
    return error(
        kbuild_copy_to_symbol(detail::address_of(__variable), __source, __bytes, __offset));
}

// Copies from a __device__ or __constant__ variable.
template <class __T>
error copy_from_symbol(void* __destination, __T& __variable, std::size_t __bytes = sizeof(__T),
                       std::size_t __offset = 0) {
    return error(
        kbuild_copy_from_symbol(__destination, detail::address_of(__variable), __bytes, __offset));
}

// Sets `pointer` to the address of the variable on the device.
template <class __T>
error symbol_address(void** __pointer, __T& __variable) {
    return error(kbuild_get_symbol_address(__pointer, detail::address_of(__variable)));
}

// Returns a reference to a __managed__ variable. Host code cannot use the variable directly by its
// name. Ends the program if there is no device; call `is_available` first to avoid that.
template <class __T>
__T& managed(__T& __variable) noexcept {
    void* const __data = kbuild_managed_data(detail::address_of(__variable));
    if (__data == nullptr) {
        std::fputs("kbuild::managed: there is no device, or the variable is not __managed__\n",
                   stderr);
        std::abort();
    }
    return *static_cast<__T*>(__data);
}

// Returns whether a __managed__ variable can be used.
template <class __T>
bool is_available(__T& __variable) noexcept {
    return kbuild_managed_data(detail::address_of(__variable)) != nullptr;
}

}  // namespace kbuild

#endif
#endif
