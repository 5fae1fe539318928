/* Cooperative groups: the types of groups, and how to make them. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_GROUPS_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_GROUPS_H

#include "lanes.h"

#pragma GCC system_header

#define CG_HAS_GRID_GROUP 1

KBUILD_CPU_GROUPS_BEGIN

/* Any group.  It is a value, which each of its threads has. */
class thread_group {
public:
    void sync(KBUILD_CPU_CALLER) const {
        const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("sync()");
        if (__kind_ == __of_grid)
            kbuild_cpu_api->grid_barrier(kbuild_cpu_runner, &__call);
        else if (__kind_ == __of_block)
            kbuild_cpu::block_barrier(__call);
        else
            __lanes_.__sync(__call);
    }
    unsigned long long size() const {
        if (__kind_ == __of_lanes) return __lanes_.__count();
        const unsigned int __threads = blockDim.x * blockDim.y * blockDim.z;
        return __kind_ == __of_block ? __threads : 1ull * __threads * __count_blocks();
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        if (__kind_ == __of_lanes) return __lanes_.__rank();
        const unsigned int __number = kbuild_cpu::thread_number();
        if (__kind_ == __of_block) return __number;
        return __number_block() * blockDim.x * blockDim.y * blockDim.z + __number;
    }
    bool is_valid() const { return true; }

    /* The group's lanes, if it is part of a warp. */
    const __lanes &__get_lanes() const { return __lanes_; }

protected:
    enum __kind { __of_block, __of_grid, __of_lanes };
    explicit thread_group(__kind __what) : __kind_(__what) {}
    explicit thread_group(const __lanes &__in) : __kind_(__of_lanes), __lanes_(__in) {}

    static unsigned long long __count_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long __number_block() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }

    friend thread_group tiled_partition(const thread_group &__parent, unsigned int __size);

    __kind __kind_;
    __lanes __lanes_;
};

/* All threads of the block. */
class thread_block : public thread_group {
public:
    struct arrival_token {};

    static void sync(KBUILD_CPU_CALLER) {
        kbuild_cpu::block_barrier(KBUILD_CPU_GROUP_CALL("thread_block::sync()"));
    }
    /* A thread passes the barrier when all threads wait, which is later than CUDA requires. */
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, KBUILD_CPU_CALLER) const { sync(__file, __line); }
    static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
    static unsigned int num_threads() { return size(); }
    static unsigned int thread_rank() { return kbuild_cpu::thread_number(); }
    static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }

private:
    thread_block() : thread_group(__of_block) {}
    friend thread_block this_thread_block();
};
inline thread_block this_thread_block() { return {}; }

/* All threads of a cooperative launch. */
class grid_group : public thread_group {
public:
    struct arrival_token {};

    bool is_valid() const { return kbuild_cpu_api->is_cooperative(kbuild_cpu_runner) != 0; }
    void sync(KBUILD_CPU_CALLER) const {
        const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("grid_group::sync()");
        kbuild_cpu_api->grid_barrier(kbuild_cpu_runner, &__call);
    }
    arrival_token barrier_arrive() const { return {}; }
    void barrier_wait(arrival_token &&, KBUILD_CPU_CALLER) const { sync(__file, __line); }
    static unsigned long long size() { return __count_blocks() * thread_block::size(); }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long thread_rank() {
        return __number_block() * thread_block::size() + kbuild_cpu::thread_number();
    }
    static unsigned long long num_blocks() { return __count_blocks(); }
    static unsigned long long block_rank() { return __number_block(); }
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }

private:
    grid_group() : thread_group(__of_grid) {}
    friend grid_group this_grid();
};
inline grid_group this_grid() { return {}; }

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
    unsigned int size() const { return __lanes_.__count(); }
    unsigned int num_threads() const { return size(); }
    unsigned int thread_rank() const { return __lanes_.__rank(); }

    explicit coalesced_group(const __lanes &__in, unsigned int __meta_rank = 0,
                             unsigned int __meta_size = 1)
        : __warp_group(__in, __meta_rank, __meta_size) {}
};

inline coalesced_group coalesced_threads(KBUILD_CPU_CALLER) {
    return coalesced_group(__lanes(static_cast<__lane_mask>(
        kbuild_cpu::converge(KBUILD_CPU_GROUP_CALL("coalesced_threads()")))));
}

template <unsigned int __N, class __Parent = void>
class thread_block_tile;

/* A tile of consecutive threads whose parent is not part of the type. */
template <unsigned int __N>
class thread_block_tile<__N, void> : public __warp_group {
    static_assert(__N != 0 && (__N & (__N - 1)) == 0, "the size of a tile must be a power of two");
    static_assert(__N <= KBUILD_CPU_WARP_SIZE,
                  "kbuild: the cpu backend does not support tiles that are larger than a warp");

public:
    static constexpr unsigned int size() { return __N; }
    static constexpr unsigned int num_threads() { return __N; }
    static unsigned int thread_rank() { return kbuild_cpu::thread_number() % __N; }

    template <class __T>
    __T shfl_xor(__T __value, unsigned int __mask, KBUILD_CPU_CALLER) const {
        const unsigned int __rank = thread_rank() ^ __mask;
        return __lanes_.__read(KBUILD_CPU_GROUP_CALL("shfl_xor()"), __value,
                               __rank < __N ? __rank : thread_rank());
    }

protected:
    thread_block_tile(unsigned int __meta_rank, unsigned int __meta_size)
        : __warp_group(__own_lanes(), __meta_rank, __meta_size) {}

