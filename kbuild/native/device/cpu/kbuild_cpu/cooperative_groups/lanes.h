/* What the lanes of a group exchange.
 *
 * These headers are included after the prelude of mixed sources, so they do not contain the
 * qualifiers that kbuild looks for in such sources. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_LANES_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_LANES_H

#include "../../kbuild_cpu_device.h"
#include "../async/phases.h"
#include "../async/thread_scope.h"
#include "../clusters.h"
#include "../warp.h"

#include <stdint.h>
#include <type_traits>

#pragma GCC system_header

#if !defined(KBUILD_CPU_WARP_SIZE)
#define KBUILD_CPU_WARP_SIZE 32
#endif

#define KBUILD_CPU_GROUP_CALL(function) \
    (kbuild_cpu_call{function, __file, __line, KBUILD_CPU_WARP_SIZE})

/* Sources for CUDA and for HIP can be in one image. */
#if KBUILD_CPU_WARP_SIZE == 32
#define KBUILD_CPU_GROUPS_BEGIN \
    namespace cooperative_groups { \
    inline namespace __of_32_lanes {
#else
#define KBUILD_CPU_GROUPS_BEGIN \
    namespace cooperative_groups { \
    inline namespace __of_64_lanes {
#endif
#define KBUILD_CPU_GROUPS_END \
    } \
    }

KBUILD_CPU_GROUPS_BEGIN

#if KBUILD_CPU_WARP_SIZE == 32
typedef unsigned int __lane_mask;
#else
typedef unsigned long long __lane_mask;
#endif

/* The lanes of a warp that form a group.  A thread's rank is the number of lanes before it. */
class __lanes {
public:
    __lanes() = default;
    explicit __lanes(__lane_mask __mask) : __mask_(__mask) {}

    __lane_mask __mask() const { return __mask_; }
    unsigned int __count() const { return __builtin_popcountll(__mask_); }
    unsigned int __rank() const {
        const unsigned int __lane = kbuild_cpu::thread_number() % KBUILD_CPU_WARP_SIZE;
        return __builtin_popcountll(__mask_ & ((__lane_mask{1} << __lane) - 1));
    }
    unsigned int __lane(unsigned int __rank) const {
        __lane_mask __rest = __mask_;
        while (__rank-- > 0) __rest &= __rest - 1;
        return __rest == 0 ? 0 : __builtin_ctzll(__rest);
    }
    /* Moves the bits of the group's lanes together. */
    __lane_mask __pack(__lane_mask __bits) const {
        __lane_mask __packed = 0, __bit = 1;
        for (__lane_mask __rest = __mask_; __rest != 0; __rest &= __rest - 1, __bit <<= 1)
            if (__bits & __rest & (0 - __rest)) __packed |= __bit;
        return __packed;
    }

    /* Sets the values of all ranks. */
    template <class __T>
    void __gather(kbuild_cpu_call __call, const __T &__value, __T *__values) const {
        static_assert(std::is_trivially_copyable_v<__T>,
                      "kbuild: threads exchange trivially copyable values only");
        constexpr size_t __words = (sizeof(__T) + 7) / 8;
        for (size_t __word = 0; __word < __words; ++__word) {
            const size_t __bytes = sizeof(__T) - 8 * __word < 8 ? sizeof(__T) - 8 * __word : 8;
            uint64_t __part = 0;
            memcpy(&__part,
                   reinterpret_cast<const char *>(__builtin_addressof(__value)) + 8 * __word,
                   __bytes);
            const auto &__all = kbuild_cpu::exchange(__call, __mask_, __part);
            __T *__next = __values;
            for (__lane_mask __rest = __mask_; __rest != 0; __rest &= __rest - 1)
                memcpy(reinterpret_cast<char *>(__next++) + 8 * __word,
                       &__all.values[__builtin_ctzll(__rest)], __bytes);
        }
    }
    /* Returns the value of a rank. */
    template <class __T>
    __T __read(kbuild_cpu_call __call, const __T &__value, unsigned int __rank) const {
        static_assert(std::is_trivially_copyable_v<__T>,
                      "kbuild: threads exchange trivially copyable values only");
        const unsigned int __from = __lane(__rank);
        __T __result = __value;
        for (size_t __start = 0; __start < sizeof(__T); __start += 8) {
            const size_t __bytes = sizeof(__T) - __start < 8 ? sizeof(__T) - __start : 8;
            uint64_t __part = 0;
            memcpy(&__part, reinterpret_cast<const char *>(__builtin_addressof(__value)) + __start,
                   __bytes);
            const auto &__all = kbuild_cpu::exchange(__call, __mask_, __part);
            memcpy(reinterpret_cast<char *>(__builtin_addressof(__result)) + __start,
                   &__all.values[__from], __bytes);
        }
        return __result;
    }

    void __sync(kbuild_cpu_call __call) const { kbuild_cpu::exchange(__call, __mask_); }
    __lane_mask __ballot(kbuild_cpu_call __call, bool __predicate) const {
        return static_cast<__lane_mask>(kbuild_cpu::ballot(__call, __mask_, __predicate));
    }

private:
    __lane_mask __mask_ = 0;
};

/* The values of the lanes of a warp, for types without a default constructor. */
template <class __T>
union __lane_values {
    __T __of[KBUILD_CPU_WARP_SIZE];
    __lane_values() {}
};

KBUILD_CPU_GROUPS_END

#endif
