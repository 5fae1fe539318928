// Kernels that launch kernels, and the functions of the runtime that device code can call. A GPU needs
// relocatable device code and NVIDIA's device runtime (`kbuild run --rdc`, or `nvcc -rdc=true -lcudadevrt`).
#include "conformance.hpp"

#include <cuda_device_runtime_api.h>

using conformance::check;
using conformance::print;

// clang has no handles for instances in an unnamed namespace that only kernels launch.
namespace launches {

constexpr int size = 512;

// What a sequence of kernels does to a value: the order matters, and the parent's writes are visible.
__global__ void step(int* value, int number) { *value = *value * 3 + number; }

__device__ void step_from_function(int* value, int number) { step<<<1, 1>>>(value, number); }

template <class T>
__global__ void add(T* out, T value, int count = 8) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) out[i] += value;
}

__global__ void parents(int* out) {
    out[threadIdx.x] = static_cast<int>(100 * threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) add<<<2, 4>>>(out, 7);
}

__global__ void every_thread(int* out) {
    add<<<1, 1>>>(out + blockIdx.x * blockDim.x + threadIdx.x, static_cast<int>(threadIdx.x) + 1, 1);
}

__global__ void recurse(int* out, int depth, int most) {
    out[depth] = 1 + (depth == 0 ? 0 : out[depth - 1] * 2);
    if (depth < most) recurse<<<1, 1>>>(out, depth + 1, most);
}

template <int Depth, class T>
__global__ void recurse_template(T* out) {
    out[Depth] = static_cast<T>(Depth) + (Depth < 5 ? out[Depth + 1] : T(0));
    if constexpr (Depth > 0) recurse_template<Depth - 1><<<1, 1>>>(out);
}

__global__ void tree(int* count, int depth) {
    atomicAdd(count + depth, 1);
    if (depth < 3) tree<<<2, 2>>>(count, depth + 1);
}

__global__ void null_stream(int* value) {
    *value = 1;
    for (int i = 0; i < 10; ++i) step<<<1, 1>>>(value, i);
}

__global__ void grandchildren_first(int* value, int depth) {
    *value = *value * 5 + depth;
    if (depth == 0) return;
    grandchildren_first<<<1, 1>>>(value, depth - 1);
    grandchildren_first<<<1, 1>>>(value, depth - 1);
}

__global__ void own_stream(int* value) {
    *value = 2;
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
    for (int i = 0; i < 10; ++i) step<<<1, 1, 0, stream>>>(value, i);
    if (cudaStreamDestroy(stream) != cudaSuccess) *value = -1;
}

__global__ void tail(int* value) {
    *value = 3;
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(value, 5);
    step<<<1, 1, 0, cudaStreamTailLaunch>>>(value, 6);
    step<<<1, 1>>>(value, 1);
    step<<<1, 1>>>(value, 2);
}

__global__ void tail_again(int* value, int rest) {
    *value = *value * 3 + rest;
    if (rest > 0) tail_again<<<1, 1, 0, cudaStreamTailLaunch>>>(value, rest - 1);
}

__global__ void fire_and_forget(int* out) {
    for (int i = 0; i < 8; ++i) add<<<1, 1, 0, cudaStreamFireAndForget>>>(out + i, i + 1, 1);
}

__global__ void events(int* value) {
    *value = 4;
    cudaStream_t first, second;
    cudaEvent_t event;
    int failures = cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) != cudaSuccess;
    failures += cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) != cudaSuccess;
    failures += cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
    step<<<1, 1, 0, first>>>(value, 1);
    failures += cudaEventRecord(event, first) != cudaSuccess;
    failures += cudaStreamWaitEvent(second, event, 0) != cudaSuccess;
    step<<<1, 1, 0, second>>>(value, 2);
    failures += cudaEventDestroy(event) != cudaSuccess;
    failures += cudaStreamDestroy(first) != cudaSuccess;
    failures += cudaStreamDestroy(second) != cudaSuccess;
    value[1] = failures;
}

__global__ void copies(int* to, int* from) {
    int failures = cudaMemcpyAsync(to, from, 8 * sizeof(int), cudaMemcpyDeviceToDevice, nullptr) != cudaSuccess;
    failures += cudaMemcpy2DAsync(to + 8, 16, from + 8, 32, 12, 3, cudaMemcpyDeviceToDevice, nullptr) != cudaSuccess;
    cudaMemcpy3DParms parameters = {};
    parameters.srcPtr = {from + 64, 16, 4, 2};
    parameters.dstPtr = {to + 64, 16, 4, 2};
    parameters.extent = {8, 2, 2};
    parameters.kind = cudaMemcpyDeviceToDevice;
    failures += cudaMemcpy3DAsync(&parameters, nullptr) != cudaSuccess;
    add<<<1, 128>>>(to, 1, 128);
    to[256] = failures;
}

