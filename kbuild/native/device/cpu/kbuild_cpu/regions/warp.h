/* Warp operations of kernels that are divided into regions; see regions.h. */
#ifndef KBUILD_CPU_REGIONS_WARP_H
#define KBUILD_CPU_REGIONS_WARP_H

#include "../warp.h"
#include "regions.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

/* The mask of an operation: a common one, or those that the threads bring. */
struct lane_mask {
    KBUILD_CPU_ALWAYS_INLINE lane_mask(unsigned __mask) : common(__mask), of(nullptr) {}
    KBUILD_CPU_ALWAYS_INLINE explicit lane_mask(const unsigned *__masks)
        : common(~0u), of(__masks) {}

    const unsigned common;
    const unsigned *const of; /* one per thread, or null */
};

/* Returns a mask as the mask of all lanes. `read_mask` of a tile returns that of the tiles with these lanes. */
KBUILD_CPU_ALWAYS_INLINE unsigned read_mask(unsigned __mask, unsigned) { return __mask; }

/* Notes that a warp operation waits for lanes. They can still exit; if they wait for others instead, the
 * operation fails. */
inline void await_lanes(const kbuild_cpu_call &__call, const block &__of, int __warp,
                        unsigned __lanes) {
    if (__lanes == 0) return;
    if (!__of.has_awaited) {
        memset(__of.awaited, 0, sizeof __of.awaited);
        __of.awaiting = __call;
        __of.has_awaited = true;
    }
    __of.awaited[__warp] |= __lanes;
}

__attribute__((noinline, cold)) inline void reject_lane(const kbuild_cpu_call &__call,
                                                        const block &__of, int __warp,
                                                        unsigned __lanes, const char *__reason) {
    fail_thread(__of, __warp * 32 + __builtin_ctz(__lanes), __call, __reason);
}

constexpr char outside_of_mask[] = "the mask does not contain the calling lane";

/* Checks the lanes of a mask that do not reach an operation, and those that reach it without being in the
 * mask. */
template <class __Set, class __Live, class __Mask>
__attribute__((noinline, cold)) void check_some_lanes(const kbuild_cpu_call &__call,
                                                      const __Set &__set, const __Live &__live,
                                                      __Mask __of_lanes) {
    const block &__of = __set.of;
    if (__of.has_awaited) check_awaited(__set);
    for (int __warp = 0; __warp * 32 < __of.threads; ++__warp) {
        const unsigned __lanes = __set.lanes(__warp);
        if (__lanes == 0) continue;
        const unsigned __mask = read_mask(__of_lanes, __lanes);
        if ((__lanes & ~__mask) != 0)
            reject_lane(__call, __of, __warp, __lanes & ~__mask, outside_of_mask);
        await_lanes(__call, __of, __warp, __mask & __live.lanes(__warp) & ~__lanes);
    }
}

/* The same for masks that can differ: lanes that wait for each other must have the same one. */
template <class __Set, class __Live>
__attribute__((noinline)) void check_masks(const kbuild_cpu_call &__call, const __Set &__set,
                                           const __Live &__live, const unsigned *__masks) {
    const block &__of = __set.of;
    if (__builtin_expect(__of.has_awaited, 0)) check_awaited(__set);
    for (int __warp = 0; __warp * 32 < __of.threads; ++__warp, __masks += 32) {
        const unsigned __lanes = __set.lanes(__warp);
        for (unsigned __rest = __lanes; __rest != 0;) {
            const unsigned __mask = __masks[__builtin_ctz(__rest)];
            unsigned __same = 0;
            for (int __i = 0; __i < 32; ++__i)
                __same |= static_cast<unsigned>(__masks[__i] == __mask) << __i;
            __same &= __lanes;
            if ((__same & ~__mask) != 0)
                reject_lane(__call, __of, __warp, __same & ~__mask, outside_of_mask);
            if ((__lanes & __mask & ~__same) != 0)
                reject_lane(__call, __of, __warp, __lanes & __mask & ~__same,
                            "the mask of this lane is not that of the lanes in it");
            await_lanes(__call, __of, __warp, __mask & __live.lanes(__warp) & ~__lanes);
            __rest &= ~__same;
        }
    }
}

