// kbuild's host API, in C++17: launching kernels and the memory they work on.
//
//     KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
//     auto err = kbuild::launch(saxpy, {4, 256}, n, a, x, y);
//     if (err) std::fprintf(stderr, "%s\n", err.message());
//
// Included from device code, this header declares KBUILD_KERNEL alone.
#ifndef KBUILD_KBUILD_HPP
#define KBUILD_KBUILD_HPP

#include <kbuild/kbuild.h>

#if !defined(KBUILD_DEVICE_CODE)

#if __cplusplus < 201703L
#error "kbuild/kbuild.hpp needs C++17: target_compile_features(<target> PRIVATE cxx_std_17), or use kbuild/kbuild.h"
#endif

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace kbuild {

// The outcome of a call: true when it failed.
class [[nodiscard]] error {
public:
    error() = default;

    // Made at once after the call, while the runtime still knows the details.
    explicit error(kbuild_error_t code) : code_(code) {
        if (code != 0) message_ = kbuild_error_message(code);
    }

    explicit operator bool() const noexcept { return code_ != 0; }
    kbuild_error_t code() const noexcept { return code_; }

    // Valid while this object lives; empty when nothing failed.
    const char* message() const noexcept { return message_.c_str(); }

private:
    kbuild_error_t code_ = 0;
    std::string message_;
};

// The size of a grid, block or cluster: an integer of any type, or up to three. What does
// not fit becomes a size that no device accepts, so that a launch reports it.
class Extent {
public:
    template <class X, class Y = int, class Z = int,
              class = std::enable_if_t<std::is_integral_v<X> && std::is_integral_v<Y> &&
                                       std::is_integral_v<Z>>>
    constexpr Extent(X x, Y y = 1, Z z = 1) noexcept : x_(clamp(x)), y_(clamp(y)), z_(clamp(z)) {}

    constexpr kbuild_dim3 value() const noexcept { return {x_, y_, z_}; }

private:
    template <class T>
    static constexpr std::uint32_t clamp(T size) noexcept {
        constexpr auto largest = std::numeric_limits<std::uint32_t>::max();
        if constexpr (std::is_signed_v<T>) {
            if (size < 0) return 0;
        }
        const auto wide = static_cast<std::uintmax_t>(size);
        return wide > largest ? largest : static_cast<std::uint32_t>(wide);
    }

    std::uint32_t x_, y_, z_;
};

// A stream of the backend's runtime; null is the default one.
using stream_t = void*;

struct LaunchConfig {
    Extent grid = 1;
    Extent block = 1;
    std::size_t shared_bytes = 0;
    stream_t stream = nullptr;
    Extent cluster = {0, 0, 0};  // none
    bool cooperative = false;
    bool programmatic_dependent_launch = false;
};

namespace detail {

// P, but not to be deduced from the argument: arguments convert as in a call.
template <class P>
struct parameter {
    static_assert(!std::is_reference_v<P>, "a kernel cannot take references");
    using type = P;
};

inline kbuild_launch_config to_c(const LaunchConfig& config) noexcept {
    kbuild_launch_config result = {};
    result.grid = config.grid.value();
    result.block = config.block.value();
    result.shared_bytes = config.shared_bytes;
    result.stream = config.stream;
    result.cluster = config.cluster.value();
    result.cooperative = config.cooperative;
    result.programmatic_dependent_launch = config.programmatic_dependent_launch;
    return result;
}

// What the handle holds: the debug stub, or null.
template <class... P>
auto stub_of(void (*kernel)(P...)) noexcept {
    using Stub = void (*)(P...);
    const auto handle = reinterpret_cast<const Stub*>(reinterpret_cast<const void*>(kernel));
    return handle != nullptr ? *handle : nullptr;
}

// Grid, block, shared bytes and stream are all that a configuration pushed for a stub has.
inline bool suits_stub(const kbuild_launch_config& config) noexcept {
    return config.cluster.x == 0 && config.cooperative == 0 &&
           config.programmatic_dependent_launch == 0;
}

}  // namespace detail

// Launches a kernel with arguments that a call of it would take.
//
// A kernel built with debug stubs is launched through its stub, so that a stack trace shows
// the kernel's name and arguments; attributes that a stub cannot carry go direct.
template <class... P>
error launch(void (*kernel)(P...), const LaunchConfig& config,
             typename detail::parameter<P>::type... args) {
    const auto c_config = detail::to_c(config);
    if (const auto stub = detail::stub_of(kernel); stub && detail::suits_stub(c_config)) {
        if (const kbuild_error_t code = kbuild_push_configuration(&c_config)) return error(code);
        stub(args...);
        return error(kbuild_take_stub_result());
    }
    void* addresses[] = {static_cast<void*>(std::addressof(args))..., nullptr};
    return error(kbuild_launch(reinterpret_cast<const void*>(kernel), &c_config, addresses));
}

// Another number of arguments than the kernel has parameters: says so.
template <class... P, class... A>
std::enable_if_t<sizeof...(P) != sizeof...(A), error> launch(void (*)(P...), const LaunchConfig&,
                                                             A&&...) {
    static_assert(sizeof...(P) == sizeof...(A),
                  "kbuild::launch: wrong number of arguments for this kernel");
    return error();
}

// Waits until all launched work is done.
inline error synchronize() {
    return error(kbuild_synchronize());
}

// Device memory.
inline error allocate(void** pointer, std::size_t bytes) {
    return error(kbuild_malloc(pointer, bytes));
}

inline error release(void* pointer) {
    return error(kbuild_free(pointer));
}

inline error copy(void* destination, const void* source, std::size_t bytes,
                  kbuild_copy_direction direction) {
    return error(kbuild_memcpy(destination, source, bytes, direction));
}

}  // namespace kbuild

#endif
#endif
