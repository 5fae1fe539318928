/* Warp operations.  Each one waits for exactly the lanes of its mask.
 *
 * The functions of namespace kbuild_cpu are for warps of any size.  CUDA's have 32 lanes. */
#ifndef KBUILD_CPU_WARP_H
#define KBUILD_CPU_WARP_H

#include "builtins.h"
#include "qualifiers.h"
#include "scheduling.h"

#include <string.h>
#if defined(KBUILD_CHECKED)
#include <kbuild/detail/cpu_checks.h>
#endif

#pragma GCC system_header

namespace kbuild_cpu {

KBUILD_CPU_UNCHECKED __device__ inline unsigned int thread_number() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

/* Waits for the lanes of the mask, and returns the value of each. */
KBUILD_CPU_UNCHECKED __device__ inline const kbuild_cpu_lanes &exchange(kbuild_cpu_call __call,
                                                                        kbuild_uint64 __mask,
                                                                        kbuild_uint64 __value = 0) {
    return *kbuild_cpu_waits->exchange(kbuild_cpu_runner, &__call, __mask, __value);
}
/* Two branches can call one function, which compilers inline.  gcc copies code, but a variable of an inlined function
 * remains one variable, and has an address of its own if it is volatile: gcc does not know where its lifetime ends.
 * clang merges variables, but not calls with the attribute. */
#if defined(__clang__)
#define KBUILD_CPU_KEPT_CALL [[clang::nomerge]]
#else
#define KBUILD_CPU_KEPT_CALL
#endif
KBUILD_CPU_UNCHECKED __device__ inline kbuild_uint64 converge_at(const volatile char *__place,
                                                                 kbuild_cpu_call __call) {
    KBUILD_CPU_KEPT_CALL return kbuild_cpu_waits->converge(kbuild_cpu_runner, &__call, __place);
}
__attribute__((always_inline)) __device__ inline kbuild_uint64 converge(kbuild_cpu_call __call) {
#if defined(__clang__)
    KBUILD_CPU_KEPT_CALL return converge_at(nullptr, __call);
#else
    volatile char __place;
    return converge_at(&__place, __call);
#endif
}
#undef KBUILD_CPU_KEPT_CALL

template <class __T>
__device__ inline kbuild_uint64 to_word(const __T &__value) {
    static_assert(sizeof(__T) <= 8 && __is_trivially_copyable(__T),
                  "kbuild: warp operations exchange values of at most 8 bytes");
    /* In instrumented code, a copy is a call. */
    if constexpr (sizeof(__T) == 8)
        return __builtin_bit_cast(kbuild_uint64, __value);
    else if constexpr (sizeof(__T) == 4)
        return __builtin_bit_cast(kbuild_uint32, __value);
    kbuild_uint64 __word = 0;
    __builtin_memcpy(&__word, __builtin_addressof(__value), sizeof(__T));
    return __word;
}
template <class __T>
__device__ inline __T from_word(kbuild_uint64 __word) {
    if constexpr (sizeof(__T) == 8)
        return __builtin_bit_cast(__T, __word);
    else if constexpr (sizeof(__T) == 4)
        return __builtin_bit_cast(__T, static_cast<kbuild_uint32>(__word));
    __T __value;
    __builtin_memcpy(static_cast<void *>(__builtin_addressof(__value)), &__word, sizeof(__T));
    return __value;
}

/* What a lane reads: lane `source`, if it is in the part of the warp with this width, or its own. */
struct shuffle {
    int __lane;
    bool __is_own;
};
KBUILD_CPU_UNCHECKED __device__ inline int lane_of(kbuild_cpu_call __call) {
    return static_cast<int>(thread_number() % __call.warp_size);
}
__device__ inline shuffle shuffle_index(int __lane, int __source, int __width) {
    return {(__lane & -__width) + (__source & (__width - 1)), false};
}
__device__ inline shuffle shuffle_up(int __lane, unsigned int __delta, int __width) {
    const int __rank = __lane & (__width - 1);
    const bool __is_own = static_cast<unsigned int>(__rank) < __delta;
    return {__is_own ? __lane : __lane - static_cast<int>(__delta), __is_own};
}
__device__ inline shuffle shuffle_down(int __lane, unsigned int __delta, int __width) {
    const int __rank = __lane & (__width - 1);
    const bool __is_own = __delta >= static_cast<unsigned int>(__width - __rank);
    return {__is_own ? __lane : __lane + static_cast<int>(__delta), __is_own};
}
__device__ inline shuffle shuffle_lanes(int __lane, int __lanes, int __width) {
    const int __source = __lane ^ __lanes;
    const bool __is_own = (__source & -__width) > (__lane & -__width) || __source < 0;
    return {__is_own ? __lane : __source, __is_own};
}

/* The value of a lane that is not in the mask is undefined in CUDA.  Here it is the lane's own. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline __T shuffle_value(kbuild_cpu_call __call,
                                                         kbuild_uint64 __mask, __T __value,
                                                         const shuffle &__from) {
    const auto &__lanes = exchange(__call, __mask, to_word(__value));
#if defined(KBUILD_CHECKED)
    if (!__from.__is_own && (__lanes.arrived >> __from.__lane & 1) == 0)
        kbuild_cpu_check_report(KBUILD_CPU_BAD_LANE, static_cast<kbuild_uint64>(__from.__lane),
                                __mask, __builtin_return_address(0));
#endif
    return __from.__is_own || (__mask >> __from.__lane & 1) == 0
               ? __value
               : from_word<__T>(__lanes.values[__from.__lane]);
}

KBUILD_CPU_UNCHECKED __device__ inline kbuild_uint64 ballot(kbuild_cpu_call __call,
                                                            kbuild_uint64 __mask,
                                                            bool __predicate) {
    const auto &__lanes = exchange(__call, __mask, __predicate);
    kbuild_uint64 __result = 0;
    for (unsigned int __i = 0; __i < __call.warp_size; ++__i)
        __result |= (__lanes.values[__i] & 1) << __i;
    return __result & __lanes.arrived;
}

/* Returns the lanes with the same value. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline kbuild_uint64 match_any(kbuild_cpu_call __call,
                                                               kbuild_uint64 __mask, __T __value) {
    const kbuild_uint64 __word = to_word(__value);
    const auto &__lanes = exchange(__call, __mask, __word);
    kbuild_uint64 __result = 0;
    for (unsigned int __i = 0; __i < __call.warp_size; ++__i)
        __result |= kbuild_uint64{__lanes.values[__i] == __word} << __i;
    return __result & __lanes.arrived;
}

/* Returns all lanes if they have the same value, or 0. */
template <class __T>
KBUILD_CPU_UNCHECKED __device__ inline kbuild_uint64 match_all(kbuild_cpu_call __call,
                                                               kbuild_uint64 __mask, __T __value) {
    const kbuild_uint64 __word = to_word(__value);
    const auto &__lanes = exchange(__call, __mask, __word);
    for (unsigned int __i = 0; __i < __call.warp_size; ++__i)
        if ((__lanes.arrived >> __i & 1) && __lanes.values[__i] != __word) return 0;
    return __lanes.arrived;
}

/* Combines the values of the lanes, from the first lane on. */
template <class __T, class __Combine>
KBUILD_CPU_UNCHECKED __device__ inline __T reduce(kbuild_cpu_call __call, kbuild_uint64 __mask,
                                                  __T __value, __Combine __combine) {
    const auto &__lanes = exchange(__call, __mask, to_word(__value));
    kbuild_uint64 __rest = __lanes.arrived;
    __T __result = from_word<__T>(__lanes.values[__builtin_ctzll(__rest)]);
    while ((__rest &= __rest - 1) != 0)
        __result = __combine(__result, from_word<__T>(__lanes.values[__builtin_ctzll(__rest)]));
    return __result;
}

}  // namespace kbuild_cpu