__global__ void fill_heap(int* memory, int* out) {
    memory[threadIdx.x] = static_cast<int>(3 * threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = memory[31 - threadIdx.x];
}

__global__ void free_heap(int* memory, int* out) { *out = cudaFree(memory) == cudaSuccess; }

__global__ void heap(int* out) {
    int* memory = nullptr;
    if (cudaMalloc(reinterpret_cast<void**>(&memory), 32 * sizeof(int)) != cudaSuccess) return;
    fill_heap<<<1, 32>>>(memory, out);
    free_heap<<<1, 1, 0, cudaStreamTailLaunch>>>(memory, out + 32);
}

__global__ void use_shared(int* out, int count) {
    extern __shared__ int values[];
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) values[i] = 2 * i;
    __syncthreads();
    out[threadIdx.x] = values[count - 1 - static_cast<int>(threadIdx.x)];
}

__global__ void launch_shared(int* out) {
    use_shared<<<1, 32, 1024>>>(out, 256);
    use_shared<<<1, 32, 60000>>>(out + 32, 15000);
}

struct Wide {
    char first;
    double numbers[3];
    short last;
};

__global__ void take(Wide wide, char c, int* out, long long big) {
    out[0] = wide.first + static_cast<int>(wide.numbers[0] + wide.numbers[1] + wide.numbers[2]) + wide.last;
    out[1] = c;
    out[2] = static_cast<int>(big >> 33);
}

__global__ void pass(int* out) {
    Wide wide = {1, {2, 3, 4}, 5};
    take<<<1, 1>>>(wide, 'x', out, 1LL << 40);
    wide.last = 100;  // the child has a copy
}

struct Launcher {
    int number;
    __device__ void launch(int* value) const { step<<<1, 1>>>(value, number); }
};

template <class Kernel>
__device__ void launch_any(Kernel kernel, int* value) {
    kernel<<<1, 1>>>(value, 4);
}

__global__ void ways(int* value) {
    *value = 1;
    step_from_function(value, 1);
    Launcher{2}.launch(value);
    const auto launch = [=](int number) { step<<<dim3(1), dim3(1)>>>(value, number); };
    launch(3);
    launch_any(step, value);
    void (*const pointer)(int*, int) = step;
    pointer<<<1, 1>>>(value, 5);
    (value != nullptr ? step : nullptr)<<<1, 1>>>(value, 6);
}

__global__ void errors(int* out) {
    int* const own = out + 8 * threadIdx.x;
    own[0] = cudaGetLastError();
    if (threadIdx.x == 0) {
        add<<<1, 4096>>>(out, 1);
        own[1] = cudaPeekAtLastError() != cudaSuccess;
    }
    __syncthreads();
    own[2] = cudaGetLastError() != cudaSuccess;
    own[3] = cudaGetLastError();
    if (threadIdx.x == 1) add<<<1, 1, 1 << 20>>>(out, 1);
    __syncthreads();
    own[4] = cudaGetLastError() != cudaSuccess;
}

__device__ void copy_text(char* to, const char* from) {
    while ((*to++ = *from++) != 0) {}
}

__global__ void texts(char* out) {
    copy_text(out, cudaGetErrorName(cudaErrorInvalidConfiguration));
    copy_text(out + 128, cudaGetErrorString(cudaErrorInvalidConfiguration));
    copy_text(out + 256, cudaGetErrorString(cudaSuccess));
}

__global__ void device(int* out) {
    int number = -1;
    out[0] = cudaGetDevice(&number) == cudaSuccess && number == 0;
    out[1] = cudaGetDeviceCount(&number) == cudaSuccess && number > 0;
}

__global__ void attribute(int* out) {
    if (cudaDeviceGetAttribute(out, cudaDevAttrMaxThreadsPerBlock, 0) != cudaSuccess) *out = -1;
}

__global__ void limit(int* out) {
    std::size_t bytes = 0;
    *out = cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize) == cudaSuccess && bytes > 0;
}

__global__ void function_attributes(int* out) {
    cudaFuncAttributes attributes;
    *out = cudaFuncGetAttributes(&attributes, step) == cudaSuccess ? attributes.maxThreadsPerBlock : -1;
}

