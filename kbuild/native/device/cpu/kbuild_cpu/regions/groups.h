/* Cooperative groups in kernels that are divided into regions; see regions.h.
 *
 * A variable for a group becomes two: a constant outside of regions, which knows nothing about threads, and
 * another one in each region, which knows the thread. `__operations` has a class for each function in which the
 * threads of the group wait for each other. */
#ifndef KBUILD_CPU_REGIONS_GROUPS_H
#define KBUILD_CPU_REGIONS_GROUPS_H

#include "../cooperative_groups/tiles.h"
#include "warp.h"

#pragma GCC system_header

namespace kbuild_cpu::regions {

struct block_operations {
    struct sync {
        template <class __Set, class __Live>
        KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live,
                                                    KBUILD_CPU_CALLER) {
            check_barrier(KBUILD_CPU_CALL("thread_block::sync()"), __set, __live);
        }
    };
};

class thread_of_block;
struct block_group {
    typedef block_operations __operations;
    typedef thread_of_block __in_region;
    typedef void __kbuild_block;

    /* What the source means, for calls of its functions. */
    static auto __original() { return cooperative_groups::this_thread_block(); }
    static unsigned int size() { return num_threads(); }
    static unsigned int num_threads() { return ::blockDim.x * ::blockDim.y * ::blockDim.z; }
    static ::dim3 group_dim() { return ::kbuild_cpu::block_extent(); }
    static ::dim3 dim_threads() { return ::kbuild_cpu::block_extent(); }
    static ::dim3 group_index() { return {::blockIdx.x, ::blockIdx.y, ::blockIdx.z}; }

    /* The rank of a thread whose number in the block is known. */
    static unsigned int __rank(unsigned int __number) { return __number; }
};
class thread_of_block : public block_group {
public:
    KBUILD_CPU_ALWAYS_INLINE thread_of_block(const ::uint3 &__index, int __number)
        : index_(__index), number_(static_cast<unsigned int>(__number)) {}

    KBUILD_CPU_ALWAYS_INLINE unsigned int thread_rank() const { return number_; }
    KBUILD_CPU_ALWAYS_INLINE ::dim3 thread_index() const { return {index_.x, index_.y, index_.z}; }

private:
    const ::uint3 index_;
    const unsigned int number_;
};

#if KBUILD_CPU_WARP_SIZE == 32 && !defined(__shfl_sync)
template <int __Width>
struct tile_operations {
    static_assert(__Width > 0 && __Width <= 32, "kbuild: the tile is larger than a warp");

    struct sync {
        template <class __Set, class __Live>
        KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live,
                                                    KBUILD_CPU_CALLER) {
            check_tiles<__Width>(KBUILD_CPU_CALL("sync()"), __set, __live);
        }
    };

#define KBUILD_CPU_TILE_SHUFFLE(name, of_warp, type) \
    struct name { \
        template <class __T, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                                 __T __value) { \
            of_warp::template put<__T>(__operands, __number, __value); \
        } \
        template <class __Set, class __Live, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void finish(const __Set &__set, const __Live &__live, \
                                                    operands<__Most> &__operands, \
                                                    KBUILD_CPU_CALLER) { \
            check_tiles<__Width>(KBUILD_CPU_CALL(#name "()"), __set, __live); \
            __operands.sum = ~0u; \
        } \
        template <class __T, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static __T get(operands<__Most> &__operands, int __number, \
                                                type __any) { \
            return of_warp::template get<__T>(__operands, __number, __any, __Width); \
        } \
    };
    KBUILD_CPU_TILE_SHUFFLE(shfl, __shfl_sync, int)
    KBUILD_CPU_TILE_SHUFFLE(shfl_up, __shfl_up_sync, unsigned int)
    KBUILD_CPU_TILE_SHUFFLE(shfl_down, __shfl_down_sync, unsigned int)
    KBUILD_CPU_TILE_SHUFFLE(shfl_xor, __shfl_xor_sync, unsigned int)
#undef KBUILD_CPU_TILE_SHUFFLE

#define KBUILD_CPU_TILE_VOTE(name, type, vote, result) \
    struct name { \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number, \
                                                 int __predicate) { \
            __operands.__storage[__operands.before + __number] = vote; \
        } \
        template <class __Set, class __Live, int __Most> \
        static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands, \
                           KBUILD_CPU_CALLER) { \
            check_tiles<__Width>(KBUILD_CPU_CALL(#name "()"), __set, __live); \
            pack_votes(__operands, __set.of.threads); \
        } \
        template <class, int __Most> \
        KBUILD_CPU_ALWAYS_INLINE static type get(operands<__Most> &__operands, int __number) { \
            const unsigned __votes = \
                __operands.votes[__number >> 5] >> (__number & 31 & -__Width) & \
                ~0u >> (32 - __Width); \
            return static_cast<type>(result); \
        } \
    };
    KBUILD_CPU_TILE_VOTE(ballot, unsigned int, __predicate != 0, __votes)
    KBUILD_CPU_TILE_VOTE(any, int, __predicate != 0, __votes != 0)
    KBUILD_CPU_TILE_VOTE(all, int, __predicate == 0, __votes == 0)
#undef KBUILD_CPU_TILE_VOTE

    /* The first thread of a tile that asks for the result combines the values, in the order of shfl_xor. */
    struct reduce {
        template <class __T, int __Most>
        KBUILD_CPU_ALWAYS_INLINE static void put(operands<__Most> &__operands, int __number,
                                                 const __T &__value) {
            __operands.template values<__T>()[__number] = __value;
        }
        template <class __Set, class __Live, int __Most>
        static void finish(const __Set &__set, const __Live &__live, operands<__Most> &__operands,
                           KBUILD_CPU_CALLER) {
            check_tiles<__Width>(KBUILD_CPU_CALL("reduce()"), __set, __live);
            memset(__operands.votes, 0, sizeof __operands.votes);
        }
        template <class __T, int __Most, class __Operation>
        static __T get(operands<__Most> &__operands, int __number, __Operation &&__operation) {
            const int __first = __number & -__Width;
            __T *const __values = __operands.template values<__T>() + __first;
            const unsigned __tile = 1u << (__first & 31);
            unsigned &__done = __operands.votes[__number >> 5];
            if ((__done & __tile) == 0) {
                __done |= __tile;
                combine(__values, __operation);
            }
            return __values[__number - __first];
        }

    private:
        template <class __T, class __Operation>
        static void combine(__T *__values, __Operation &__operation) {
            for (int __half = __Width / 2; __half > 0; __half /= 2) {
                cooperative_groups::__lane_values<__T> __old;
                memcpy(static_cast<void *>(__old.__of), __values, sizeof(__T) * __Width);
                for (int __i = 0; __i < __Width; ++__i)
                    __values[__i] = __operation(__old.__of[__i], __old.__of[__i ^ __half]);
            }
        }
    };
};

