/* Thread block clusters.  On the CPU, each block is a cluster, as on a GPU in a launch that does not
 * say how large clusters are. */
#ifndef KBUILD_CPU_CLUSTERS_H
#define KBUILD_CPU_CLUSTERS_H

#include "barrier.h"
#include "builtins.h"
#include "qualifiers.h"

#pragma GCC system_header

__device__ inline unsigned int __clusterDimIsSpecified() { return 0; }
__device__ inline dim3 __clusterDim() { return {1, 1, 1}; }
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterIdx() {
    return {blockIdx.x, blockIdx.y, blockIdx.z};
}
__device__ inline dim3 KBUILD_NEEDS_BLOCK __clusterGridDimInClusters() { return gridDim; }
__device__ inline dim3 __clusterRelativeBlockIdx() { return {0, 0, 0}; }
__device__ inline unsigned int __clusterRelativeBlockRank() { return 0; }
__device__ inline unsigned int __clusterSizeInBlocks() { return 1; }
__device__ inline unsigned int __cluster_query_shared_rank(const void *) { return 0; }
__device__ inline void *__cluster_map_shared_rank(const void *__address, unsigned int) {
    return const_cast<void *>(__address);
}
/* A thread passes the barrier when all threads wait, which is later than CUDA requires. */
__device__ inline void __cluster_barrier_arrive() {}
__device__ inline void __cluster_barrier_arrive_relaxed() {}
__device__ inline void KBUILD_NEEDS_BLOCK __cluster_barrier_wait(KBUILD_CPU_CALLER) {
    kbuild_cpu::block_barrier(KBUILD_CPU_CALL("__cluster_barrier_wait"));
}
__device__ inline void KBUILD_NEEDS_THREAD __threadfence_cluster() { __threadfence_block(); }

#endif