__global__ void active_blocks(int* out) {
    int number = 0;
    *out = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&number, step, 1024, 0) == cudaSuccess && number > 0;
}

__global__ void block_size(int* out) {
    int grid = 0;
    if (cudaOccupancyMaxPotentialBlockSize(&grid, out, step) != cudaSuccess) *out = -1;
}

__global__ void double_all(int* values) { values[threadIdx.x] *= 2; }

// Runs a kernel with zeros, and prints what it leaves.
template <class T, class... Arguments>
void run(const char* name, void (*kernel)(T*, Arguments...), dim3 grid, dim3 block, Arguments... arguments) {
    const conformance::DeviceVector<T> out(std::vector<T>(size, T(0)));
    kernel<<<grid, block>>>(out.data(), arguments...);
    check(cudaGetLastError(), name);
    check(cudaDeviceSynchronize(), name);
    print(name, out.read(), 0);
}

void run_copies() {
    std::vector<int> numbers(size);
    for (int i = 0; i < size; ++i) numbers[static_cast<std::size_t>(i)] = i * i;
    const conformance::DeviceVector<int> from(numbers);
    run<int, int*>("cudaMemcpyAsync", copies, 1, 1, from.data());
}

// What comes after the parent in its stream comes after the children, too.
void run_in_stream() {
    const conformance::DeviceVector<int> out(std::vector<int>(size, 0));
    cudaStream_t stream;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    for (int i = 0; i < 3; ++i) {
        parents<<<1, 16, 0, stream>>>(out.data());
        double_all<<<1, 16, 0, stream>>>(out.data());
    }
    check(cudaStreamSynchronize(stream), "stream");
    print("host_stream", out.read(), 0);
    check(cudaStreamDestroy(stream), "stream");
}

// A graph with a parent runs the children at each launch.
void run_graph() {
    const conformance::DeviceVector<int> out(std::vector<int>(size, 0));
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    every_thread<<<2, 8, 0, stream>>>(out.data());
    double_all<<<1, 16, 0, stream>>>(out.data());
    check(cudaStreamEndCapture(stream, &graph), "capture");
    check(cudaGraphInstantiate(&executable, graph, 0), "graph");
    for (int i = 0; i < 3; ++i) check(cudaGraphLaunch(executable, stream), "graph");
    check(cudaStreamSynchronize(stream), "graph");
    print("graph", out.read(), 0);
    check(cudaGraphExecDestroy(executable), "graph");
    check(cudaGraphDestroy(graph), "graph");
    check(cudaStreamDestroy(stream), "stream");
}

void run_through_api() {
    const conformance::DeviceVector<int> out(std::vector<int>(size, 0));
    int* data = out.data();
    void* arguments[] = {&data};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(parents), dim3(1), dim3(16), arguments, 0, nullptr),
          "cudaLaunchKernel");
    print("cudaLaunchKernel", out.read(), 0);
}

}  // namespace launches

int main() {
    using namespace launches;
    run("child", parents, 1, 16);
    run("child_of_every_thread", every_thread, 2, 16);
    run("recursion", recurse, 1, 1, 0, 10);
    run("recursive_template", recurse_template<5, int>, 1, 1);
    run("tree", tree, 2, 2, 0);
    run("null_stream", null_stream, 1, 1);
    run("order_of_grandchildren", grandchildren_first, 1, 1, 2);
    run("cudaStreamCreateWithFlags", own_stream, 1, 1);
    run("cudaStreamTailLaunch", tail, 1, 1);
    run("recursive_tail_launch", tail_again, 1, 1, 8);
    run("cudaStreamFireAndForget", fire_and_forget, 1, 1);
    run("cudaStreamWaitEvent", events, 1, 1);
    run_copies();
    run("cudaMalloc", heap, 1, 1);
    check(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000), "shared");
    run("dynamic_shared_memory", launch_shared, 1, 1);
    run("arguments", pass, 1, 1);
    run("ways_to_launch", ways, 1, 1);
    run("cudaGetLastError", errors, 1, 2);
    run("cudaGetErrorString", texts, 1, 1);
    run("cudaGetDevice", device, 1, 1);
    run("cudaDeviceGetAttribute", attribute, 1, 1);
    run("cudaDeviceGetLimit", limit, 1, 1);
    run("cudaFuncGetAttributes", function_attributes, 1, 1);
    run("cudaOccupancyMaxActiveBlocksPerMultiprocessor", active_blocks, 1, 1);
    run("cudaOccupancyMaxPotentialBlockSize", block_size, 1, 1);
    run_in_stream();
    run_graph();
    run_through_api();
}
