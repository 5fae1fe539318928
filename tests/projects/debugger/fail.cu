#include "fail.hpp"

#include <cassert>

__global__ void fail(int code) { assert(code == 0); }

// All threads except the last one wait at a barrier, so the failing one runs on another fiber.
__global__ void fail_late(int code) {
    if (threadIdx.x + 1 < blockDim.x) __syncthreads();
    assert(code == 0);
}
