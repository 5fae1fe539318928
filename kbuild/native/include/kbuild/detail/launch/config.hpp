// Errors and launch configurations of the C++ API, which do not depend on a backend. C++17.
#ifndef KBUILD_DETAIL_LAUNCH_CONFIG_HPP
#define KBUILD_DETAIL_LAUNCH_CONFIG_HPP

#include <kbuild/module.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace kbuild {

// The outcome of a call. It converts to true if the call failed.
class [[nodiscard]] error {
public:
    error() = default;

    // Create it immediately after the call, while the runtime still knows the details.
    explicit error(int __code)
        : code_(__code), message_(__builtin_expect(__code != 0, 0) ? explain(__code) : nullptr) {}

    // For a failed launch, whose message can also use information from the artifact.
    error(int __code, const void* __kernel)
        : code_(__code),
          message_(__builtin_expect(__code != 0, 0) ? explain(__code, __kernel) : nullptr) {}

    // For an error whose message is already known. The first constructor keeps string literals from
    // being taken for kernels, and the second one accepts a std::string.
    error(int __code, const char* __message) : code_(__code), message_(copy(__message)) {}
    template <class __String, class = decltype(&__String::c_str)>
    error(int __code, const __String& __message) : error(__code, __message.c_str()) {}

    error(const error& __other) : code_(__other.code_), message_(copy(__other.message_)) {}
    error(error&& __other) noexcept : code_(__other.code_), message_(__other.message_) {
        __other.message_ = nullptr;
    }
    error& operator=(error __other) noexcept {
        code_ = __other.code_;
        char* const __previous = message_;
        message_ = __other.message_;
        __other.message_ = __previous;
        return *this;
    }
    ~error() {
        if (__builtin_expect(message_ != nullptr, 0)) std::free(message_);
    }

    explicit operator bool() const noexcept { return code_ != 0; }
    int code() const noexcept { return code_; }

    // Returns a message that is valid while this object exists. It is empty if the call succeeded.
    const char* message() const noexcept { return message_ ? message_ : ""; }

private:
    // These are out of line and return plain pointers, so that a successful call creates no message
    // and compilers can keep the error object in registers.
    // kbuild/kbuild.hpp defines them, because the runtime of the file's backend explains its codes.
    // They are templates because gcc warns about functions that are `inline` and not inlined.
    template <class = void>
    [[gnu::cold, gnu::noinline]] static char* explain(int __code);
    template <class = void>
    [[gnu::cold, gnu::noinline]] static char* explain(int __code, const void* __kernel);

    // Files that only launch kernels do not read <string>.
    static char* copy(const char* __message) {
        return __message != nullptr ? ::strdup(__message) : nullptr;
    }

    int code_ = 0;
    char* message_ = nullptr;
};

// The size of a grid, block, or cluster: one to three integers of any type. A number that does not
// fit is converted to a size that no device accepts, so that the launch reports an error.
class Extent {
public:
    template <class __X, class __Y = int, class __Z = int,
              class = std::enable_if_t<std::is_integral_v<__X> && std::is_integral_v<__Y> &&
                                       std::is_integral_v<__Z>>>
    constexpr Extent(__X __x, __Y __y = 1, __Z __z = 1) noexcept
        : x_(clamp(__x)), y_(clamp(__y)), z_(clamp(__z)) {}

    constexpr kbuild_dim3 __value() const noexcept { return {x_, y_, z_}; }

private:
    // A negative number of at most 32 bits becomes too large for every device by itself. Wider
    // types must not lose their upper bits.
    template <class __T>
    static constexpr std::uint32_t clamp(__T __size) noexcept {
        if constexpr (sizeof(__T) <= sizeof(std::uint32_t)) {
            return static_cast<std::uint32_t>(__size);
        } else {
            constexpr auto __largest = UINT32_MAX;
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

}  // namespace detail
}  // namespace kbuild

#endif
