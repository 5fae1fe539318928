#include "copy.hpp"

namespace ns {
__global__ void scale(float* p, float a, int n)
{
    if (threadIdx.x < n) p[threadIdx.x] *= a;
}
} // namespace ns

__global__ void over(int* out, int value) { *out = value; }
__global__ void over(int* out, double value) { *out = static_cast<int>(value); }
__global__ void advance(char first, Step step, double* out) { *out = first + step.time * step.path[2]; }
__global__ void nothing() {}

template __global__ void copy(const float*, float*, unsigned char);
template __global__ void copy(const double*, double*, unsigned char);

__attribute__((used)) static __global__ void own(int* out) { *out = 1; }

__device__ float weights[4];
__constant__ int factor = 2;
__managed__ int calls;
__managed__ double sums[2] = {1, 2};

__global__ void read(double* out) { *out = weights[0] * factor + calls + sums[1]; }
