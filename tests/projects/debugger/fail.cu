#include "fail.hpp"

#include <cassert>

__global__ void fail(int code) { assert(code == 0); }

// All threads but the last wait in a barrier: the one that fails runs on a separate fiber.
__global__ void fail_late(int code) {
    if (threadIdx.x + 1 < blockDim.x) __syncthreads();
    assert(code == 0);
}
