// The floating-point environment of device code, which is independent of the host's rounding mode.
#ifndef KBUILD_CPU_LAUNCHES_DEVICE_ARITHMETIC_HPP
#define KBUILD_CPU_LAUNCHES_DEVICE_ARITHMETIC_HPP

#include <cfenv>
#include <cstdint>

namespace kbuild::cpu {

#if defined(__x86_64__)

// Handles only the control words, because <cfenv> takes longer than the rest of a small launch.
class FloatingPointControl {
public:
    static FloatingPointControl current() noexcept {
        FloatingPointControl now;
        asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(now.mxcsr_), "=m"(now.x87_));
        return now;
    }
    static FloatingPointControl device() noexcept { return FloatingPointControl(); }
    void apply() const noexcept {
        asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr_), "m"(x87_) : "memory");
    }

private:
    // All exceptions masked, round to nearest; for the x87, a 64-bit mantissa.
    std::uint32_t mxcsr_ = 0x1F80;
    std::uint16_t x87_ = 0x037F;
};

#else

class FloatingPointControl {
public:
    static FloatingPointControl current() noexcept {
        FloatingPointControl now;
        std::fegetenv(&now.environment_);
        return now;
    }
    static FloatingPointControl device() noexcept {
        // FE_DFL_ENV can be a number cast to a pointer, so it must not be dereferenced.
        const FloatingPointControl host = current();
        std::fesetenv(FE_DFL_ENV);
        const FloatingPointControl device = current();
        host.apply();
        return device;
    }
    void apply() const noexcept { std::fesetenv(&environment_); }

private:
    std::fenv_t environment_{};
};

#endif

// While this object exists, the calling OS thread has the floating-point environment of device
// code.
class DeviceArithmetic {
public:
    DeviceArithmetic() noexcept : host_(FloatingPointControl::current()) {
        FloatingPointControl::device().apply();
    }
    ~DeviceArithmetic() { host_.apply(); }
    DeviceArithmetic(const DeviceArithmetic&) = delete;
    DeviceArithmetic& operator=(const DeviceArithmetic&) = delete;

private:
    const FloatingPointControl host_;
};

}  // namespace kbuild::cpu

#endif
