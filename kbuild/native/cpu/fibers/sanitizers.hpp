// Tells AddressSanitizer and ThreadSanitizer on which stack an OS thread runs. Without them, does
// nothing.
#ifndef KBUILD_CPU_FIBERS_SANITIZERS_HPP
#define KBUILD_CPU_FIBERS_SANITIZERS_HPP

#include <cstddef>

// gcc defines the macros, and clang has the features.
#if !defined(__has_feature)
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define KBUILD_CPU_ASAN 1
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define KBUILD_CPU_TSAN 1
#include <sanitizer/tsan_interface.h>
#endif

namespace kbuild::cpu {

// What the sanitizers know of a fiber. It begins at the stack of an OS thread, or with `start_on`.
#if defined(KBUILD_CPU_ASAN)

class StackAnnotation {
protected:
    // The next switch to the fiber starts it on the stack, without the variables of an earlier one.
    void start_on(const char* base, std::size_t size) noexcept {
        __asan_unpoison_memory_region(base, size);
        base_ = base;
        size_ = size;
        fake_stack_ = nullptr;
    }

    // Call this right before a switch.
    void leave_for(const StackAnnotation& to) noexcept {
        left() = this;
        __sanitizer_start_switch_fiber(&fake_stack_, to.base_, to.size_);
    }

    // Call this right before the last switch.
    static void end_for(const StackAnnotation& to) noexcept {
        left() = nullptr;
        __sanitizer_start_switch_fiber(nullptr, to.base_, to.size_);
    }

    // Call this right after a switch. Keeps the stack of an OS thread when the fiber leaves it.
    void arrive() noexcept { arrive_with(fake_stack_); }
    static void arrive_first() noexcept { arrive_with(nullptr); }

private:
    static StackAnnotation*& left() noexcept {
        static thread_local StackAnnotation* fiber = nullptr;
        return fiber;
    }
    static void arrive_with(void* fake_stack) noexcept {
        StackAnnotation ended;
        auto& from = left() == nullptr ? ended : *left();
        __sanitizer_finish_switch_fiber(fake_stack, &from.base_, &from.size_);
    }

    const void* base_ = nullptr;
    std::size_t size_ = 0;
    void* fake_stack_ = nullptr;
};

#elif defined(KBUILD_CPU_TSAN)

class StackAnnotation {
public:
    StackAnnotation() = default;
    StackAnnotation(StackAnnotation&& other) noexcept
        : own_(other.own_), fiber_(other.fiber_), starts_(other.starts_) {
        other.own_ = nullptr;
    }
    ~StackAnnotation() { forget(); }

protected:
    // To create a fiber takes long. Each start leaves a few calls in its list of callers, which is
    // limited.
    void start_on(const char*, std::size_t) noexcept {
        constexpr unsigned most_starts = 1000;
        if (++starts_ % most_starts == 1) {
            forget();
            own_ = __tsan_create_fiber(0);
        }
        fiber_ = own_;
    }
    void leave_for(const StackAnnotation& to) noexcept {
        fiber_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(to.fiber_, 0);
    }
    static void end_for(const StackAnnotation& to) noexcept {
        __tsan_switch_to_fiber(to.fiber_, 0);
    }
    void arrive() noexcept {}
    static void arrive_first() noexcept {}

private:
    void forget() noexcept {
        if (own_ != nullptr) __tsan_destroy_fiber(own_);
    }

    void* own_ = nullptr;  // null for an OS thread
    void* fiber_ = nullptr;
    unsigned starts_ = 0;
};

#else

class StackAnnotation {
protected:
    void start_on(const char*, std::size_t) noexcept {}
    void leave_for(const StackAnnotation&) noexcept {}
    static void end_for(const StackAnnotation&) noexcept {}
    void arrive() noexcept {}
    static void arrive_first() noexcept {}
};

#endif

}  // namespace kbuild::cpu

#endif
