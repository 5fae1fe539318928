/* Groups of lanes of one warp, and how to divide them. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_WARP_GROUPS_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_WARP_GROUPS_H

#include "block_groups.h"

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* A part of a warp. */
class __warp_group : public thread_group {
public:
    void sync(KBUILD_CPU_CALLER) const { __lanes_.__sync(KBUILD_CPU_GROUP_CALL("sync()")); }
    unsigned int meta_group_rank() const { return __meta_rank_; }
    unsigned int meta_group_size() const { return __meta_size_; }

    template <class __T>
    __T shfl(__T __value, int __rank, KBUILD_CPU_CALLER) const {
        const unsigned int __count = __lanes_.__count();
        return __lanes_.__read(KBUILD_CPU_GROUP_CALL("shfl()"), __value,
                               static_cast<unsigned int>(__rank) % __count);
    }
    template <class __T>
    __T shfl_up(__T __value, unsigned int __delta, KBUILD_CPU_CALLER) const {
        const unsigned int __rank = __lanes_.__rank();
        return __lanes_.__read(KBUILD_CPU_GROUP_CALL("shfl_up()"), __value,
                               __rank < __delta ? __rank : __rank - __delta);
    }
    template <class __T>
    __T shfl_down(__T __value, unsigned int __delta, KBUILD_CPU_CALLER) const {
        const unsigned int __rank = __lanes_.__rank();
        const bool __is_own = __delta >= __lanes_.__count() - __rank;
        return __lanes_.__read(KBUILD_CPU_GROUP_CALL("shfl_down()"), __value,
                               __is_own ? __rank : __rank + __delta);
    }
    int any(int __predicate, KBUILD_CPU_CALLER) const {
        return __lanes_.__ballot(KBUILD_CPU_GROUP_CALL("any()"), __predicate != 0) != 0;
    }
    int all(int __predicate, KBUILD_CPU_CALLER) const {
        return __lanes_.__ballot(KBUILD_CPU_GROUP_CALL("all()"), __predicate == 0) == 0;
    }
    __lane_mask ballot(int __predicate, KBUILD_CPU_CALLER) const {
        return __lanes_.__pack(
            __lanes_.__ballot(KBUILD_CPU_GROUP_CALL("ballot()"), __predicate != 0));
    }
    template <class __T>
    __lane_mask match_any(__T __value, KBUILD_CPU_CALLER) const {
        return __lanes_.__pack(static_cast<__lane_mask>(kbuild_cpu::match_any(
            KBUILD_CPU_GROUP_CALL("match_any()"), __lanes_.__mask(), __value)));
    }
    template <class __T>
    __lane_mask match_all(__T __value, int &__is_equal, KBUILD_CPU_CALLER) const {
        const auto __same = static_cast<__lane_mask>(kbuild_cpu::match_all(
            KBUILD_CPU_GROUP_CALL("match_all()"), __lanes_.__mask(), __value));
        __is_equal = __same != 0;
        return __lanes_.__pack(__same);
    }

protected:
    __warp_group(const __lanes &__in, unsigned int __meta_rank, unsigned int __meta_size)
        : thread_group(__in), __meta_rank_(__meta_rank), __meta_size_(__meta_size) {}

    unsigned int __meta_rank_, __meta_size_;
};

/* Threads of a warp that are at the same place, or have the same label. */
class coalesced_group : public __warp_group {
public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;

    unsigned int size() const { return __lanes_.__count(); }
    unsigned int num_threads() const { return size(); }
    unsigned int thread_rank() const { return __lanes_.__rank(); }

    explicit coalesced_group(const __lanes &__in, unsigned int __meta_rank = 0,
                             unsigned int __meta_size = 1)
        : __warp_group(__in, __meta_rank, __meta_size) {}
};

#if KBUILD_CPU_WARP_SIZE == 32
#define KBUILD_CPU_COALESCED KBUILD_WARP_OPERATION
#else
#define KBUILD_CPU_COALESCED KBUILD_NEEDS_BLOCK
#endif
__attribute__((always_inline)) inline coalesced_group KBUILD_CPU_COALESCED
coalesced_threads(KBUILD_CPU_CALLER) {
    return coalesced_group(__lanes(static_cast<__lane_mask>(
        kbuild_cpu::converge(KBUILD_CPU_GROUP_CALL("coalesced_threads()")))));
}

