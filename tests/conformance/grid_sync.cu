// Cooperative launches: all blocks are resident, and meet at grid barriers.
#include "blocks.hpp"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

namespace {

constexpr int blocks = 8, threads = 64;

// Each step reads what other blocks wrote in the one before.
__global__ void propagate(int* values, int* next, int steps) {
    const auto grid = cg::this_grid();
    const auto count = static_cast<unsigned>(grid.size());
    const auto own = static_cast<unsigned>(grid.thread_rank());
    for (int i = 0; i < steps; ++i) {
        next[own] = 3 * values[(own + 65) % count] + values[(own + 130) % count] % 7;
        grid.sync();
        values[own] = next[own];
        grid.sync();
    }
}

// Shared memory keeps its values while other blocks run.
__global__ void keep_shared(int* out, int, int steps) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[threads];
    const auto grid = cg::this_grid();
    fixed[threadIdx.x] = static_cast<int>(grid.thread_rank());
    dynamic[threadIdx.x] = static_cast<int>(blockIdx.x) * 100;
    for (int i = 0; i < steps; ++i) {
        grid.sync();
        fixed[threadIdx.x] += dynamic[(threadIdx.x + 1) % threads] % 97;
        __syncthreads();
        dynamic[threadIdx.x] += i;
        __syncthreads();
    }
    out[grid.thread_rank()] = fixed[threadIdx.x] * 1000 + dynamic[threadIdx.x];
}

__global__ void describe(int* out, int, int) {
    const auto grid = cg::this_grid();
    int* const own = out + 4 * grid.thread_rank();
    own[0] = grid.is_valid() && grid.num_threads() == blocks * threads;
    own[1] = static_cast<int>(grid.block_rank());
    own[2] = static_cast<int>(grid.num_blocks());
    own[3] = static_cast<int>(grid.dim_blocks().x + grid.block_index().x + grid.group_dim().x);
}

template <class... Arguments>
void run_grid(const char* name, void (*kernel)(Arguments...), int* data, Arguments... arguments) {
    void* addresses[] = {&arguments...};
    conformance::check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), dim3(blocks),
                                                   dim3(threads), addresses, 1024, nullptr),
                       name);
    conformance::check(cudaDeviceSynchronize(), name);
    static_cast<void>(data);
}

}  // namespace

int main() {
    using namespace conformance;
    std::vector<int> start(blocks * threads);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<int>(i * i % 101);
    const DeviceVector<int> values(start), next(start), facts(std::vector<int>(4 * start.size()));

    run_grid<int*, int*, int>("grid.sync", propagate, values.data(), values.data(), next.data(), 20);
    print("grid.sync", values.read(), 0);
    run_grid<int*, int, int>("shared", keep_shared, values.data(), values.data(), 0, 10);
    print("shared_memory_of_resident_blocks", values.read(), 0);
    run_grid<int*, int, int>("grid_group", describe, facts.data(), facts.data(), 0, 0);
    print("grid_group", facts.read(), 0);

    // The same through the attribute of an extended launch.
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, propagate, values.data(), next.data(), 3), "cudaLaunchKernelEx");
    check(cudaDeviceSynchronize(), "cudaLaunchKernelEx");
    print("cudaLaunchAttributeCooperative", values.read(), 0);

    // As many blocks as the occupancy functions promise, and one more.
    int multiprocessors = 0, per_multiprocessor = 0, is_supported = 0;
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "attribute");
    check(cudaDeviceGetAttribute(&is_supported, cudaDevAttrCooperativeLaunch, 0), "attribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, propagate, 1024, 0),
          "occupancy");
    const int most = multiprocessors * per_multiprocessor;
    const DeviceVector<int> large(std::vector<int>(static_cast<std::size_t>(most) * 1024));
    int *a = large.data(), *b = large.data(), steps = 1;
    void* addresses[] = {&a, &b, &steps};
    const auto launch = [&](int count) {
        const auto error = cudaLaunchCooperativeKernel(reinterpret_cast<void*>(propagate), dim3(count),
                                                       dim3(1024), addresses, 0, nullptr);
        check(cudaDeviceSynchronize(), "large");
        cudaGetLastError();
        return static_cast<int>(error);
    };
    print("largest_cooperative_launch", std::vector<int>{is_supported, launch(most), launch(most + 1)},
          0);
}
