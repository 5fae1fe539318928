// Barriers in shared memory, asynchronous copies to it, and pipelines.
#include "conformance.hpp"

#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>

#include <utility>

namespace {

using conformance::check;
using conformance::DeviceVector;
using conformance::print;

constexpr int threads = 96, rounds = 8, stages = 3;

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// The threads of a block, as a group.
struct Block {
    __device__ unsigned size() const { return blockDim.x; }
    __device__ unsigned thread_rank() const { return threadIdx.x; }
    __device__ void sync() const { __syncthreads(); }
};

// Runs a kernel with the parameters `const int* in, int* out`, of `rounds` blocks of elements.
template <class Kernel>
void run(const char* name, Kernel* kernel) {
    std::vector<int> elements(threads * rounds);
    for (int i = 0; i < threads * rounds; ++i) elements[static_cast<std::size_t>(i)] = i * i - 5 * i;
    const DeviceVector<int> in(elements);
    const DeviceVector<int> out(std::vector<int>(elements.size()));
    kernel<<<1, threads>>>(in.data(), out.data());
    check(cudaDeviceSynchronize(), name);
    print(name, out.read(), 0);
}

}  // namespace

// Copies of 4, 8, and 16 bytes, and of parts that zeros follow.
template <int Ints, int Zeros>
__global__ void pipeline_primitives(const int* in, int* out) {
    alignas(16) __shared__ int tile[stages][threads * 4];
    const int i = threadIdx.x * Ints;
    if (i >= threads) return;
    for (int round = 0; round < rounds; ++round) {
        int* const target = tile[round % stages] + i;
        for (int k = 0; k < Ints; ++k) target[k] = -1;
        __pipeline_memcpy_async(target, in + round * threads + i, Ints * sizeof(int),
                                Zeros * sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0);
        for (int k = 0; k < Ints; ++k) out[round * threads + i + k] = target[k];
    }
}

// Two copies are under way at any time.
__global__ void pipeline_prior(const int* in, int* out) {
    __shared__ int tile[stages][threads];
    const int i = threadIdx.x;
    for (int round = 0; round < rounds + 2; ++round) {
        if (round < rounds)
            __pipeline_memcpy_async(&tile[round % stages][i], in + round * threads + i, sizeof(int));
        __pipeline_commit();
        if (round < 2) continue;
        __pipeline_wait_prior(2);
        out[(round - 2) * threads + i] = tile[(round - 2) % stages][i];
    }
}

__global__ void pipeline_arrive_on(const int* in, int* out) {
    __shared__ __mbarrier_t barrier;
    __shared__ int tile[threads];
    const int i = threadIdx.x;
    if (i == 0) __mbarrier_init(&barrier, threads);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        __pipeline_memcpy_async(&tile[i], in + round * threads + i, sizeof(int));
        __pipeline_arrive_on(&barrier);
        const auto token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {}
        out[round * threads + i] = tile[threads - 1 - i];
        __syncthreads();
    }
    if (i == 0) __mbarrier_inval(&barrier);
}

// One thread looks at the counts. The others see the results.
__global__ void mbarrier(const int*, int* out) {
    __shared__ __mbarrier_t barrier;
    __shared__ int value;
    const int i = threadIdx.x;
    if (i == 0) {
        __mbarrier_init(&barrier, 3);
        const auto first = __mbarrier_arrive(&barrier);
        out[0] = static_cast<int>(__mbarrier_token_pending_count(first));
        out[1] = __mbarrier_test_wait(&barrier, first);
        out[2] = __mbarrier_test_wait_parity(&barrier, true);
        out[3] = __mbarrier_test_wait_parity(&barrier, false);
        const auto second = __mbarrier_arrive(&barrier);
        out[4] = static_cast<int>(__mbarrier_token_pending_count(second));
        const auto last = __mbarrier_arrive_and_drop(&barrier);
        out[5] = static_cast<int>(__mbarrier_token_pending_count(last));
        out[6] = __mbarrier_test_wait(&barrier, first) && __mbarrier_test_wait(&barrier, last);
        out[7] = __mbarrier_test_wait_parity(&barrier, false);
        const auto next = __mbarrier_arrive(&barrier);
        out[8] = static_cast<int>(__mbarrier_token_pending_count(next));
        out[9] = __mbarrier_maximum_count() >= 1024;
        __mbarrier_init(&barrier, threads);
    }
    __syncthreads();
    int phase = 0;
    for (int round = 1; round < rounds; ++round) {
        if (i == round) value = round * 100;
        const auto token = __mbarrier_arrive(&barrier);
        if (round % 3 == 0)
            while (!__mbarrier_try_wait(&barrier, token, 1000)) {}
        else if (round % 3 == 1)
            while (!__mbarrier_try_wait_parity(&barrier, phase % 2 != 0, 1000)) {}
        else
            while (!__mbarrier_test_wait_parity(&barrier, phase % 2 != 0)) {}
        ++phase;
        out[round * threads + i] = value + i;
        for (int extra = 0; extra <= round % 2; ++extra, ++phase) {
            const auto after = __mbarrier_arrive(&barrier);
            while (!__mbarrier_test_wait(&barrier, after)) {}
        }
    }
}

