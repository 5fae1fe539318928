// Launches kernels that have bounds, and grids of unusual sizes, and prints what the runtime says. The
// output, launches.txt, is that of CUDA 13.0 on an H100 (driver 580.159). The runtime of the CPU backend
// prints the same.
#include <cuda_runtime.h>

#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define DO(call)                                                                          \
    do {                                                                                  \
        const cudaError_t result = call;                                                  \
        if (result != cudaSuccess) {                                                      \
            std::printf("%s failed: %s\n", #call, cudaGetErrorName(result));              \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (false)

// Prints the result of the call, what the launch before it left behind, and what its threads counted.
static unsigned* counter;
static void show(const char* what, cudaError_t result) {
    const cudaError_t first = cudaGetLastError(), second = cudaGetLastError();
    const cudaError_t waited = cudaDeviceSynchronize();
    unsigned count = 0;
    DO(cudaMemcpy(&count, counter, sizeof count, cudaMemcpyDeviceToHost));
    DO(cudaMemset(counter, 0, sizeof count));
    std::printf("%s: %s, then %s, then %s, then %s; %u\n", what, cudaGetErrorName(result),
                cudaGetErrorName(first), cudaGetErrorName(second), cudaGetErrorName(waited), count);
}
#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__)
#define LAUNCH(kernel, ...)                                                               \
    do {                                                                                  \
        kernel<<<__VA_ARGS__>>>(counter);                                                 \
        show(#kernel "<<<" #__VA_ARGS__ ">>>", cudaPeekAtLastError());                    \
    } while (false)

__global__ void unbounded(unsigned* count) { atomicAdd(count, 1); }
__global__ void __launch_bounds__(64) bounded(unsigned* count) { atomicAdd(count, 1); }
__launch_bounds__(100, 4) __global__ void uneven(unsigned* count) { atomicAdd(count, 1); }
__global__ __launch_bounds__(1) void single(unsigned* count) { atomicAdd(count, 1); }
__global__ void __launch_bounds__(1024) largest(unsigned* count) { atomicAdd(count, 1); }
template <int threads>
__global__ void __launch_bounds__(threads) bounded_template(unsigned* count) {
    atomicAdd(count, 1);
}
template <class T>
__global__ void __launch_bounds__(4 * sizeof(T)) bounded_by_type(T* count) {
    atomicAdd(count, T(1));
}
__global__ void __launch_bounds__(64) declared(unsigned* count);
__global__ void declared(unsigned* count) { atomicAdd(count, 1); }
__global__ void defined(unsigned* count);
__global__ void __launch_bounds__(64) defined(unsigned* count) { atomicAdd(count, 1); }
#define SIXTY_FOUR 64
namespace inner {
namespace {
constexpr int threads = SIXTY_FOUR / 2;
__global__ __launch_bounds__(threads) void hidden(unsigned* count) { atomicAdd(count, 1); }
}  // namespace
}  // namespace inner
__global__ void __launch_bounds__(64) waits(unsigned* count) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(count, sum);
}
__global__ void __launch_bounds__(64) together(unsigned* count) {
    cooperative_groups::this_grid().sync();
    atomicAdd(count, 1);
}
__global__ void count_blocks(unsigned* last) {
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) *last = gridDim.x;
}
__global__ void last_index(unsigned* last) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x - 1) *last = i;
}
template <class Kernel>
static void describe(const char* name, Kernel* kernel) {
    cudaFuncAttributes attributes;
    const cudaError_t result = cudaFuncGetAttributes(&attributes, kernel);
    std::printf("%s: %s, at most %d threads", name, cudaGetErrorName(result),
                attributes.maxThreadsPerBlock);
    for (const int threads : {1, 32, 64, 65, 128, 1024, 1025}) {
        int blocks = -1;
        const cudaError_t occupied =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0);
        std::printf(", %d: %s %s", threads, cudaGetErrorName(occupied), blocks > 0 ? "some" : "none");
    }
    // The size also depends on how many threads a multiprocessor runs.
    int blocks = -1, threads = -1;
    const auto is_allowed = [&](int limit) {
        return blocks > 0 && threads > 0 && threads <= limit && threads <= attributes.maxThreadsPerBlock;
    };
    const cudaError_t potential = cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel);
    std::printf(", potential: %s %s", cudaGetErrorName(potential), is_allowed(1024) ? "allowed" : "wrong");
    const cudaError_t limited = cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, kernel, 0, 48);
    std::printf(", below 49: %s %s\n", cudaGetErrorName(limited), is_allowed(48) ? "allowed" : "wrong");
}
#define DESCRIBE(kernel) describe(#kernel, kernel)