/* Checks that the lanes of a mask reach a warp operation, as far as they have not exited. */
template <class __Set, class __Live>
KBUILD_CPU_ALWAYS_INLINE void check_lanes(const kbuild_cpu_call &__call, const __Set &__set,
                                          const __Live &__live, lane_mask __mask) {
    if (__mask.of != nullptr) return check_masks(__call, __set, __live, __mask.of);
    const bool __is_all = __mask.common == ~0u && !__set.of.has_awaited &&
                          (__set.__size() == __live.__size() || __set.has_whole_warps());
    if (__builtin_expect(!__is_all, 0)) check_some_lanes(__call, __set, __live, __mask.common);
}

/* The tiles of `width` lanes that have at least one of some lanes. */
template <int __Width>
struct tiles_of_warp {};
template <int __Width>
unsigned read_mask(tiles_of_warp<__Width>, unsigned __lanes) {
    constexpr unsigned __tile = ~0u >> (32 - __Width);
    unsigned __mask = 0;
    for (int __first = 0; __first < 32; __first += __Width)
        if ((__lanes & __tile << __first) != 0) __mask |= __tile << __first;
    return __mask;
}
template <int __Width, class __Set, class __Live>
KBUILD_CPU_ALWAYS_INLINE void check_tiles(const kbuild_cpu_call &__call, const __Set &__set,
                                          const __Live &__live) {
    const bool __is_all =
        !__set.of.has_awaited && (__set.__size() == __live.__size() || __set.has_whole_warps());
    if (__builtin_expect(!__is_all, 0))
        check_some_lanes(__call, __set, __live, tiles_of_warp<__Width>());
}

struct __syncwarp {
    template <class __Set, class __Live>
    KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live,
                                                lane_mask __mask = ~0u, KBUILD_CPU_CALLER) {
        check_lanes(KBUILD_CPU_CALL("__syncwarp"), __set, __live, __mask);
    }
};

/* Makes a mask of the votes of each warp. */
template <int __Most>
KBUILD_CPU_ALWAYS_INLINE void pack_votes(operands<__Most> &__operands, int __threads) {
    for (int __warp = 0; __warp * 32 < __threads; ++__warp) {
        unsigned __votes = 0;
        for (int __lane = 0; __lane < 32; ++__lane)
            __votes |= static_cast<unsigned>(
                           __operands.__storage[__operands.before + __warp * 32 + __lane])
                       << __lane;
        __operands.votes[__warp] = __votes;
    }
}