__global__ void experimental(const int* in, int* out) {
    namespace experimental = nvcuda::experimental;
    __shared__ experimental::awbarrier barrier;
    alignas(16) __shared__ int tile[threads];
    const int i = threadIdx.x;
    if (i == 0) init(&barrier, threads);
    __syncthreads();
    experimental::pipeline pipe;
    for (int round = 0; round < rounds; ++round) {
        if (round % 2 == 0) {
            experimental::memcpy_async(tile[i], in[round * threads + i], pipe);
            pipe.commit_and_wait();
        } else if (i % 4 == 0) {
            experimental::memcpy_async(experimental::segment<4>(tile + i),
                                       experimental::segment<2>(in + round * threads + i), pipe);
            pipe.commit();
            pipe.wait_prior<0>();
        }
        if (round % 3 == 0) {
            barrier.arrive_and_wait();
        } else {
            const auto token = barrier.arrive();
            while (!barrier.timed_wait(token, 1000)) {}
        }
        out[round * threads + i] = tile[threads - 1 - i];
        barrier.wait(barrier.arrive());
    }
}

// Values move from thread to thread: half of the threads only arrive.
__global__ void barrier_arrive(const int* in, int* out) {
    __shared__ Barrier full, empty;
    __shared__ int tile[threads];
    const int i = threadIdx.x;
    if (i == 0) {
        init(&full, threads);
        init(&empty, threads);
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (i < threads / 2) {
            tile[i] = in[round * threads + i] + round;
            static_cast<void>(full.arrive());
            empty.wait(empty.arrive());
        } else {
            auto token = full.arrive();
            full.wait(std::move(token));
            out[round * threads + i] = tile[i - threads / 2];
            static_cast<void>(empty.arrive());
        }
    }
}

__global__ void barrier_drop(const int*, int* out) {
    __shared__ Barrier barrier;
    __shared__ int counter;
    const int i = threadIdx.x;
    if (i == 0) {
        init(&barrier, threads);
        counter = 0;
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (i == round * 7) {
            barrier.arrive_and_drop();
            return;
        }
        atomicAdd(&counter, 1);
        barrier.arrive_and_wait();
        out[round * threads + i] = counter;
        barrier.arrive_and_wait();
    }
}

__global__ void barrier_waits(const int*, int* out) {
    __shared__ Barrier barrier;
    __shared__ int value;
    const int i = threadIdx.x;
    if (i == 0) init(&barrier, 2 * threads);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        if (i == round) value = 1000 * round;
        auto token = barrier.arrive(2);
        if (round % 3 == 0)
            barrier.wait(std::move(token));
        else
            barrier.wait_parity(round % 2 != 0);
        out[round * threads + i] = value + i;
        __syncthreads();
    }
    if (i == 0) out[0] = Barrier::max() >= 1024;
}

struct Count {
    int* phases;
    __device__ void operator()() const noexcept { ++*phases; }
};

__global__ void barrier_completion(const int*, int* out) {
    using Counting = cuda::barrier<cuda::thread_scope_block, Count>;
    alignas(Counting) __shared__ unsigned char memory[sizeof(Counting)];
    __shared__ int phases;
    auto* const barrier = reinterpret_cast<Counting*>(memory);
    const int i = threadIdx.x;
    if (i == 0) {
        phases = 0;
        new (barrier) Counting(threads, Count{&phases});
    }
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        barrier->arrive_and_wait();
        out[round * threads + i] = phases;
        __syncthreads();
    }
}

__global__ void barrier_copies(const int* in, int* out) {
    __shared__ Barrier barrier;
    alignas(16) __shared__ int tile[threads];
    const int i = threadIdx.x;
    const Block block;
    if (i == 0) init(&barrier, threads);
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
        const int* const from = in + round * threads;
        if (round % 4 == 0) cuda::memcpy_async(&tile[i], &from[i], sizeof(int), barrier);
        if (round % 4 == 1)
            cuda::memcpy_async(&tile[i], &from[i], cuda::aligned_size_t<4>(sizeof(int)), barrier);
        if (round % 4 == 2) cuda::memcpy_async(block, tile, from, sizeof tile, barrier);
        if (round % 4 == 3)
            cuda::memcpy_async(block, tile, from, cuda::aligned_size_t<16>(sizeof tile), barrier);
        barrier.arrive_and_wait();
        out[round * threads + i] = tile[threads - 1 - i];
        __syncthreads();
    }
}

