/* Tiles, which are consecutive threads of a block whose number is part of the type. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_TILES_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_TILES_H

#include "warp_groups.h"

#pragma GCC system_header

KBUILD_CPU_GROUPS_BEGIN

/* Where the threads of a tile meet that is larger than a warp.  Threads can write the values for
 * their next meeting before all threads have read those of the last one, so there are two of each.
 * Between two meetings, all counts are complete, so that the next block can continue with them. */
template <unsigned int __N>
class __meeting {
public:
    static __meeting &__of_tile() {
        static KBUILD_CPU_SHARED __meeting __all[1024 / __N];
        return kbuild_cpu::in_block(__all)[kbuild_cpu::thread_number() / __N];
    }

    void __sync(kbuild_cpu_call __call) {
        if (__phases_ == 0) __phases_ = kbuild_cpu::make_phases(__N);
        kbuild_cpu::no_completion __nothing;
        const uint64_t __before = kbuild_cpu::arrive(&__phases_, 1, 0, __nothing);
        kbuild_cpu::wait_for_phase(&__phases_, kbuild_cpu::phase_number(__before), __call);
    }
    /* Returns the values of all ranks. */
    const uint64_t *__exchange(kbuild_cpu_call __call, uint64_t __value) {
        uint64_t *const __values = __values_[kbuild_cpu::phase_number(__phases_) % 2];
        __values[kbuild_cpu::thread_number() % __N] = __value;
        __sync(__call);
        return __values;
    }

private:
    uint64_t __phases_;
    uint64_t __values_[2][__N];
};

template <unsigned int __N>
class __tile_of_threads {
    static_assert(__N != 0 && (__N & (__N - 1)) == 0, "the size of a tile must be a power of two");
    static_assert(__N <= 1024, "a tile has at most 1024 threads");

public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;

    static constexpr unsigned int size() { return __N; }
    static constexpr unsigned int num_threads() { return __N; }
    static unsigned int thread_rank() { return kbuild_cpu::thread_number() % __N; }
};

/* A part of a warp. */
template <unsigned int __N, bool __is_large = (__N > KBUILD_CPU_WARP_SIZE)>
class __tile : public __warp_group, public __tile_of_threads<__N> {
public:
    using __tile_of_threads<__N>::thread_scope;
    using __tile_of_threads<__N>::size;
    using __tile_of_threads<__N>::num_threads;
    using __tile_of_threads<__N>::thread_rank;

    template <class __T>
    __T shfl_xor(__T __value, unsigned int __mask, KBUILD_CPU_CALLER) const {
        const unsigned int __rank = thread_rank() ^ __mask;
        return __lanes_.__read(KBUILD_CPU_GROUP_CALL("shfl_xor()"), __value,
                               __rank < __N ? __rank : thread_rank());
    }

protected:
    __tile(unsigned int __meta_rank, unsigned int __meta_size)
        : __warp_group(__own_lanes(), __meta_rank, __meta_size) {}

    static __lanes __own_lanes() {
        const unsigned int __lane = kbuild_cpu::thread_number() % KBUILD_CPU_WARP_SIZE;
        return __lanes((~__lane_mask{0} >> (KBUILD_CPU_WARP_SIZE - __N)) << (__lane & (0 - __N)));
    }
};

/* Several warps. */
template <unsigned int __N>
class __tile<__N, true> : public __tile_of_threads<__N> {
public:
    typedef void __kbuild_movable;

    void sync(KBUILD_CPU_CALLER) const {
        __meeting<__N>::__of_tile().__sync(KBUILD_CPU_GROUP_CALL("sync()"));
    }
    unsigned int meta_group_rank() const { return __meta_rank_; }
    unsigned int meta_group_size() const { return __meta_size_; }

    template <class __T>
    __T shfl(__T __value, unsigned int __rank, KBUILD_CPU_CALLER) const {
        return kbuild_cpu::from_word<__T>(
            __exchange(KBUILD_CPU_GROUP_CALL("shfl()"), __value)[__rank % __N]);
    }
    int any(int __predicate, KBUILD_CPU_CALLER) const {
        return __has(KBUILD_CPU_GROUP_CALL("any()"), __predicate != 0);
    }
    int all(int __predicate, KBUILD_CPU_CALLER) const {
        return !__has(KBUILD_CPU_GROUP_CALL("all()"), __predicate == 0);
    }

    /* Returns the values of all ranks.  They are valid until the thread's second call from now. */
    template <class __T>
    const uint64_t *__exchange(kbuild_cpu_call __call, const __T &__value) const {
        return __meeting<__N>::__of_tile().__exchange(__call, kbuild_cpu::to_word(__value));
    }
    static __lanes __get_warp() { return __lanes(~__lane_mask{0}); }

protected:
    __tile(unsigned int __meta_rank, unsigned int __meta_size)
        : __meta_rank_(__meta_rank), __meta_size_(__meta_size) {}

private:
    bool __has(kbuild_cpu_call __call, bool __predicate) const {
        const uint64_t *const __values = __exchange(__call, __predicate);
        for (unsigned int __i = 0; __i < __N; ++__i)
            if (__values[__i] != 0) return true;
        return false;
    }

    unsigned int __meta_rank_, __meta_size_;
};

template <unsigned int __N, class __Parent = void>
class thread_block_tile;

/* A tile whose parent is not part of the type. */
template <unsigned int __N>
class thread_block_tile<__N, void> : public __tile<__N> {
protected:
    thread_block_tile(unsigned int __meta_rank, unsigned int __meta_size)
        : __tile<__N>(__meta_rank, __meta_size) {}

    friend thread_block_tile<1, void> this_thread();
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
inline thread_block_tile<__N, thread_block> KBUILD_NEEDS_BLOCK
tiled_partition(const thread_block &__parent) {
    return thread_block_tile<__N, thread_block>(__parent);
}
template <unsigned int __N, unsigned int __M, class __P>
inline thread_block_tile<__N, thread_block_tile<__M, __P>> KBUILD_NEEDS_BLOCK
tiled_partition(const thread_block_tile<__M, __P> &__parent) {
    static_assert(__N <= __M, "a tile must not be larger than its parent");
    return thread_block_tile<__N, thread_block_tile<__M, __P>>(__parent);
}

inline thread_block_tile<1, void> KBUILD_CALL_NEEDS_BLOCK this_thread() { return {0, 1}; }

/* For calls with template arguments. */
template <unsigned int __N, class __Parent>
inline coalesced_group KBUILD_NEEDS_BLOCK binary_partition(
    const thread_block_tile<__N, __Parent> &__tile, bool __predicate, KBUILD_CPU_CALLER) {
    return binary_partition<thread_block_tile<__N, __Parent>>(__tile, __predicate, __file, __line);
}
template <class __Label, unsigned int __N, class __Parent>
inline coalesced_group KBUILD_NEEDS_BLOCK labeled_partition(
    const thread_block_tile<__N, __Parent> &__tile, __Label __label, KBUILD_CPU_CALLER) {
    return labeled_partition<thread_block_tile<__N, __Parent>, __Label>(__tile, __label, __file,
                                                                        __line);
}

KBUILD_CPU_GROUPS_END

#if defined(KBUILD_DEVICE_CODE) || defined(KBUILD_MIXED_DEVICE)
#include "../regions/groups.h"

#include <stdint.h>
#endif

#endif
