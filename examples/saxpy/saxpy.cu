// Device code only. A kernel source needs no CUDA or HIP include.
#include "saxpy.hpp"

KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