    static __lanes __own_lanes() {
        const unsigned int __lane = kbuild_cpu::thread_number() % KBUILD_CPU_WARP_SIZE;
        return __lanes((~__lane_mask{0} >> (KBUILD_CPU_WARP_SIZE - __N)) << (__lane & (0 - __N)));
    }
};

template <unsigned int __N, class __Parent>
class thread_block_tile : public thread_block_tile<__N, void> {
public:
    explicit thread_block_tile(const __Parent &__parent)
        : thread_block_tile<__N, void>(
              static_cast<unsigned int>(__parent.thread_rank()) / __N,
              (static_cast<unsigned int>(__parent.size()) + __N - 1) / __N) {}
};

template <unsigned int __N>
inline thread_block_tile<__N, thread_block> tiled_partition(const thread_block &__parent) {
    return thread_block_tile<__N, thread_block>(__parent);
}
template <unsigned int __N, unsigned int __M, class __P>
inline thread_block_tile<__N, thread_block_tile<__M, __P>> tiled_partition(
    const thread_block_tile<__M, __P> &__parent) {
    static_assert(__N <= __M, "a tile must not be larger than its parent");
    return thread_block_tile<__N, thread_block_tile<__M, __P>>(__parent);
}

/* The threads of a group whose ranks are in the same multiple of the size. */
inline __lanes __divide(const __lanes &__parent, unsigned int __size) {
    const unsigned int __first = __parent.__rank() / __size * __size;
    __lane_mask __mask = 0;
    for (unsigned int __i = __first; __i < __first + __size && __i < __parent.__count(); ++__i)
        __mask |= __lane_mask{1} << __parent.__lane(__i);
    return __lanes(__mask);
}
inline coalesced_group tiled_partition(const coalesced_group &__parent, unsigned int __size) {
    return coalesced_group(__divide(__parent.__get_lanes(), __size),
                           __parent.thread_rank() / __size,
                           (__parent.size() + __size - 1) / __size);
}
inline thread_group tiled_partition(const thread_group &__parent, unsigned int __size) {
    if (__parent.__kind_ == thread_group::__of_lanes)
        return thread_group(__divide(__parent.__get_lanes(), __size));
    const unsigned int __number = kbuild_cpu::thread_number();
    const unsigned int __first = __number / KBUILD_CPU_WARP_SIZE * KBUILD_CPU_WARP_SIZE;
    const unsigned int __rest = thread_block::size() - __first;
    const unsigned int __count = __rest < KBUILD_CPU_WARP_SIZE ? __rest : KBUILD_CPU_WARP_SIZE;
    const __lanes __warp(~__lane_mask{0} >> (KBUILD_CPU_WARP_SIZE - __count));
    return thread_group(__divide(__warp, __size));
}

/* Divides a group into those whose labels are equal. */
template <class __Group, class __Label>
inline coalesced_group labeled_partition(const __Group &__parent, __Label __label,
                                         KBUILD_CPU_CALLER) {
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
/* The group of those whose predicate is false comes first. */
template <class __Group>
inline coalesced_group binary_partition(const __Group &__parent, bool __predicate,
                                        KBUILD_CPU_CALLER) {
    const __lanes &__all = __parent.__get_lanes();
    const __lane_mask __true =
        __all.__ballot(KBUILD_CPU_GROUP_CALL("binary_partition()"), __predicate);
    if (__true == 0 || __true == __all.__mask()) return coalesced_group(__all);
    return coalesced_group(__lanes(__predicate ? __true : __all.__mask() & ~__true), __predicate, 2);
}

template <class __Group>
inline void sync(const __Group &__group, KBUILD_CPU_CALLER) { __group.sync(__file, __line); }
template <class __Group>
inline auto thread_rank(const __Group &__group) { return __group.thread_rank(); }
template <class __Group>
inline auto group_size(const __Group &__group) { return __group.size(); }

/* Lets the first thread of the group call the function. */
template <class __Group, class __Function, class... __Arguments>
inline void invoke_one(const __Group &__group, __Function &&__function,
                       __Arguments &&...__arguments) {
    if (__group.thread_rank() == 0)
        static_cast<__Function &&>(__function)(static_cast<__Arguments &&>(__arguments)...);
}
template <class __Group, class __Function, class... __Arguments>
inline auto invoke_one_broadcast(const __Group &__group, __Function &&__function,
                                 __Arguments &&...__arguments) {
    typedef decltype(static_cast<__Function &&>(__function)(
        static_cast<__Arguments &&>(__arguments)...)) __result_t;
    __result_t __result{};
    if (__group.thread_rank() == 0)
        __result =
            static_cast<__Function &&>(__function)(static_cast<__Arguments &&>(__arguments)...);
    return __group.shfl(__result, 0);
}

#define KBUILD_CPU_NO_GROUP(name) \
    __attribute__((error("kbuild: the cpu backend does not support " #name)))

struct cluster_group : thread_group {};
struct multi_grid_group : thread_group {};
KBUILD_CPU_NO_GROUP(this_cluster) cluster_group this_cluster();
KBUILD_CPU_NO_GROUP(this_multi_grid) multi_grid_group this_multi_grid();

#undef KBUILD_CPU_NO_GROUP

KBUILD_CPU_GROUPS_END

#endif