#define KBUILD_CPU_WARP_VOTE(name, type, vote, result) \
    struct name { \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                                 int __predicate) { \
            __operands.__storage[__operands.before + __number] = vote; \
        } \
        template <class __Set, class __Live, int __Most> \
        static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands, \
                           lane_mask __mask, KBUILD_CPU_CALLER) { \
            check_lanes(KBUILD_CPU_CALL(#name), __set, __live, __mask); \
            pack_votes(__operands, __set.of.threads); \
        } \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static type get(operands<__Most> &__operands, int __number) { \
            const unsigned __votes = __operands.votes[__number >> 5]; \
            return static_cast<type>(result); \
        } \
    };

KBUILD_CPU_WARP_VOTE(__ballot_sync, unsigned int, __predicate != 0, __votes)
KBUILD_CPU_WARP_VOTE(__any_sync, int, __predicate != 0, __votes != 0)
KBUILD_CPU_WARP_VOTE(__all_sync, int, __predicate == 0, __votes == 0)

#undef KBUILD_CPU_WARP_VOTE

/* The operations that exchange values. */
#define KBUILD_CPU_EXCHANGE(name) \
    template <class __T, int __Most> \
    KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                             __T __value) { \
        __operands.template values<__T>()[__number] = __value; \
    } \
    template <class __Set, class __Live, int __Most> \
    KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live, \
                                                operands<__Most> &__operands, lane_mask __mask, \
                                                KBUILD_CPU_CALLER) { \
        check_lanes(KBUILD_CPU_CALL(#name), __set, __live, __mask); \
        __operands.sum = __mask.common; \
    }

template <unsigned long __Bytes>
struct word_of {
    using __type = unsigned long long;
};
template <>
struct word_of<4> {
    using __type = unsigned int;
};

/* Returns one of two values. Both are loaded, as compilers do not vectorize loads under a condition. */
template <class __T>
KBUILD_CPU_ALWAYS_INLINE __T select(bool __is_first, const __T &__first, const __T &__second) {
    if constexpr (sizeof(__T) == 4 || sizeof(__T) == 8) {
        using __bits = typename word_of<sizeof(__T)>::__type;
        __bits __a, __b;
        memcpy(&__a, __builtin_addressof(__first), sizeof __a);
        memcpy(&__b, __builtin_addressof(__second), sizeof __b);
        const __bits __mask = -static_cast<__bits>(__is_first);
        const __bits __selected = (__a & __mask) | (__b & ~__mask);
        __T __result;
        memcpy(static_cast<void *>(__builtin_addressof(__result)), &__selected, sizeof __result);
        return __result;
    } else {
        return __is_first ? __first : __second;
    }
}

/* `own` says whether a lane reads its own value, and `source` is the lane that it reads otherwise; see the
 * functions of warp.h.  The value is at `place`.  A structure with both would not be vectorized. */
#define KBUILD_CPU_REGION_SHUFFLE(name, type, own, source, place) \
    struct name { \
        KBUILD_CPU_EXCHANGE(name) \
        template <class __T, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static __T get(operands<__Most> &__operands, int __number, \
                                                type __any, int __width = 32) { \
            [[maybe_unused]] const int __lane = __number & 31, __rank = __lane & (__width - 1); \
            const int __from = static_cast<int>(__any & 31), __source = source; \
            const __T *const __values = __operands.template values<__T>(); \
            const unsigned __missing = ~static_cast<unsigned>(__operands.sum); \
            const bool __is_own = (own) | (__missing >> (__source & 31) & 1); \
            return select(__is_own, __values[__number], __values[place]); \
        } \
    };

KBUILD_CPU_REGION_SHUFFLE(__shfl_sync, int, false, (__lane & -__width) + (__from & (__width - 1)),
                          (__number & ~31) + __source)
KBUILD_CPU_REGION_SHUFFLE(__shfl_up_sync, unsigned int, __rank < __from, __lane - __from,
                          __number - __from)
KBUILD_CPU_REGION_SHUFFLE(__shfl_down_sync, unsigned int, __from >= __width - __rank,
                          __lane + __from, __number + __from)
KBUILD_CPU_REGION_SHUFFLE(__shfl_xor_sync, int, (__source & -__width) > (__lane & -__width),
                          __lane ^ __from, (__number & ~31) + __source)

#undef KBUILD_CPU_REGION_SHUFFLE

/* Calls a function for the values of the lanes that have arrived, from the first one on. */
template <class __T, int __Most, class __Function>
KBUILD_CPU_ALWAYS_INLINE void visit_lanes(operands<__Most> &__operands, int __number,
                                          const __Function &__function) {
    const __T *const __values = __operands.template values<__T>() + (__number & ~31);
    for (unsigned __rest = __operands.votes[__number >> 5]; __rest != 0; __rest &= __rest - 1)
        __function(__builtin_ctz(__rest), __values[__builtin_ctz(__rest)]);
}

/* The result has another type than the values. */
#define KBUILD_CPU_REGION_MATCH(name) \
    template <class, int __Most, class __T> \
    KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                             __T __value) { \
        __operands.template values<kbuild_uint64>()[__number] = to_word(__value); \
    } \
    template <class __Set, class __Live, int __Most> \
    static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands, \
                       lane_mask __mask, KBUILD_CPU_CALLER) { \
        check_lanes(KBUILD_CPU_CALL(#name), __set, __live, __mask); \
        for (int __warp = 0; __warp * 32 < __set.of.threads; ++__warp) \
            __operands.votes[__warp] = __set.lanes(__warp) & __mask.common; \
    } \
    template <int __Most> \
    static unsigned int find_equal(operands<__Most> &__operands, int __number) { \
        const kbuild_uint64 __own = __operands.template values<kbuild_uint64>()[__number]; \
        unsigned int __equal = 0; \
        visit_lanes<kbuild_uint64>(__operands, __number, [&](int __lane, kbuild_uint64 __word) { \
            __equal |= static_cast<unsigned int>(__word == __own) << __lane; \
        }); \
        return __equal; \
    }

struct __match_any_sync {
    KBUILD_CPU_REGION_MATCH(__match_any_sync)
    template <class, int __Most>
    static unsigned int get(operands<__Most> &__operands, int __number) {
        return find_equal(__operands, __number);
    }
};
struct __match_all_sync {
    KBUILD_CPU_REGION_MATCH(__match_all_sync)
    template <class, int __Most>
    static unsigned int get(operands<__Most> &__operands, int __number, int *__is_equal) {
        const unsigned int __all = __operands.votes[__number >> 5];
        *__is_equal = find_equal(__operands, __number) == __all;
        return *__is_equal ? __all : 0;
    }
};

#undef KBUILD_CPU_REGION_MATCH

#define KBUILD_CPU_REGION_REDUCE(name, combine) \
    struct name { \
        template <class __T, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                                 __T __value) { \
            __operands.template values<__T>()[__number] = __value; \
        } \
        template <class __Set, class __Live, int __Most> \
        static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands, \
                           lane_mask __mask, KBUILD_CPU_CALLER) { \
            check_lanes(KBUILD_CPU_CALL(#name), __set, __live, __mask); \
            for (int __warp = 0; __warp * 32 < __set.of.threads; ++__warp) \
                __operands.votes[__warp] = __set.lanes(__warp) & __mask.common; \
        } \
        template <class __T, int __Most> \
        static __T get(operands<__Most> &__operands, int __number) { \
            bool __is_first = true; \
            __T __a = 0; \
            visit_lanes<__T>(__operands, __number, [&](int, __T __b) { \
                __a = __is_first ? __b : static_cast<__T>(combine); \
                __is_first = false; \
            }); \
            return __a; \
        } \
    };

KBUILD_CPU_REGION_REDUCE(__reduce_add_sync,
                         static_cast<unsigned int>(__a) + static_cast<unsigned int>(__b))
KBUILD_CPU_REGION_REDUCE(__reduce_min_sync, __b < __a ? __b : __a)
KBUILD_CPU_REGION_REDUCE(__reduce_max_sync, __a < __b ? __b : __a)
KBUILD_CPU_REGION_REDUCE(__reduce_and_sync, __a &__b)
KBUILD_CPU_REGION_REDUCE(__reduce_or_sync, __a | __b)
KBUILD_CPU_REGION_REDUCE(__reduce_xor_sync, __a ^ __b)

#undef KBUILD_CPU_REGION_REDUCE

struct __activemask {
    template <class, int __Most>
    KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &, int) {}
    template <class __Set, class __Live, int __Most>
    static void finish(const __Set &__set, const __Live &, operands<__Most> &__operands) {
        if (__set.of.has_awaited) check_awaited(__set);
        for (int __warp = 0; __warp * 32 < __set.of.threads; ++__warp)
            __operands.votes[__warp] = __set.lanes(__warp);
    }
    template <class, int __Most>
    KBUILD_CPU_ALWAYS_INLINE static unsigned int get(operands<__Most> &__operands, int __number) {
        return __operands.votes[__number >> 5];
    }
};

/* What threads bring to an operation whose mask can differ between them. */
template <int __Most>
struct masked_operands : operands<__Most> {
    masked_operands() { memset(this->votes, 0, sizeof this->votes); }
    unsigned masks[__Most + 32];
};

/* An operation whose mask can differ between threads: each one brings its mask, too. */
template <class __Operation>
struct masked {
    template <class __T, int __Most, class... __Value>
    KBUILD_CPU_ALWAYS_INLINE static void put(masked_operands<__Most> &__operands, int __number,
                                             unsigned __mask, const __Value &...__value) {
        __operands.masks[__number] = __mask;
        __Operation::template put<__T>(__operands, __number, __value...);
    }
    template <class __Set, class __Live, int __Most>
    static void finish(const __Set &__set, const __Live &__live,
                       masked_operands<__Most> &__operands, KBUILD_CPU_CALLER) {
        __Operation::finish(__set, __live, __operands, lane_mask(__operands.masks), __file, __line);
    }
    template <class __T, int __Most, class... __Argument>
    static auto get(masked_operands<__Most> &__operands, int __number,
                    const __Argument &...__argument) {
        const unsigned __mask = __operands.masks[__number];
        unsigned &__votes = __operands.votes[__number >> 5];
        const unsigned __all = __votes;
        __votes &= __mask;
        __operands.sum = __mask;
        const auto __result = __Operation::template get<__T>(__operands, __number, __argument...);
        __votes = __all;
        return __result;
    }
};
/* The operation without a value. */
template <>
struct masked<__syncwarp> {
    template <int __Most>
    KBUILD_CPU_ALWAYS_INLINE static void put(masked_operands<__Most> &__operands, int __number,
                                             unsigned __mask) {
        __operands.masks[__number] = __mask;
    }
    template <class __Set, class __Live, int __Most>
    static void finish(const __Set &__set, const __Live &__live,
                       masked_operands<__Most> &__operands, KBUILD_CPU_CALLER) {
        __syncwarp::finish(__set, __live, lane_mask(__operands.masks), __file, __line);
    }
};

}  // namespace kbuild_cpu::regions

#endif
