#include "peer.hpp"

#include <hip/hip_runtime.h>

namespace {

__global__ void mixed(int n, float a, const float* x, float* y) {
    if (n > 1) y[threadIdx.x] = a * x[threadIdx.x];
}

}  // namespace

void launch_by_kbuild_chevrons(int n, float a, const float* x, float* y, hipStream_t stream) {
    mixed<<<1, 32, 0, stream>>>(n, a, x, y);
}