/* CUDA has overloads for these types, to which arguments of smaller types are converted.  Headers of
 * other types use KBUILD_CPU_SHUFFLES for them. */
// clang-format off: it would indent the types as calls
#define KBUILD_CPU_SHUFFLE_TYPES(X) \
    X(int) X(unsigned int) X(long) X(unsigned long) X(long long) X(unsigned long long) \
    X(float) X(double)
// clang-format on
#define KBUILD_CPU_MATCH_TYPES(X) KBUILD_CPU_SHUFFLE_TYPES(X)

#define KBUILD_CPU_SHUFFLE(name, index, T) \
    __device__ inline T KBUILD_WARP_OPERATION name(unsigned int __mask, T __value, \
                                                   KBUILD_CPU_SHUFFLE_##index __from, \
                                                   int __width = 32, KBUILD_CPU_CALLER) { \
        const kbuild_cpu_call __call = KBUILD_CPU_CALL(#name); \
        return kbuild_cpu::shuffle_value( \
            __call, __mask, __value, \
            kbuild_cpu::shuffle_##index(kbuild_cpu::lane_of(__call), __from & 31, __width)); \
    }
#define KBUILD_CPU_SHUFFLE_index int
#define KBUILD_CPU_SHUFFLE_up unsigned int
#define KBUILD_CPU_SHUFFLE_down unsigned int
#define KBUILD_CPU_SHUFFLE_lanes int
#define KBUILD_CPU_SHUFFLES(T) \
    KBUILD_CPU_SHUFFLE(__shfl_sync, index, T) \
    KBUILD_CPU_SHUFFLE(__shfl_up_sync, up, T) \
    KBUILD_CPU_SHUFFLE(__shfl_down_sync, down, T) \
    KBUILD_CPU_SHUFFLE(__shfl_xor_sync, lanes, T)

KBUILD_CPU_SHUFFLE_TYPES(KBUILD_CPU_SHUFFLES)

#define KBUILD_CPU_MATCH(T) \
    __device__ inline unsigned int KBUILD_WARP_OPERATION __match_any_sync( \
        unsigned int __mask, T __value, KBUILD_CPU_CALLER) { \
        return static_cast<unsigned int>( \
            kbuild_cpu::match_any(KBUILD_CPU_CALL("__match_any_sync"), __mask, __value)); \
    } \
    __device__ inline unsigned int KBUILD_WARP_OPERATION __match_all_sync( \
        unsigned int __mask, T __value, int *__is_equal, KBUILD_CPU_CALLER) { \
        const auto __same = \
            kbuild_cpu::match_all(KBUILD_CPU_CALL("__match_all_sync"), __mask, __value); \
        *__is_equal = __same != 0; \
        return static_cast<unsigned int>(__same); \
    }

KBUILD_CPU_MATCH_TYPES(KBUILD_CPU_MATCH)

#define KBUILD_CPU_REDUCE(name, T, expression) \
    __device__ inline T KBUILD_WARP_OPERATION name(unsigned int __mask, T __value, \
                                                   KBUILD_CPU_CALLER) { \
        return kbuild_cpu::reduce(KBUILD_CPU_CALL(#name), __mask, __value, \
                                  [](T __a, T __b) { return static_cast<T>(expression); }); \
    }

KBUILD_CPU_REDUCE(__reduce_add_sync, unsigned int, __a + __b)
KBUILD_CPU_REDUCE(__reduce_add_sync, int,
                  static_cast<unsigned int>(__a) + static_cast<unsigned int>(__b))
KBUILD_CPU_REDUCE(__reduce_min_sync, unsigned int, __b < __a ? __b : __a)
KBUILD_CPU_REDUCE(__reduce_min_sync, int, __b < __a ? __b : __a)
KBUILD_CPU_REDUCE(__reduce_max_sync, unsigned int, __a < __b ? __b : __a)
KBUILD_CPU_REDUCE(__reduce_max_sync, int, __a < __b ? __b : __a)
KBUILD_CPU_REDUCE(__reduce_and_sync, unsigned int, __a &__b)
KBUILD_CPU_REDUCE(__reduce_or_sync, unsigned int, __a | __b)
KBUILD_CPU_REDUCE(__reduce_xor_sync, unsigned int, __a ^ __b)

#undef KBUILD_CPU_REDUCE
#undef KBUILD_CPU_MATCH

__device__ inline unsigned int KBUILD_WARP_OPERATION __ballot_sync(unsigned int __mask,
                                                                   int __predicate,
                                                                   KBUILD_CPU_CALLER) {
    return static_cast<unsigned int>(
        kbuild_cpu::ballot(KBUILD_CPU_CALL("__ballot_sync"), __mask, __predicate != 0));
}
__device__ inline int KBUILD_WARP_OPERATION __any_sync(unsigned int __mask, int __predicate,
                                                       KBUILD_CPU_CALLER) {
    return kbuild_cpu::ballot(KBUILD_CPU_CALL("__any_sync"), __mask, __predicate != 0) != 0;
}
/* A lane that has exited does not vote, so the votes against count. */
__device__ inline int KBUILD_WARP_OPERATION __all_sync(unsigned int __mask, int __predicate,
                                                       KBUILD_CPU_CALLER) {
    return kbuild_cpu::ballot(KBUILD_CPU_CALL("__all_sync"), __mask, __predicate == 0) == 0;
}
__device__ inline int KBUILD_NEEDS_BLOCK __uni_sync(unsigned int __mask, int __predicate,
                                                    KBUILD_CPU_CALLER) {
    return kbuild_cpu::match_all(KBUILD_CPU_CALL("__uni_sync"), __mask, __predicate != 0) != 0;
}
__device__ inline void KBUILD_WARP_BARRIER __syncwarp(unsigned int __mask = 0xffffffff,
                                                      KBUILD_CPU_CALLER) {
    kbuild_cpu::exchange(KBUILD_CPU_CALL("__syncwarp"), __mask);
}
__attribute__((always_inline)) __device__ inline unsigned int KBUILD_WARP_OPERATION
__activemask(KBUILD_CPU_CALLER) {
    return static_cast<unsigned int>(kbuild_cpu::converge(KBUILD_CPU_CALL("__activemask")));
}

#endif