/* A tile, whose place in its parent is known only with the parent. A parameter of type thread_block_tile<N> has
 * the parent void, and a function that asks it for a place is not divided. */
template <unsigned int __N, class __Parent>
class thread_of_tile;
template <unsigned int __N, class __Parent>
struct tile_group {
    typedef tile_operations<static_cast<int>(__N)> __operations;
    typedef thread_of_tile<__N, __Parent> __in_region;

    constexpr tile_group() = default;
    /* Forgets the parent. */
    template <class __Known, class = enable_if_t<is_same_v<__Parent, void>, __Known>>
    constexpr tile_group(const tile_group<__N, __Known> &) {}

    static auto __original() {
        return cooperative_groups::tiled_partition<__N>(
            conditional_t<is_same_v<__Parent, void>, block_group, __Parent>::__original());
    }
    static constexpr unsigned int size() { return __N; }
    static constexpr unsigned int num_threads() { return __N; }
    static unsigned int __rank(unsigned int __number) { return __number % __N; }

    template <class __P = __Parent>
    static enable_if_t<!is_same_v<__P, void>, unsigned int> meta_group_size() {
        return (__P::size() + __N - 1) / __N;
    }
};
template <unsigned int __N, class __Parent>
class thread_of_tile : public tile_group<__N, __Parent> {
public:
    KBUILD_CPU_ALWAYS_INLINE thread_of_tile(const ::uint3 &, int __number)
        : number_(static_cast<unsigned int>(__number)) {}

    KBUILD_CPU_ALWAYS_INLINE unsigned int thread_rank() const { return this->__rank(number_); }
    template <class __P = __Parent>
    KBUILD_CPU_ALWAYS_INLINE enable_if_t<!is_same_v<__P, void>, unsigned int> meta_group_rank()
        const {
        return __P::__rank(number_) / __N;
    }

    /* For the types of the results. */
    template <class __T>
    __T shfl(__T, int) const;
    template <class __T>
    __T shfl_up(__T, unsigned int) const;
    template <class __T>
    __T shfl_down(__T, unsigned int) const;
    template <class __T>
    __T shfl_xor(__T, unsigned int) const;
    unsigned int ballot(int) const;
    int any(int) const;
    int all(int) const;

private:
    const unsigned int number_;
};

__attribute__((noinline, cold)) inline void reject_group(const kbuild_cpu_call &__call,
                                                         const ::uint3 &__index) {
    kbuild_cpu_fail_thread(&__call,
                           "the group is larger than a block; compile with KBUILD_CPU_SPLIT=off",
                           __index.x, __index.y, __index.z);
}
/* Groups that are objects. Each thread brings the lanes of its group, or 0 for the block. */
template <class __Group>
KBUILD_CPU_ALWAYS_INLINE unsigned mask_of(const __Group &__of, const ::uint3 &__index,
                                          KBUILD_CPU_CALLER) {
    using namespace cooperative_groups;
    static_assert(__is_base_of(thread_group, __Group),
                  "kbuild: the object is not a group of threads");
    static_assert(!is_same_v<__Group, grid_group> && !is_same_v<__Group, cluster_group>,
                  "kbuild: the group is larger than a block");
    const thread_group &__any = __of;
    const unsigned __kind = __any.get_type();
    if (__kind == 1) return __any.__get_lanes().__mask();
    if (__kind != 4) reject_group(KBUILD_CPU_CALL("the function of a group"), __index);
    return 0;
}

