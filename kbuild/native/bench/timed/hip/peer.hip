#include "peer.hpp"

#include <hip/hip_runtime.h>

namespace {

__global__ void peer(int n, float a, const float* x, float* y) {
    if (n > 1) y[threadIdx.x] = a * x[threadIdx.x];
}

}  // namespace

void launch_by_chevrons(int n, float a, const float* x, float* y, hipStream_t stream) {
    peer<<<1, 32, 0, stream>>>(n, a, x, y);
}
