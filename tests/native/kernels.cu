// The kernels that runtime_test.cpp launches. Each of them tests one feature.
#include <cooperative_groups.h>

// What kbuild makes of `__shared__`.
#define KBUILD_SHARED(type, name, size) \
    static KBUILD_CPU_SHARED type place_of_##name size; \
    auto &name = kbuild_cpu::in_block(place_of_##name)

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void store_indices(uint3 *threads, uint3 *blocks) {
    const unsigned int threads_per_block = blockDim.x * blockDim.y * blockDim.z;
    const unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    threads[block * threads_per_block + thread] = threadIdx;
    blocks[block * threads_per_block + thread] = blockIdx;
}

extern "C" __global__ void block_sum(const int *in, int *out) {
    KBUILD_SHARED(int, partial, [1024]);
    partial[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

extern "C" __global__ void reverse(const int *in, int *out) {
    auto &dynamic = kbuild_cpu::in_dynamic_memory<int[]>();
    dynamic[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

// Some threads wait at the barrier when one fails.
extern "C" __global__ void fail(int *out, int is_assertion) {
    atomicAdd(out, 1);
    if (threadIdx.x % 2 == 0) __syncthreads();
    if (blockIdx.x == 1 && threadIdx.x == 33) {
        if (is_assertion) assert(out == nullptr);
        __trap();
    }
    __syncthreads();
    atomicAdd(out, 1);
}

// Odd threads exit before the barriers. Thread 0 reads what the others wrote between the barriers.
extern "C" __global__ void early_exit(int *out) {
    KBUILD_SHARED(int, sum, );
    if (threadIdx.x % 2 == 1) return;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Thread i waits i times, so the exit of a thread completes each barrier.
extern "C" __global__ void staggered_exit(int *waits) {
    const dim3 before = threadIdx;
    for (unsigned int i = 0; i < threadIdx.x; ++i) {
        __syncthreads();
        waits[threadIdx.x] += 1;
    }
    assert(before.x == threadIdx.x);
}

static __device__ unsigned int mix(unsigned int a, unsigned int b) {
    unsigned int word = a * 2654435761u ^ (b + 1) * 2246822519u;
    word ^= word >> 15;
    return word * 2654435761u >> 8;
}

// Threads meet at barriers, sometimes wait in other ways between them, and exit one after another. Each one checks
// how many others meet it, and its index.
extern "C" __global__ void wait_in_many_ways(int *mistakes, int rounds) {
    const int own = static_cast<int>(kbuild_cpu::thread_number());
    const int threads = static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
    const auto last_round = [&](int thread) { return static_cast<int>(mix(thread, 7) % rounds); };
    for (int round = 0; round < last_round(own); ++round) {
        int others = 0, lanes = 0;
        for (int i = 0; i < threads; ++i) {
            if (last_round(i) <= round) continue;
            ++others;
            if (i / 32 == own / 32) lanes |= 1 << i % 32;
        }
        if (__syncthreads_count(1) != others) atomicAdd(mistakes, 1);
        const auto way = mix(round, blockIdx.x);
        if (way % 4 == 1 && mix(round, own) % 3 == 0) __nanosleep(1);
        if (way % 4 == 2 && __ballot_sync(~0u, 1) != static_cast<unsigned int>(lanes))
            atomicAdd(mistakes, 1);
        if (way % 8 == 3 && own / 32 % 2 == 0) __syncwarp();
        if (static_cast<int>(kbuild_cpu::thread_number()) != own) atomicAdd(mistakes, 1);
        if (way % 16 > 10) __syncthreads();
    }
}

extern "C" __global__ void count_votes(int *out) {
    for (int round = 0; round < 3; ++round) {
        const int small = __syncthreads_count(threadIdx.x < 10);
        const int any = __syncthreads_or(threadIdx.x == 5);
        const int all = __syncthreads_and(threadIdx.x < 5);
        if (threadIdx.x == 0) out[blockIdx.x] = small * 100 + any * 10 + all;
    }
}

extern "C" __global__ void histogram(const unsigned char *in, int n, unsigned int *bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[in[i]], 1);
}

__device__ int launches;
extern "C" __global__ void count_launches(int *out) { *out = ++launches; }

struct Affine {
    double scale;
    int offset;
};
namespace ns {
template <class T>
__global__ void apply(Affine f, T *values) {
    KBUILD_SHARED(T, tile, [64]);
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = static_cast<T>(f.scale * tile[blockDim.x - 1 - threadIdx.x] + f.offset);
}
template __global__ void apply<float>(Affine, float *);
}  // namespace ns

// Computes one third, rounded according to the thread's floating-point environment.
extern "C" __global__ void divide(volatile float *values) { values[2] = values[0] / values[1]; }

extern "C" __global__ void spin(volatile int *started, volatile int *stop) {
    *started = 1;
    while (!*stop) __nanosleep(100);
}

// Lanes of two masks take turns, the lanes from 20 on exit, and all warps meet at barriers.
extern "C" __global__ void exchange(int *out) {
    const int lane = threadIdx.x % 32;
    if (lane >= 20) return;
    int sum = 0;
    for (int i = 0; i < 50; ++i) {
        const unsigned int mask = i % 2 == 0      ? 0xffffffffu
                                  : lane % 2 == 0 ? 0x55555555u
                                                  : 0xaaaaaaaau;
        sum += __shfl_sync(mask, lane + i, (lane + 2 * i) % 20);
        if (i % 10 == 0) __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Each branch has its own call site. Lanes come at different times, and one waits for those of a branch.
extern "C" __global__ void converge(unsigned int *out) {
    unsigned int mask = 0;
    for (unsigned int i = 0; i < threadIdx.x % 7; ++i) __nanosleep(1);
    if (threadIdx.x == 2)
        while (atomicAdd(&out[50], 0) == 0) {
        }
    if (threadIdx.x % 4 == 0)
        mask = __activemask();
    else if (threadIdx.x % 4 == 1)
        mask = __activemask();
    if (mask != 0) atomicAdd(&out[50], 1);
    __syncwarp();
    out[threadIdx.x] = mask;
}

// Each round reads what the next block has written in shared and global memory.
extern "C" __global__ void cooperate(int *values, int rounds) {
    auto &dynamic = kbuild_cpu::in_dynamic_memory<int[]>();
    KBUILD_SHARED(int, fixed, );
    const auto grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) fixed = blockIdx.x;
    dynamic[threadIdx.x] = blockIdx.x;
    for (int i = 0; i < rounds; ++i) {
        grid.sync();
        const int next = values[(grid.thread_rank() + blockDim.x) % grid.size()];
        grid.sync();
        values[grid.thread_rank()] = next + fixed - dynamic[threadIdx.x];
    }
}

// Blocks wait for each other without a cooperative launch.
extern "C" __global__ void meet(int *arrived) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
        }
    }
    __syncthreads();
}

// Each thread waits for the same time.
extern "C" __global__ void wait_by_clock(int *count, int nanoseconds) {
    const long long start = clock64();
    while (clock64() - start < nanoseconds) {
    }
    atomicAdd(count, 1);
}

extern "C" __global__ void lock(int *lock, int *count) {
    for (int i = 0; i < 3; ++i) {
        while (atomicCAS(lock, 0, 1) != 0) __nanosleep(10);
        *count = *count + 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

extern "C" __global__ void wait_for_each_other() {
    if (threadIdx.x < 10)
        __syncthreads();
    else
        __syncwarp();
}

extern "C" __global__ void name_wrong_lane() { __syncwarp(2u << threadIdx.x % 31); }

extern "C" __global__ void exit_before_grid_barrier() {
    if (blockIdx.x != 1) cooperative_groups::this_grid().sync();
}

// The loop gives other OS threads the time to run the other blocks until they wait.
extern "C" __global__ void exit_after_others_wait() {
    for (volatile int i = 0; i < (blockIdx.x == 1 ? 20000000 : 1000000); ++i) {
    }
    if (blockIdx.x != 1) cooperative_groups::this_grid().sync();
}

extern "C" __global__ void spin_forever(int *flag) {
    while (atomicAdd(flag, 0) == 0) {
    }
}

extern "C" __global__ void wait_for_host(const volatile int *flag) {
    while (*flag == 0) {
    }
}

extern "C" __global__ void nothing() {}