struct group_object {
    struct __operations {
        struct sync {};
        /* The lanes of a group, and the number of one of them; see __warp_group. */
#define KBUILD_CPU_OBJECT_SHUFFLE(name, type, source) \
    struct name { \
        KBUILD_CPU_EXCHANGE(name) \
        template <class __T, int __Most> \
        static __T get(operands<__Most> &__operands, int __number, type __any) { \
            const cooperative_groups::__lanes __in(static_cast<unsigned>(__operands.sum)); \
            const unsigned __count = __in.__count(), \
                           __rank = \
                               __builtin_popcount(__in.__mask() & ((1u << (__number & 31)) - 1)); \
            [[maybe_unused]] const auto __by = static_cast<unsigned>(__any); \
            return __operands.template values<__T>()[(__number & ~31) + __in.__lane(source)]; \
        } \
    };
        KBUILD_CPU_OBJECT_SHUFFLE(shfl, int, __by % __count + 0 * __rank)
        KBUILD_CPU_OBJECT_SHUFFLE(shfl_up, unsigned int, __rank < __by ? __rank : __rank - __by)
        KBUILD_CPU_OBJECT_SHUFFLE(shfl_down, unsigned int,
                                  __by >= __count - __rank ? __rank : __rank + __by)
        KBUILD_CPU_OBJECT_SHUFFLE(shfl_xor, unsigned int,
                                  (__rank ^ __by) < __count ? __rank ^ __by : __rank)
#undef KBUILD_CPU_OBJECT_SHUFFLE

        struct ballot : __ballot_sync {
            template <class __T, int __Most>
            static unsigned int get(operands<__Most> &__operands, int __number) {
                return cooperative_groups::__lanes(static_cast<unsigned>(__operands.sum))
                    .__pack(__ballot_sync::template get<__T>(__operands, __number));
            }
        };
    };
};
template <>
struct masked<group_object::__operations::sync> {
    template <int __Most>
    KBUILD_CPU_ALWAYS_INLINE static void put(masked_operands<__Most> &__operands, int __number,
                                             unsigned __mask) {
        __operands.masks[__number] = __mask;
    }
    template <class __Set, class __Live, int __Most>
    static void finish(const __Set &__set, const __Live &__live,
                       masked_operands<__Most> &__operands, KBUILD_CPU_CALLER) {
        const kbuild_cpu_call __call = KBUILD_CPU_CALL("sync()");
        int __blocks = 0, __number = 0;
        for (; __number < __set.of.threads; ++__number)
            __blocks += __set.has(__number) && __operands.masks[__number] == 0;
        if (__blocks == 0) return check_masks(__call, __set, __live, __operands.masks);
        if (__blocks == __set.__size()) return check_barrier(__call, __set, __live);
        do --__number;
        while (!__set.has(__number) || __operands.masks[__number] == 0);
        fail_thread(__set.of, __number, __call,
                    "the group of this thread is not that of the others");
    }
};

/* The lanes that are at this place. */
struct coalesced_threads : __activemask {
    template <class __T, int __Most>
    static __T get(operands<__Most> &__operands, int __number) {
        return __T(cooperative_groups::__lanes(__activemask::get<__T>(__operands, __number)));
    }
};

/* Returns the tile of a group. */
template <unsigned int __N>
constexpr tile_group<__N, block_group> divide(const block_group &) {
    return {};
}
template <unsigned int __N, unsigned int __M, class __Parent>
constexpr tile_group<__N, tile_group<__M, __Parent>> divide(const tile_group<__M, __Parent> &) {
    static_assert(__N <= __M, "a tile must not be larger than its parent");
    return {};
}
#endif

/* The group of a parameter. */
template <class __T>
struct group_of;
template <class __T>
struct group_of<const __T> : group_of<__T> {};
template <class __T>
struct group_of<__T &> : group_of<__T> {};
template <>
struct group_of<cooperative_groups::thread_block> {
    typedef block_group __type;
};
#if KBUILD_CPU_WARP_SIZE == 32 && !defined(__shfl_sync)
template <unsigned int __N>
struct group_of<cooperative_groups::thread_block_tile<__N, void>> {
    typedef tile_group<__N, void> __type;
};
template <unsigned int __N, class __Parent>
struct group_of<cooperative_groups::thread_block_tile<__N, __Parent>> {
    typedef tile_group<__N, typename group_of<__Parent>::__type> __type;
};
#endif

}  // namespace kbuild_cpu::regions

#endif
