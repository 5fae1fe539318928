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
#error "kbuild/kbuild.hpp requires C++17: add target_compile_features(<target> PRIVATE cxx_std_17), or include kbuild/kbuild.h"
#endif

#include <kbuild/detail/launch/stub.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace kbuild {

// The outcome of a call. It converts to true if the call failed.
class [[nodiscard]] error {
public:
    error() = default;

    // Create it immediately after the call, while the runtime still knows the details.
    explicit error(kbuild_error_t __code)
        : code_(__code), message_(__builtin_expect(__code != 0, 0) ? explain(__code) : nullptr) {}

    // For a failed launch, whose message can also use information from the artifact.
    error(kbuild_error_t __code, const void* __kernel)
        : code_(__code),
          message_(__builtin_expect(__code != 0, 0) ? explain(__code, __kernel) : nullptr) {}

    error(const error& __other)
        : code_(__other.code_),
          message_(__other.message_ ? std::make_unique<std::string>(*__other.message_) : nullptr) {}
    error(error&&) noexcept = default;
    error& operator=(error __other) noexcept {
        code_ = __other.code_;
        message_ = std::move(__other.message_);
        return *this;
    }
    ~error() = default;

    explicit operator bool() const noexcept { return code_ != 0; }
    kbuild_error_t code() const noexcept { return code_; }

    // Returns a message that is valid while this object exists. It is empty if the call succeeded.
    const char* message() const noexcept { return message_ ? message_->c_str() : ""; }

private:
    // These are out of line and return plain pointers, so that a successful call creates no message
    // and compilers can keep the error object in registers.
    [[gnu::cold, gnu::noinline]] static std::string* explain(kbuild_error_t __code) {
        return new std::string(kbuild_error_message(__code));
    }
    [[gnu::cold, gnu::noinline]] static std::string* explain(kbuild_error_t __code,
                                                             const void* __kernel) {
        return new std::string(kbuild_launch_error_message(__kernel, __code));
    }

    kbuild_error_t code_ = 0;
    std::unique_ptr<std::string> message_;
};

// The size of a grid, block, or cluster: one to three integers of any type. A number that does not
// fit is converted to a size that no device accepts, so that the launch reports an error.
class Extent {
public:
    template <class __X, class __Y = int, class __Z = int,
              class = std::enable_if_t<std::is_integral_v<__X> && std::is_integral_v<__Y> &&
                                       std::is_integral_v<__Z>>>
    constexpr Extent(__X __x, __Y __y = 1, __Z __z = 1) noexcept : x_(clamp(__x)), y_(clamp(__y)), z_(clamp(__z)) {}

    constexpr kbuild_dim3 __value() const noexcept { return {x_, y_, z_}; }

private:
    // A negative number of at most 32 bits becomes too large for every device by itself. Wider
    // types must not lose their upper bits.
    template <class __T>
    static constexpr std::uint32_t clamp(__T __size) noexcept {
        if constexpr (sizeof(__T) <= sizeof(std::uint32_t)) {
            return static_cast<std::uint32_t>(__size);
        } else {
            constexpr auto __largest = std::numeric_limits<std::uint32_t>::max();
            const auto __wide = static_cast<std::uintmax_t>(__size);
            return __wide > __largest ? __largest : static_cast<std::uint32_t>(__wide);
        }
    }

    std::uint32_t x_, y_, z_;
};

// A stream of the backend's runtime. Null is the default stream.
using stream_t = void*;

// How to launch a kernel. `shared_bytes` is the dynamic shared memory of a block.
struct LaunchConfig {
    Extent grid = 1;
    Extent block = 1;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    Extent cluster = {0, 0, 0};  // no clusters
    bool cooperative = false;
    bool programmatic_dependent_launch = false;
    int priority = 0;  // lower numbers run first; 0 uses the stream's priority
    // The place of the launch, which debug stubs report.
    const char* file = __builtin_FILE();
    unsigned line = __builtin_LINE();
};

namespace detail {

// Prevents deduction of the parameter type from the argument, so that arguments convert as in a
// call.
template <class __P>
struct parameter {
    static_assert(!std::is_reference_v<__P>, "a kernel cannot have reference parameters");
    using __type = __P;
};

inline kbuild_launch_config to_c(const LaunchConfig& __config) noexcept {
    kbuild_launch_config __result = {};
    __result.grid = __config.grid.__value();
    __result.block = __config.block.__value();
    __result.shared_bytes = __config.shared_bytes;
    __result.stream = __config.stream;
    __result.cluster = __config.cluster.__value();
    __result.cooperative = __config.cooperative;
    __result.programmatic_dependent_launch = __config.programmatic_dependent_launch;
    __result.priority = __config.priority;
    return __result;
}

template <class __T>
const void* address_of(__T& __variable) noexcept {
    return const_cast<const void*>(static_cast<const volatile void*>(std::addressof(__variable)));
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
    void* __addresses[sizeof...(__P) + (sizeof...(__P) == 0)] = {static_cast<void*>(std::addressof(__args))...};
    kbuild_error_t __code;
    if (__builtin_expect(kbuild_is_extended(&__c_config), 0)) {
        __code = kbuild_launch_extended(__handle, &__c_config, __addresses);
    } else if (!kbuild_launch_prepared(__handle, &__c_config, __addresses, &__code)) {
        if (const auto __stub = detail::stub_of(__kernel); __builtin_expect(__stub != nullptr, 0)) {
            __code = detail::launch_through_stub(
                __stub, detail::make_indices<sizeof...(__P)>(), __addresses, __c_config.grid.x,
                __c_config.grid.y, __c_config.grid.z, __c_config.block.x, __c_config.block.y,
                __c_config.block.z, __c_config.shared_bytes, __c_config.stream, __config.file,
                __config.line);
        } else {
            __code = kbuild_launch_unprepared(__handle, &__c_config, __addresses);
        }
    }
    if (__builtin_expect(__code == 0, 1)) return error();
    return error(__code, __handle);
}

// The second declaration only makes a call with a wrong number of arguments a clear compile error.
template <class... __P, class... __A>
std::enable_if_t<sizeof...(__P) != sizeof...(__A), error> launch(void (*)(__P...), const LaunchConfig&,
                                                             __A&&...) {
    static_assert(sizeof...(__P) == sizeof...(__A),
                  "kbuild::launch: wrong number of arguments for this kernel");
    return error();
}

// Waits until all launched work has finished.
inline error synchronize() {
    return error(kbuild_synchronize());
}

// Allocates device memory.
inline error allocate(void** __pointer, std::size_t __bytes) {
    return error(kbuild_malloc(__pointer, __bytes));
}

// Frees device memory.
inline error release(void* __pointer) {
    return error(kbuild_free(__pointer));
}

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
    return error(kbuild_copy_to_symbol(detail::address_of(__variable), __source, __bytes, __offset));
}

// Copies from a __device__ or __constant__ variable.
template <class __T>
error copy_from_symbol(void* __destination, __T& __variable, std::size_t __bytes = sizeof(__T),
                       std::size_t __offset = 0) {
    return error(kbuild_copy_from_symbol(__destination, detail::address_of(__variable), __bytes, __offset));
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
        std::fputs("kbuild::managed: there is no device, or the variable is not __managed__\n", stderr);
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
