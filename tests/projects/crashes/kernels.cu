#include "helper.cuh"

#include <cstdlib>
#include <cstring>

constexpr long gigabyte = 1 << 30;

__global__ void write_wildly(int* p) {
    store(p, threadIdx.x * (gigabyte / 4) + gigabyte / 4);
}

__global__ void follow(int* p) {
    p[threadIdx.x] = 1;  // line of follow
}

__global__ void divide(int* p, int by) {
    p[threadIdx.x] = 100 / by;  // line of divide
}

__global__ void write_late(int* p, unsigned bad) {
    __shared__ int order[64];
    order[threadIdx.x] = 63 - threadIdx.x;
    __syncthreads();
    if (threadIdx.x == bad && blockIdx.x == 1)
        p[order[threadIdx.x] * (gigabyte / 16)] = 1;  // line of write_late
}

__device__ __noinline__ int recurse(volatile int* p, int depth) {
    volatile int memory[1000];
    memory[depth % 1000] = depth;
    return depth == 0 ? *p : recurse(p, depth - 1) + memory[depth % 1000];
}

__global__ void overflow(int* p) {
    __syncthreads();
    *p = recurse(p, 1000000);
}

// Each thread has a stack of its own. Without a look at each page, it would reach the next one.
__global__ void allocate(int* p, int bytes) {
    auto* memory = static_cast<volatile char*>(__builtin_alloca(bytes));
    memory[threadIdx.x] = 1;
    __syncthreads();
    p[threadIdx.x] = memory[threadIdx.x];
}

__global__ void copy(char* to, const char* from, long bytes) {
    memcpy(to, from, bytes);  // line of copy
}

__global__ void add(int* p) {
    atomicAdd(p + gigabyte, 1);  // line of add
}

__global__ void give_up(int* p) {
    if (*p == 0) __builtin_abort();  // line of give_up
}

__global__ void wait(volatile int* p) {
    while (p[0] == 0) {  // line of wait
    }
}

int launch(const char* name, int* p) {
    const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
    if (is("works")) divide<<<4, 64>>>(p, 1);
    if (is("write_wildly")) write_wildly<<<1, 64>>>(p);
    if (is("null")) follow<<<1, 64>>>(nullptr);
    if (is("many_threads")) follow<<<1000, 64>>>(nullptr);
    if (is("divide")) divide<<<1, 64>>>(p, 0);
    if (is("write_late")) write_late<<<2, 64>>>(p, 5);
    if (is("overflow")) overflow<<<1, 64>>>(p);
    if (is("allocate")) allocate<<<1, 64>>>(p, 500000);
    if (is("copy")) copy<<<1, 1>>>(reinterpret_cast<char*>(p), nullptr, 4096);
    if (is("add")) add<<<1, 1>>>(p);
    if (is("give_up")) give_up<<<1, 1>>>(p);
    if (is("wait")) wait<<<4, 64>>>(p);
    if (is("stream")) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        follow<<<1, 64, 0, stream>>>(nullptr);
        for (;;) cudaStreamQuery(stream);  // another thread runs the kernel
    }
    return cudaDeviceSynchronize();
}
