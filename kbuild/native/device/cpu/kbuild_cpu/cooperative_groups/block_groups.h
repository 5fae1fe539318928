/* Groups of whole blocks: blocks, clusters, and grids. */
#ifndef KBUILD_CPU_COOPERATIVE_GROUPS_BLOCK_GROUPS_H
#define KBUILD_CPU_COOPERATIVE_GROUPS_BLOCK_GROUPS_H

#include "lanes.h"

#pragma GCC system_header

#define CG_HAS_GRID_GROUP 1

KBUILD_CPU_GROUPS_BEGIN

/* Any group.  It is a value, which each of its threads has. */
class thread_group {
public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_device;
    typedef void __kbuild_movable; /* for kbuild_cpu/regions */

    void sync(KBUILD_CPU_CALLER) const {
        const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("sync()");
        if (__kind_ == __of_grid)
            kbuild_cpu_waits->grid_barrier(kbuild_cpu_runner, &__call);
        else if (__kind_ == __of_cluster)
            kbuild_cpu::cluster_barrier(__call);
        else if (__kind_ == __of_lanes)
            __lanes_.__sync(__call);
        else
            kbuild_cpu::block_barrier(__call);
    }
    unsigned long long size() const {
        if (__kind_ == __of_lanes) return __lanes_.__count();
        const unsigned int __threads = blockDim.x * blockDim.y * blockDim.z;
        if (__kind_ == __of_cluster) return __threads * kbuild_cpu::cluster_blocks();
        return __kind_ == __of_grid ? 1ull * __threads * __count_blocks() : __threads;
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const {
        if (__kind_ == __of_lanes) return __lanes_.__rank();
        const unsigned int __number = kbuild_cpu::thread_number();
        if (__kind_ == __of_block) return __number;
        const unsigned long long __block =
            __kind_ == __of_grid ? __number_block() : kbuild_cpu::rank_in_cluster();
        return __block * blockDim.x * blockDim.y * blockDim.z + __number;
    }
    bool is_valid() const { return true; }
    unsigned int get_type() const { return __kind_; }

    /* The group's lanes, if it is part of a warp. */
    const __lanes &__get_lanes() const { return __lanes_; }

protected:
    /* With CUDA's numbers. */
    enum __kind { __of_lanes = 1, __of_grid = 3, __of_block = 4, __of_cluster = 6 };
    explicit thread_group(__kind __what) : __kind_(__what) {}
    explicit thread_group(const __lanes &__in) : __kind_(__of_lanes), __lanes_(__in) {}

    static unsigned long long __count_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
    static unsigned long long __number_block() {
        return (1ull * blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }

    friend thread_group tiled_partition(const thread_group &__parent, unsigned int __size,
                                        const char *__file, unsigned __line);

    __kind __kind_;
    __lanes __lanes_;
};

/* Memory for tiles that are larger than a warp, which kbuild provides. */
template <unsigned int __Threads = 1024>
struct alignas(8) block_tile_memory {};

/* All threads of the block. */
class KBUILD_CALL_NEEDS_BLOCK thread_block : public thread_group {
public:
    typedef void __kbuild_block; /* for loops that are marked */
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;
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
    static dim3 group_dim() { return ::kbuild_cpu::block_extent(); }
    static dim3 dim_threads() { return ::kbuild_cpu::block_extent(); }

private:
    thread_block() : thread_group(__of_block) {}
    friend thread_block this_thread_block();
};
inline thread_block KBUILD_NEEDS_BLOCK this_thread_block() { return {}; }
template <unsigned int __Threads>
inline thread_block KBUILD_NEEDS_BLOCK this_thread_block(block_tile_memory<__Threads> &) {
    return this_thread_block();
}

/* The blocks of a cluster. */
class KBUILD_CALL_NEEDS_BLOCK cluster_group : public thread_group {
public:
    struct arrival_token {};

    static void sync(KBUILD_CPU_CALLER) {
        kbuild_cpu::cluster_barrier(KBUILD_CPU_GROUP_CALL("cluster_group::sync()"));
    }
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(KBUILD_CPU_CALLER) { sync(__file, __line); }
    static void barrier_wait(arrival_token &&, KBUILD_CPU_CALLER) { sync(__file, __line); }
    static unsigned int query_shared_rank(const void *__address, KBUILD_CPU_CALLER) {
        return kbuild_cpu::find_shared_rank(
            KBUILD_CPU_GROUP_CALL("cluster_group::query_shared_rank()"), __address);
    }
    template <class __T>
    static __T *map_shared_rank(__T *__address, int __rank, KBUILD_CPU_CALLER) {
        return static_cast<__T *>(
            kbuild_cpu::map_shared(KBUILD_CPU_GROUP_CALL("cluster_group::map_shared_rank()"),
                                   __address, static_cast<unsigned int>(__rank)));
    }
    static dim3 block_index() { return kbuild_cpu::index_in_cluster(); }
    static unsigned int block_rank() { return kbuild_cpu::rank_in_cluster(); }
    static dim3 thread_index() {
        const dim3 __block = block_index();
        return {__block.x * blockDim.x + threadIdx.x, __block.y * blockDim.y + threadIdx.y,
                __block.z * blockDim.z + threadIdx.z};
    }
    static unsigned int thread_rank() {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static dim3 dim_blocks() { return kbuild_cpu::cluster_extent(); }
    static unsigned int num_blocks() { return kbuild_cpu::cluster_blocks(); }
    static dim3 dim_threads() {
        const dim3 __blocks = dim_blocks();
        return {__blocks.x * blockDim.x, __blocks.y * blockDim.y, __blocks.z * blockDim.z};
    }
    static unsigned int num_threads() { return num_blocks() * thread_block::size(); }
    static unsigned int size() { return num_threads(); }

private:
    cluster_group() : thread_group(__of_cluster) {}
    friend cluster_group this_cluster();
};
inline cluster_group KBUILD_NEEDS_BLOCK this_cluster() { return {}; }

/* All threads of a cooperative launch. */
class KBUILD_CALL_NEEDS_BLOCK grid_group : public thread_group {
public:
    struct arrival_token {};

    bool is_valid() const { return kbuild_cpu_api->is_cooperative(kbuild_cpu_runner) != 0; }
    void sync(KBUILD_CPU_CALLER) const {
        const kbuild_cpu_call __call = KBUILD_CPU_GROUP_CALL("grid_group::sync()");
        kbuild_cpu_waits->grid_barrier(kbuild_cpu_runner, &__call);
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
    static dim3 group_dim() { return ::kbuild_cpu::grid_extent(); }
    static dim3 dim_blocks() { return ::kbuild_cpu::grid_extent(); }
    static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
    static dim3 dim_threads() {
        return {gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z};
    }
    static dim3 thread_index() {
        return {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z};
    }
    static dim3 dim_clusters() { return kbuild_cpu::clusters_of_grid(); }
    static unsigned long long num_clusters() { return num_blocks() / kbuild_cpu::cluster_blocks(); }
    static dim3 cluster_index() { return kbuild_cpu::cluster_index(); }
    static unsigned long long cluster_rank() {
        const dim3 __all = dim_clusters(), __own = cluster_index();
        return (1ull * __own.z * __all.y + __own.y) * __all.x + __own.x;
    }

private:
    grid_group() : thread_group(__of_grid) {}
    friend grid_group this_grid();
};
inline grid_group KBUILD_NEEDS_BLOCK this_grid() { return {}; }

template <class __Group>
inline void sync(const __Group &__group, KBUILD_CPU_CALLER) {
    __group.sync(__file, __line);
}
template <class __Group>
inline auto thread_rank(const __Group &__group) {
    return __group.thread_rank();
}
template <class __Group>
inline auto group_size(const __Group &__group) {
    return __group.num_threads();
}

__attribute__((
    error("kbuild: the cpu backend does not support multi_grid_group, which CUDA 13 removed")))
thread_group KBUILD_NEEDS_BLOCK
this_multi_grid();

KBUILD_CPU_GROUPS_END

#endif
