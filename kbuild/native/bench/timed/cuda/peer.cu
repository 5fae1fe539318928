#include "peer.hpp"

namespace {

__global__ void peer(int n, float a, const float* x, float* y) {
    if (n > 1) y[threadIdx.x] = a * x[threadIdx.x];
}

}  // namespace

void launch_by_chevrons(int n, float a, const float* x, float* y, cudaStream_t stream) {
    peer<<<1, 32, 0, stream>>>(n, a, x, y);
}

const void* peer_kernel() { return reinterpret_cast<const void*>(peer); }
