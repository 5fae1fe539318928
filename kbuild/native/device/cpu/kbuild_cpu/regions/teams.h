/* Objects with which the threads of a block or warp call functions together, such as those of CUB, in kernels that
 * are divided into regions.
 *
 * A class with the same functions stands for such an object: `primitive`. Its functions are called by each thread
 * in a region, and return what the thread brings, an entry. Then `run` of the entry executes the function for
 * all threads, and `result` returns what the function returns. */
#ifndef KBUILD_CPU_REGIONS_TEAMS_H
#define KBUILD_CPU_REGIONS_TEAMS_H

#include "warp.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

template <class __Object>
struct primitive;
template <class __Object>
KBUILD_CPU_ALWAYS_INLINE primitive<__Object> primitive_of(const __Object &) {
    return {};
}

/* An argument that can refer to a temporary object, which does not exist when all threads have come: it is
 * a number, or an object without data. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE __T pass_value(__T &&__value) {
    static_assert(is_integral_v<__T> || is_floating_point_v<__T> || __is_empty(__T),
                  "kbuild: the argument can refer to a temporary object");
    return static_cast<__T &&>(__value);
}

template <class __Entry, bool __Stores>
struct team {
    template <int __Most>
    struct __frame {
        static constexpr bool stores_index = __Stores;

        KBUILD_CPU_ALWAYS_INLINE void bring(int __number, const __Entry &__entry,
                                            KBUILD_CPU_CALLER) {
            entries.copy(__number, __entry);
            caller = KBUILD_CPU_CALL(__Entry::name);
        }
        KBUILD_CPU_ALWAYS_INLINE decltype(auto) get(int __number) {
            return entries[__number].result();
        }
        /* Returns an object during whose life functions of the program see a thread. */
        KBUILD_CPU_ALWAYS_INLINE auto enter(const block &__of, int __number) const {
            if constexpr (__Stores) {
                const int __row = __number / __of.width;
                return stored_index({static_cast<unsigned int>(__number % __of.width),
                                     static_cast<unsigned int>(__row % __of.height),
                                     static_cast<unsigned int>(__row / __of.height)});
            } else {
                return no_thread();
            }
        }
        slots<__Entry, __Most> entries;
        kbuild_cpu_call caller;
    };
    template <class __Set, class __Live, class __Frame>
    static void run(const __Set &__set, const __Live &__live, __Frame &__of) {
        if (__set.__size() != 0) __Entry::run(set_view(__set), set_view(__live), __of);
    }
};

template <class __Set>
[[noreturn]] __attribute__((noinline, cold)) void reject_team(const kbuild_cpu_call &__call,
                                                              const __Set &__set) {
    int __number = 0;
    while (!__set.has(__number)) ++__number;
    fail_thread(
        __set.of, __number, __call,
        "the threads that call it are not those of its type; compile with KBUILD_CPU_SPLIT=off");
}

/* Checks that the first threads of a block call a function, whose type says the dimensions of the block. */
template <int __X, int __Y, int __Z, class __Set, class __Live>
void check_block(const kbuild_cpu_call &__call, const __Set &__set, const __Live &__live,
                 int __needed = __X * __Y * __Z) {
    check_barrier(__call, __set, __live);
    const block &__of = __set.of;
    const int __count = __set.__size();
    if (__count == __X * __Y * __Z && __of.threads == __count && __of.width == __X &&
        __of.height == __Y)
        return;
    const bool __is_row = __of.rows == 1 && __Y == 1 && __Z == 1;
    const bool __is_block = __of.width == __X && __of.height == __Y && __of.rows == __Y * __Z;
    if (!__is_row && !__is_block) reject_team(__call, __set);
    for (int __i = 0; __i < __needed; ++__i)
        if (__i >= __of.threads || !__set.has(__i)) reject_team(__call, __set);
}

/* Calls a function for the first thread of each group of lanes, all of which call a function. */
template <int __Width, class __Set, class __Live, class __Function>
void visit_warps(const kbuild_cpu_call &__call, const __Set &__set, const __Live &__live,
                 const __Function &__function) {
    constexpr unsigned __all = ~0u >> (32 - __Width);
    check_tiles<__Width>(__call, __set, __live);
    for (int __first = 0; __first < __set.of.threads; __first += __Width) {
        const unsigned __lanes = __set.lanes(__first / 32) >> (__first & 31) & __all;
        if (__lanes != 0 && __lanes != __all) reject_team(__call, __set);
        if (__lanes != 0) __function(__first);
    }
}

}  // namespace kbuild_cpu::regions

#endif