__global__ void pipeline_thread(const int* in, int* out) {
    __shared__ int tile[stages][threads];
    const int i = threadIdx.x;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int round = 0, fetched = 0; round < rounds; ++round) {
        for (; fetched < rounds && fetched < round + stages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[fetched % stages][i], &in[fetched * threads + i],
                               cuda::aligned_size_t<4>(sizeof(int)), pipe);
            pipe.producer_commit();
        }
        if (round % 2 == 0)
            pipe.consumer_wait();
        else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        out[round * threads + i] = tile[round % stages][i];
        pipe.consumer_release();
    }
}

__global__ void pipeline_block(const int* in, int* out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    alignas(16) __shared__ int tile[stages][threads];
    const int i = threadIdx.x;
    const Block block;
    auto pipe = cuda::make_pipeline(block, &state);
    for (int round = 0, fetched = 0; round < rounds; ++round) {
        for (; fetched < rounds && fetched < round + stages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetched % stages], &in[fetched * threads],
                               cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        out[round * threads + i] = tile[round % stages][threads - 1 - i];
        pipe.consumer_release();
    }
}

// A third of the threads copies for the others.
template <class MakePipeline>
__device__ void produce_and_consume(const int* in, int* out, MakePipeline make_pipeline) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    __shared__ int tile[stages][threads];
    const int i = threadIdx.x;
    constexpr int producers = threads / 3;
    auto pipe = make_pipeline(&state);
    if (i < producers) {
        for (int round = 0; round < rounds; ++round) {
            pipe.producer_acquire();
            for (int k = i; k < threads; k += producers)
                cuda::memcpy_async(&tile[round % stages][k], &in[round * threads + k],
                                   cuda::aligned_size_t<4>(sizeof(int)), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int round = 0; round < rounds; ++round) {
            pipe.consumer_wait();
            int sum = 0;
            for (int k = i - producers; k < threads; k += producers)
                sum += tile[round % stages][k] * (k + 1);
            out[round * threads + i] = sum;
            pipe.consumer_release();
        }
    }
    pipe.quit();
}

struct MakeWithRole {
    template <class State>
    __device__ auto operator()(State* state) const {
        return cuda::make_pipeline(Block(), state, threadIdx.x < threads / 3
                                                       ? cuda::pipeline_role::producer
                                                       : cuda::pipeline_role::consumer);
    }
};
struct MakeWithCount {
    template <class State>
    __device__ auto operator()(State* state) const {
        return cuda::make_pipeline(Block(), state, std::size_t{threads / 3});
    }
};

__global__ void pipeline_roles(const int* in, int* out) {
    produce_and_consume(in, out, MakeWithRole());
}
__global__ void pipeline_count(const int* in, int* out) {
    produce_and_consume(in, out, MakeWithCount());
}

int main() {
    run("__pipeline_memcpy_async_4", pipeline_primitives<1, 0>);
    run("__pipeline_memcpy_async_8", pipeline_primitives<2, 0>);
    run("__pipeline_memcpy_async_16", pipeline_primitives<4, 0>);
    run("__pipeline_memcpy_async_4_zeros", pipeline_primitives<1, 1>);
    run("__pipeline_memcpy_async_8_zeros", pipeline_primitives<2, 1>);
    run("__pipeline_memcpy_async_16_zeros", pipeline_primitives<4, 3>);
    run("__pipeline_wait_prior", pipeline_prior);
    run("__pipeline_arrive_on", pipeline_arrive_on);
    run("__mbarrier", mbarrier);
    run("nvcuda::experimental", experimental);
    run("cuda::barrier::arrive", barrier_arrive);
    run("cuda::barrier::arrive_and_drop", barrier_drop);
    run("cuda::barrier::wait_parity", barrier_waits);
    run("cuda::barrier_completion", barrier_completion);
    run("cuda::memcpy_async_barrier", barrier_copies);
    run("cuda::pipeline_thread", pipeline_thread);
    run("cuda::pipeline_block", pipeline_block);
    run("cuda::pipeline_role", pipeline_roles);
    run("cuda::make_pipeline_count", pipeline_count);
}
