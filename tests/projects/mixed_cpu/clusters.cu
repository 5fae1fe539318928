// Clusters of several blocks: blocks that run at the same time, and access each other's shared memory.
#include "region_results.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr int THREADS = 64;

// Each block reads what the next block of its cluster has written, in both kinds of shared memory.
__global__ void read_neighbor(int* out)
{
    __shared__ int own[THREADS];
    extern __shared__ int more[];
    cg::cluster_group cluster = cg::this_cluster();
    const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    const int* const others = cluster.map_shared_rank(own, next);
    const int* const more_of_others = cluster.map_shared_rank(more, next);
    const int index = blockIdx.x * THREADS + threadIdx.x;
    own[threadIdx.x] = index;
    more[threadIdx.x] = 1000 * blockIdx.x;
    cluster.sync();
    out[index] = others[THREADS - 1 - threadIdx.x] + more_of_others[threadIdx.x];
    cluster.sync();  // until then, the others read
}

// Clusters of 2 x 2 blocks, whose size the kernel says.
__global__ void __cluster_dims__(2, 2, 1) places(int* out)
{
    cg::cluster_group cluster = cg::this_cluster();
    const cg::grid_group grid = cg::this_grid();
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    if (threadIdx.x != 0)
        return;
    out[8 * block] = __clusterDimIsSpecified() + 10 * __clusterDim().x + 100 * __clusterDim().y;
    out[8 * block + 1] = __clusterIdx().x + 10 * __clusterIdx().y;
    out[8 * block + 2] = cluster.block_index().x + 10 * cluster.block_index().y + 100 * cluster.block_rank();
    out[8 * block + 3] = cluster.num_blocks() + 10 * cluster.num_threads();
    out[8 * block + 4] = cluster.thread_rank();
    out[8 * block + 5] = __clusterGridDimInClusters().x + 10 * grid.num_clusters() + 100 * grid.cluster_rank();
    __shared__ int place;
    out[8 * block + 6] = cluster.query_shared_rank(cluster.map_shared_rank(&place, 3));
    out[8 * block + 7] = cluster.query_shared_rank(&place) == cluster.block_rank();
}

// A block waits for a flag that another one writes, and blocks that have exited do not count.
__global__ void flags(int* out)
{
    __shared__ int flag;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        flag = 0;
    cluster.sync();
    if (cluster.block_rank() == 3)
        return;
    if (cluster.block_rank() == 1 && threadIdx.x == 0)
        atomicExch(cluster.map_shared_rank(&flag, 0), 7);
    if (cluster.block_rank() == 0 && threadIdx.x == 0)
        while (atomicAdd(&flag, 0) != 7) {
        }
    cluster.sync();
    out[blockIdx.x * THREADS + threadIdx.x] = *cluster.map_shared_rank(&flag, 0);
    cluster.sync();
}

template <class... Arguments>
cudaError_t launch(void (*kernel)(Arguments...), int blocks, dim3 cluster, int* out)
{
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = THREADS * sizeof(int);
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, out);
}

void reject(const char* name, cudaError_t error)
{
    if (error != cudaErrorInvalidClusterSize)
        std::printf("%s: error %d\n", name, int(error));
    cudaGetLastError();
}

int main()
{
    cudaMallocManaged(&results, 1024 * sizeof *results);
    launch(read_neighbor, 8, 4, results);
    check("read_neighbor", 8 * THREADS, [](int i) {
        const int block = i / THREADS, next = block / 4 * 4 + (block + 1) % 4;
        return next * THREADS + THREADS - 1 - i % THREADS + 1000 * next;
    });
    read_neighbor<<<2, THREADS, THREADS * sizeof(int)>>>(results);
    check("read_neighbor without clusters", 2 * THREADS, [](int i) {
        return i / THREADS * THREADS + THREADS - 1 - i % THREADS + 1000 * (i / THREADS);
    });
    places<<<dim3(4, 4), THREADS>>>(results);
    check("places", 8 * 16, [](int i) {
        const int block = i / 8, x = block % 4, y = block / 4, rank = y % 2 * 2 + x % 2;
        const int expected[8] = {
            1 + 10 * 2 + 100 * 2,
            x / 2 + 10 * (y / 2),
            x % 2 + 10 * (y % 2) + 100 * rank,
            4 + 10 * 4 * THREADS,
            rank * THREADS,
            2 + 10 * 4 + 100 * (y / 2 * 2 + x / 2),
            3,
            1,
        };
        return expected[i % 8];
    });
    launch(flags, 8, 4, results);
    check("flags", 8 * THREADS, [](int i) { return i / THREADS % 4 == 3 ? 0 : 7; });

    reject("too many blocks", launch(read_neighbor, 32, 16, results));
    reject("grid", launch(read_neighbor, 6, 4, results));
    reject("other size", launch(places, 8, 4, results));
    cudaFuncSetAttribute(read_neighbor, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    int most = 0, active = 0, supported = 0;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 16;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 16;
    config.blockDim = THREADS;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaOccupancyMaxPotentialClusterSize(&most, read_neighbor, &config);
    cudaOccupancyMaxActiveClusters(&active, read_neighbor, &config);
    cudaDeviceGetAttribute(&supported, cudaDevAttrClusterLaunch, 0);
    if (most != 16 || active < 1 || launch(read_neighbor, 16, 16, results) != cudaSuccess)
        std::printf("occupancy: %d %d\n", most, active);
    std::printf("%d ", supported);
    check("large", 1, [](int) { return THREADS + THREADS - 1 + 1000; });
    std::puts("done");
}
