// Clusters of one block, which every launch has that does not say how large they are, and of several blocks. For sm_90.
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
    own[1] =
        static_cast<int>(cluster.thread_rank() + 1000 * cluster.size() + cluster.num_threads());
    own[2] = static_cast<int>(cluster.block_rank() + 10 * cluster.num_blocks());
    own[3] = static_cast<int>(cluster.thread_index().x + cluster.dim_threads().x +
                              cluster.dim_blocks().x + cluster.block_index().x);
    own[4] = static_cast<int>(cluster.query_shared_rank(values));
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    values[threadIdx.x] = own[0];
    group.sync();
    own[5] = values[95 - threadIdx.x];
    own[6] =
        static_cast<int>(group.size() + 1000 * group.thread_rank() + 100000 * group.get_type());
    const auto grid = cg::this_grid();
    own[7] = static_cast<int>(grid.num_clusters() + 10 * grid.cluster_rank() +
                              100 * grid.dim_clusters().x + 1000 * grid.cluster_index().x +
                              10000 * grid.dim_threads().x + 10000 * grid.thread_index().x);
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

// Each block reads what the next one of its cluster has written, and adds to what the one before has.
__global__ void test_neighbors(int* out) {
    __shared__ int values[96], sums[96];
    const auto cluster = cg::this_cluster();
    const unsigned blocks = cluster.num_blocks(), rank = cluster.block_rank();
    values[threadIdx.x] = static_cast<int>(THREAD * 3);
    sums[threadIdx.x] = 0;
    cluster.sync();
    int* const own = out + 8 * THREAD;
    own[0] = cluster.map_shared_rank(values, (rank + 1) % blocks)[95 - threadIdx.x];
    atomicAdd(cluster.map_shared_rank(&sums[threadIdx.x], (rank + blocks - 1) % blocks), own[0]);
    own[1] = static_cast<int>(cluster.thread_rank() + 1000 * cluster.num_threads());
    own[2] = static_cast<int>(rank + 10 * blocks + 100 * __clusterRelativeBlockRank());
    own[3] = static_cast<int>(cluster.query_shared_rank(cluster.map_shared_rank(values, 1)));
    cluster.sync();
    own[4] = sums[threadIdx.x];
    own[5] = static_cast<int>(__clusterDim().x + 10 * __clusterIdx().x +
                              100 * __clusterGridDimInClusters().x);
    own[6] = static_cast<int>(cluster.block_index().x + 10 * cluster.dim_blocks().x +
                              100 * __clusterDimIsSpecified());
    const auto grid = cg::this_grid();
    own[7] =
        static_cast<int>(grid.num_clusters() + 10 * grid.cluster_rank() + 1000 * grid.block_rank());
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) test_pairs(int* out) {
    __shared__ int value;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0) value = static_cast<int>(blockIdx.x + 1);
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(std::move(token));
    int* const own = out + 2 * THREAD;
    own[0] = *cluster.map_shared_rank(&value, cluster.block_rank() ^ 1);
    own[1] = static_cast<int>(cluster.num_blocks() + 10 * __clusterIdx().x);
    cluster.sync();
}

void run_clusters(const char* name, void (*kernel)(int*), unsigned blocks, unsigned size,
                  int values) {
    const conformance::DeviceVector<int> out(
        std::vector<int>(static_cast<std::size_t>(blocks) * 96 * values));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 96;
    config.attrs = &attribute;
    config.numAttrs = 1;
    conformance::check(cudaLaunchKernelEx(&config, kernel, out.data()), name);
    conformance::check(cudaDeviceSynchronize(), name);
    conformance::print(name, out.read(), 0);
}

}  // namespace

int main() {
    conformance::run_blocks("cluster_group", test_cluster_group, 3, 96, 8);
    conformance::run_blocks("cluster_functions", test_functions, 3, 96, 6);
    run_clusters("cluster_of_2", test_neighbors, 6, 2, 8);
    run_clusters("cluster_of_8", test_neighbors, 16, 8, 8);
    conformance::run_blocks("cluster_dims", test_pairs, 6, 96, 2);
}