#undef KBUILD_CPU_COALESCED

/* The threads of a group whose ranks are in the same multiple of the size. */
inline __lanes __divide(kbuild_cpu_call __call, const __lanes &__parent, unsigned int __size) {
    if (__size == 0 || (__size & (__size - 1)) != 0 || __size > KBUILD_CPU_WARP_SIZE)
        kbuild_cpu::fail_call(__call,
                              "the size of a tile must be a power of two, and at most a warp");
    const unsigned int __first = __parent.__rank() / __size * __size;
    __lane_mask __mask = 0;
    for (unsigned int __i = __first; __i < __first + __size && __i < __parent.__count(); ++__i)
        __mask |= __lane_mask{1} << __parent.__lane(__i);
    return __lanes(__mask);
}
inline coalesced_group KBUILD_NEEDS_BLOCK tiled_partition(const coalesced_group &__parent,
                                                          unsigned int __size, KBUILD_CPU_CALLER) {
    const __lanes __tile =
        __divide(KBUILD_CPU_GROUP_CALL("tiled_partition()"), __parent.__get_lanes(), __size);
    if (__parent.size() <= __size) return __parent;
    return coalesced_group(__tile, __parent.thread_rank() / __size,
                           (__parent.size() + __size - 1) / __size);
}
inline thread_group KBUILD_NEEDS_BLOCK tiled_partition(const thread_group &__parent,
                                                       unsigned int __size, KBUILD_CPU_CALLER) {
    const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("tiled_partition()");
    if (__parent.__kind_ == thread_group::__of_lanes)
        return thread_group(__divide(__call, __parent.__get_lanes(), __size));
    const unsigned int __number = kbuild_cpu::thread_number();
    const unsigned int __first = __number / KBUILD_CPU_WARP_SIZE * KBUILD_CPU_WARP_SIZE;
    const unsigned int __rest = thread_block::size() - __first;
    const unsigned int __count = __rest < KBUILD_CPU_WARP_SIZE ? __rest : KBUILD_CPU_WARP_SIZE;
    const __lanes __warp(~__lane_mask{0} >> (KBUILD_CPU_WARP_SIZE - __count));
    return thread_group(__divide(__call, __warp, __size));
}

/* The group of those whose predicate is false comes first. */
template <class __Group>
inline coalesced_group KBUILD_NEEDS_BLOCK binary_partition(const __Group &__parent,
                                                           bool __predicate, KBUILD_CPU_CALLER) {
    const __lanes &__all = __parent.__get_lanes();
    const __lane_mask __true =
        __all.__ballot(KBUILD_CPU_GROUP_CALL("binary_partition()"), __predicate);
    if (__true == 0 || __true == __all.__mask()) return coalesced_group(__all);
    return coalesced_group(__lanes(__predicate ? __true : __all.__mask() & ~__true), __predicate,
                           2);
}

/* Divides a group into those whose labels are equal. */
template <class __Group, class __Label>
inline coalesced_group KBUILD_NEEDS_BLOCK labeled_partition(const __Group &__parent,
                                                            __Label __label, KBUILD_CPU_CALLER) {
    if constexpr (std::is_same_v<__Label, bool>)
        return binary_partition(__parent, __label, __file, __line);
    static_assert(std::is_integral_v<__Label> || std::is_pointer_v<__Label>,
                  "the label must be an integer or a pointer");
    const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("labeled_partition()");
    const __lanes &__all = __parent.__get_lanes();
    const __lanes __own(
        static_cast<__lane_mask>(kbuild_cpu::match_any(__call, __all.__mask(), __label)));
    /* Groups are numbered by their first lanes. */
    const auto __is_first = __own.__rank() == 0;
    const __lane_mask __firsts = __all.__ballot(__call, __is_first);
    const __lane_mask __first = __own.__mask() & (0 - __own.__mask());
    return coalesced_group(__own, __builtin_popcountll(__firsts & (__first - 1)),
                           __builtin_popcountll(__firsts));
}

KBUILD_CPU_GROUPS_END

#endif