static void launch_bounded() {
    LAUNCH(unbounded, 1, 1024);
    LAUNCH(bounded, 1, 1);
    LAUNCH(bounded, 1, 64);
    LAUNCH(bounded, 1, 65);
    LAUNCH(bounded, 1, 128);
    LAUNCH(bounded, 1, dim3(8, 4, 2));
    LAUNCH(bounded, 1, dim3(8, 4, 4));
    LAUNCH(bounded, 1, 1025);
    LAUNCH(bounded, 0, 128);
    LAUNCH(bounded, 1, 128, 1 << 20);
    LAUNCH(bounded, 1, 64, 1 << 20);
    LAUNCH(uneven, 1, 100);
    LAUNCH(uneven, 1, 101);
    LAUNCH(uneven, 1, 128);
    LAUNCH(uneven, 1, 129);
    LAUNCH(single, 1, 1);
    LAUNCH(single, 1, 2);
    LAUNCH(single, 1, 33);
    LAUNCH(largest, 1, 1024);
    LAUNCH(largest, 1, 1025);
    LAUNCH(bounded_template<64>, 1, 128);
    LAUNCH(bounded_template<128>, 1, 128);
    LAUNCH(bounded_by_type<unsigned>, 1, 16);
    LAUNCH(bounded_by_type<unsigned>, 1, 17);
    LAUNCH(declared, 1, 64);
    LAUNCH(declared, 1, 128);
    LAUNCH(defined, 1, 128);
    LAUNCH(inner::hidden, 1, 32);
    LAUNCH(inner::hidden, 1, 33);
    LAUNCH(waits, 2, 64);
    LAUNCH(waits, 2, 65);
    void (*const pointer)(unsigned*) = bounded;
    LAUNCH(pointer, 1, 128);
}

static void launch_by_functions() {
    void* arguments[] = {&counter};
    SHOW(cudaLaunchKernel(bounded, dim3(1), dim3(64), arguments));
    SHOW(cudaLaunchKernel(bounded, dim3(1), dim3(128), arguments));
    SHOW(cudaLaunchKernel(unbounded, dim3(0), dim3(1), arguments));
    SHOW(cudaLaunchKernel(unbounded, dim3(1), dim3(0), arguments));
    SHOW(cudaLaunchKernel(unbounded, dim3(1), dim3(2048), arguments));
    SHOW(cudaLaunchCooperativeKernel(together, dim3(2), dim3(64), arguments));
    SHOW(cudaLaunchCooperativeKernel(together, dim3(2), dim3(128), arguments));
    SHOW(cudaLaunchCooperativeKernel(together, dim3(0), dim3(64), arguments));
    SHOW(cudaLaunchCooperativeKernel(together, dim3(1 << 20), dim3(64), arguments));
    cudaLaunchConfig_t configuration;
    std::memset(&configuration, 0, sizeof configuration);
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(64);
    SHOW(cudaLaunchKernelEx(&configuration, bounded, counter));
    configuration.blockDim = dim3(128);
    SHOW(cudaLaunchKernelEx(&configuration, bounded, counter));
    configuration.blockDim = dim3(2048);
    SHOW(cudaLaunchKernelEx(&configuration, unbounded, counter));
    configuration.gridDim = dim3(0);
    configuration.blockDim = dim3(1);
    SHOW(cudaLaunchKernelEx(&configuration, unbounded, counter));
}

static void describe_kernels() {
    DESCRIBE(unbounded);
    DESCRIBE(bounded);
    DESCRIBE(uneven);
    DESCRIBE(single);
    DESCRIBE(largest);
    DESCRIBE(bounded_template<128>);
    DESCRIBE(bounded_by_type<unsigned>);
    DESCRIBE(declared);
    DESCRIBE(defined);
    DESCRIBE(inner::hidden);
}

static void launch_large_grids() {
    LAUNCH(unbounded, dim3(1, 65535, 1), 1);
    LAUNCH(unbounded, dim3(1, 65536, 1), 1);
    LAUNCH(unbounded, dim3(1, 1, 65535), 1);
    LAUNCH(unbounded, dim3(1, 1, 65536), 1);
    LAUNCH(unbounded, 2147483648u, 1);
    LAUNCH(unbounded, 4294967295u, 1);
    LAUNCH(unbounded, 2097153, 1);
    LAUNCH(unbounded, dim3(3, 65535, 11), 1);
    LAUNCH(count_blocks, 16 << 20, 1);
    LAUNCH(last_index, 2097153, 1024);
}

static void get_kernels() {
    cudaKernel_t kernel = nullptr, again = nullptr;
    cudaFuncAttributes attributes;
    void* arguments[] = {&counter};
    SHOW(cudaGetKernel(&kernel, bounded));
    std::printf("a kernel is %s\n", kernel == nullptr ? "null" : "not null");
    SHOW(cudaGetKernel(&again, reinterpret_cast<const void*>(bounded)));
    std::printf("it is the %s\n", kernel == again ? "same" : "other");
    SHOW(cudaGetKernel(&again, unbounded));
    std::printf("it is the %s\n", kernel == again ? "same" : "other");
    SHOW(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(64), arguments, 0, nullptr));
    SHOW(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(128), arguments, 0, nullptr));
    SHOW(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)));
    std::printf("at most %d threads\n", attributes.maxThreadsPerBlock);
    cudaLaunchConfig_t configuration;
    std::memset(&configuration, 0, sizeof configuration);
    configuration.gridDim = dim3(1);
    configuration.blockDim = dim3(64);
    SHOW(cudaLaunchKernelExC(&configuration, reinterpret_cast<const void*>(kernel), arguments));
    SHOW(cudaGetKernel(static_cast<cudaKernel_t*>(nullptr), bounded));
    SHOW(cudaGetKernel(&kernel, static_cast<const void*>(nullptr)));
    static const char bytes[64] = {};
    SHOW(cudaGetKernel(&kernel, static_cast<const void*>(bytes)));
}

int main() {
    DO(cudaMalloc(&counter, sizeof *counter));
    DO(cudaMemset(counter, 0, sizeof *counter));
    launch_bounded();
    launch_by_functions();
    describe_kernels();
    launch_large_grids();
    get_kernels();
    DO(cudaFree(counter));
    return 0;
}
