#include "fail.hpp"

__global__ void fail(int code) { if (code != 0) __builtin_trap(); }

// All threads except the last one wait at a barrier, so the failing one runs on another fiber.
__global__ void fail_late(int code) {
    if (threadIdx.x + 1 < blockDim.x) __syncthreads();
    if (code != 0) __builtin_trap();
}
