// Clusters of one block, which every launch has that does not say how large they are. For sm_90.
#include "blocks.hpp"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

__global__ void test_cluster_group(int* out) {
    __shared__ int values[96];
    const auto cluster = cg::this_cluster();
    const cg::thread_group group = cluster;
    values[threadIdx.x] = static_cast<int>(threadIdx.x * 3);
    cluster.sync();
    int* const own = out + 8 * THREAD;
    own[0] = cluster.map_shared_rank(values, 0)[(threadIdx.x + 1) % 96];
    own[1] = static_cast<int>(cluster.thread_rank() + 1000 * cluster.size() + cluster.num_threads());
    own[2] = static_cast<int>(cluster.block_rank() + 10 * cluster.num_blocks());
    own[3] = static_cast<int>(cluster.thread_index().x + cluster.dim_threads().x + cluster.dim_blocks().x +
                              cluster.block_index().x);
    own[4] = static_cast<int>(cluster.query_shared_rank(values));
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    values[threadIdx.x] = own[0];
    group.sync();
    own[5] = values[95 - threadIdx.x];
    own[6] = static_cast<int>(group.size() + 1000 * group.thread_rank() + 100000 * group.get_type());
    const auto grid = cg::this_grid();
    own[7] = static_cast<int>(grid.num_clusters() + 10 * grid.cluster_rank() + 100 * grid.dim_clusters().x +
                              1000 * grid.cluster_index().x + 10000 * grid.dim_threads().x +
                              10000 * grid.thread_index().x);
}

__global__ void test_functions(int* out) {
    __shared__ int values[96];
    values[threadIdx.x] = static_cast<int>(threadIdx.x * 5);
    __threadfence_cluster();
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
    int* const own = out + 6 * THREAD;
    own[0] = static_cast<int*>(__cluster_map_shared_rank(values, 0))[(threadIdx.x + 7) % 96];
    own[1] = static_cast<int>(__clusterDimIsSpecified() + 10 * __clusterDim().x);
    own[2] = static_cast<int>(__clusterIdx().x + 10 * __clusterGridDimInClusters().x);
    own[3] = static_cast<int>(__clusterRelativeBlockIdx().x + 10 * __clusterRelativeBlockRank());
    own[4] = static_cast<int>(__clusterSizeInBlocks());
    own[5] = static_cast<int>(__cluster_query_shared_rank(values));
    __cluster_barrier_arrive_relaxed();
    __cluster_barrier_wait();
}

}  // namespace

int main() {
    conformance::run_blocks("cluster_group", test_cluster_group, 3, 96, 8);
    conformance::run_blocks("cluster_functions", test_functions, 3, 96, 6);
}
