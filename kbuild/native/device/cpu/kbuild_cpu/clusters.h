/* Thread block clusters: blocks that run at the same time, and access each other's shared memory.  Without a
 * size in the launch or in __cluster_dims__, each block is a cluster. */
#ifndef KBUILD_CPU_CLUSTERS_H
#define KBUILD_CPU_CLUSTERS_H

#include "barrier.h"
#include "builtins.h"
#include "qualifiers.h"

#include <kbuild/module.h>

#pragma GCC system_header

namespace kbuild_cpu {

inline const kbuild_dim3 &given_cluster() {
    return *kbuild_cpu_api->cluster_extent(kbuild_cpu_runner);
}
inline dim3 cluster_extent() {
    const kbuild_dim3 &__given = given_cluster();
    return __given.x == 0 ? dim3{1, 1, 1} : dim3{__given.x, __given.y, __given.z};
}
inline unsigned int cluster_blocks() {
    const dim3 __extent = cluster_extent();
    return __extent.x * __extent.y * __extent.z;
}
inline dim3 index_in_cluster() {
    const dim3 __extent = cluster_extent();
    return {blockIdx.x % __extent.x, blockIdx.y % __extent.y, blockIdx.z % __extent.z};
}
inline unsigned int rank_in_cluster() {
    const dim3 __extent = cluster_extent(), __index = index_in_cluster();
    return (__index.z * __extent.y + __index.y) * __extent.x + __index.x;
}
inline dim3 cluster_index() {
    const dim3 __extent = cluster_extent();
    return {blockIdx.x / __extent.x, blockIdx.y / __extent.y, blockIdx.z / __extent.z};
}
inline dim3 clusters_of_grid() {
    const dim3 __extent = cluster_extent();
    return {gridDim.x / __extent.x, gridDim.y / __extent.y, gridDim.z / __extent.z};
}
/* A thread passes the barrier when all threads wait, which is later than CUDA requires. */
inline void cluster_barrier(const kbuild_cpu_call &__call) {
    if (cluster_blocks() == 1)
        block_barrier(__call);
    else
        kbuild_cpu_waits->cluster_barrier(kbuild_cpu_runner, &__call);
}
inline void *map_shared(const kbuild_cpu_call &__call, const void *__address, unsigned int __rank) {
    return kbuild_cpu_api->map_shared(kbuild_cpu_runner, &__call, __address, __rank);
}
inline unsigned int find_shared_rank(const kbuild_cpu_call &__call, const void *__address) {
    return kbuild_cpu_api->find_shared_rank(kbuild_cpu_runner, &__call, __address);
}

}  // namespace kbuild_cpu

__device__ inline unsigned int KBUILD_NEEDS_BLOCK __clusterDimIsSpecified() {
    return kbuild_cpu::given_cluster().x != 0;
}
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterDim() { return kbuild_cpu::cluster_extent(); }
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterIdx() { return kbuild_cpu::cluster_index(); }
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterGridDimInClusters() {
    return kbuild_cpu::clusters_of_grid();
}
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterRelativeBlockIdx() {
    return kbuild_cpu::index_in_cluster();
}
__device__ inline unsigned int KBUILD_NEEDS_BLOCK __clusterRelativeBlockRank() {
    return kbuild_cpu::rank_in_cluster();
}
__device__ inline unsigned int KBUILD_NEEDS_BLOCK __clusterSizeInBlocks() {
    return kbuild_cpu::cluster_blocks();
}
__device__ inline unsigned int KBUILD_NEEDS_BLOCK __cluster_query_shared_rank(const void *__address,
                                                                              KBUILD_CPU_CALLER) {
    return kbuild_cpu::find_shared_rank(KBUILD_CPU_CALL("__cluster_query_shared_rank"), __address);
}
__device__ inline void *KBUILD_NEEDS_BLOCK __cluster_map_shared_rank(const void *__address,
                                                                     unsigned int __rank,
                                                                     KBUILD_CPU_CALLER) {
    return kbuild_cpu::map_shared(KBUILD_CPU_CALL("__cluster_map_shared_rank"), __address, __rank);
}
__device__ inline void __cluster_barrier_arrive() {}
__device__ inline void __cluster_barrier_arrive_relaxed() {}
__device__ inline void KBUILD_NEEDS_BLOCK __cluster_barrier_wait(KBUILD_CPU_CALLER) {
    kbuild_cpu::cluster_barrier(KBUILD_CPU_CALL("__cluster_barrier_wait"));
}
__device__ inline void __threadfence_cluster() { __threadfence_block(); }

#endif
