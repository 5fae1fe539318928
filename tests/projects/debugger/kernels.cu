#include "kernels.hpp"

__global__ void saxpy(int n, float a, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float product = a * x[i];
        y[i] += product;
    }
}

extern "C" __global__ void reset(float* to, int n) {
    if (threadIdx.x == 0) to[0] = n;
}

__global__ void fall(Body body, double seconds, float* height) {
    *height = body.mass * seconds * body.charge;
}

namespace ns {
__global__ void scale(float* to, float factor, int n) {
    if (static_cast<int>(threadIdx.x) < n) to[threadIdx.x] *= factor;
}

template <class T>
__global__ void add(T* to, T value) {
    to[threadIdx.x] += value;
}
template __global__ void add<int>(int*, int);
}  // namespace ns

static __global__ void quiet(int* to) { *to = 1; }
