// Threads that wait for others in loops: locks, flags, and decoupled look-back.
#include "blocks.hpp"

namespace {

__device__ int lock, ticket, serving, counter;

// Threads of different warps and blocks take the lock.
__global__ void test_spin_lock(int* out) {
    if (threadIdx.x % 32 == 0) {
        for (int i = 0; i < 5; ++i) {
            while (atomicCAS(&lock, 0, 1) != 0) {
            }
            __threadfence();
            *const_cast<volatile int*>(&counter) = *const_cast<volatile int*>(&counter) + 1;
            __threadfence();
            atomicExch(&lock, 0);
        }
    }
    static_cast<void>(out);
}
__global__ void test_exchange_lock(int* out) {
    if (threadIdx.x % 32 == 0) {
        for (int i = 0; i < 5; ++i) {
            while (atomicExch(&lock, 1) != 0) __nanosleep(20);
            __threadfence();
            *const_cast<volatile int*>(&counter) = *const_cast<volatile int*>(&counter) + 1;
            __threadfence();
            atomicExch(&lock, 0);
        }
    }
    static_cast<void>(out);
}
__global__ void test_ticket_lock(int* out) {
    if (threadIdx.x % 32 == 0) {
        const int own = atomicAdd(&ticket, 1);
        while (atomicAdd(&serving, 0) != own) {
        }
        __threadfence();
        *const_cast<volatile int*>(&counter) = *const_cast<volatile int*>(&counter) + 1;
        __threadfence();
        atomicAdd(&serving, 1);
    }
    static_cast<void>(out);
}

// A lane takes the lock in a loop that the other lanes of its warp run, too.
__global__ void test_lock_within_a_warp(int* out) {
    bool is_done = false;
    while (!is_done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            *const_cast<volatile int*>(&counter) = *const_cast<volatile int*>(&counter) + 1;
            __threadfence();
            atomicExch(&lock, 0);
            is_done = true;
        }
    }
    static_cast<void>(out);
}

// The first warp waits for the last one, with a fence or a sleep in the loop.
template <bool sleeps>
__global__ void test_flag(int* out) {
    __shared__ volatile int flag, data;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x / 32 == 0) {
        while (flag == 0) {
            if (sleeps)
                __nanosleep(10);
            else
                __threadfence_block();
        }
        out[THREAD] = data;
    } else if (threadIdx.x == blockDim.x - 1) {
        data = 17 + blockIdx.x;
        __threadfence_block();
        flag = 1;
    }
}

// A warp polls with warp operations for what another warp does.
__global__ void test_poll_with_votes(int* out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x / 32 == 0)
        while (!__all_sync(0xffffffffu, flag != 0)) {
        }
    else
        flag = 1;
    out[THREAD] = flag;
}

// Each block adds the sum of the blocks before it, which it finds by looking back.
__device__ volatile int states[64], sums[64], prefixes[64];
__global__ void test_look_back(int* out) {
    __shared__ int values[64], before, block;
    if (threadIdx.x == 0) block = atomicAdd(&ticket, 1);
    __syncthreads();
    values[threadIdx.x] = (block * 64 + threadIdx.x) % 13;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < 64; ++i) values[i] = sum += values[i];
        sums[block] = sum;
        __threadfence();
        states[block] = 1;
        before = 0;
        for (int i = block - 1; i >= 0; --i) {
            int state;
            while ((state = states[i]) == 0) __threadfence();
            __threadfence();
            before += state == 2 ? prefixes[i] : sums[i];
            if (state == 2) break;
        }
        prefixes[block] = before + sum;
        __threadfence();
        states[block] = 2;
    }
    __syncthreads();
    out[block * 64 + threadIdx.x] = before + values[threadIdx.x];
}

// A barrier of all blocks that the program has written itself. All of them are resident.
__global__ void test_own_grid_barrier(int* out) {
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&ticket, 1);
        while (atomicAdd(&ticket, 0) < static_cast<int>(gridDim.x)) {
        }
    }
    __syncthreads();
    out[THREAD] = atomicAdd(&ticket, 0);
}

void reset() {
    const int zero = 0;
    const int zeros[64] = {};
    conformance::check(cudaMemcpyToSymbol(ticket, &zero, sizeof zero), "reset");
    conformance::check(cudaMemcpyToSymbol(serving, &zero, sizeof zero), "reset");
    conformance::check(cudaMemcpyToSymbol(counter, &zero, sizeof zero), "reset");
    conformance::check(cudaMemcpyToSymbol(states, zeros, sizeof zeros), "reset");
}

void run_lock(const char* name, void (*kernel)(int*)) {
    reset();
    kernel<<<16, 128>>>(nullptr);
    conformance::check(cudaDeviceSynchronize(), name);
    int total = 0;
    conformance::check(cudaMemcpyFromSymbol(&total, counter, sizeof total), name);
    conformance::print(name, std::vector<int>{total}, 0);
}

}  // namespace

int main() {
    using conformance::run_blocks;
    run_lock("spin_lock", test_spin_lock);
    run_lock("exchange_lock", test_exchange_lock);
    run_lock("ticket_lock", test_ticket_lock);
    run_lock("lock_within_a_warp", test_lock_within_a_warp);
    run_blocks("flag_with_fence", test_flag<false>);
    run_blocks("flag_with_sleep", test_flag<true>);
    run_blocks("poll_with_votes", test_poll_with_votes);
    reset();
    run_blocks("look_back", test_look_back, 64, 64);
    reset();
    run_blocks("own_grid_barrier", test_own_grid_barrier, 16, 64);
}
