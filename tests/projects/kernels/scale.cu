#include <kbuild/kbuild.hpp>

template <class T>
KBUILD_KERNEL void scale(int n, T factor, T* values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= factor;
}

template __global__ void scale<float>(int, float, float*);
template __global__ void scale<double>(int, double, double*);
template __global__ void scale<int>(int, int, int*);

__global__ void fill(int n, float value, float* values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = value;
}

__global__ void fill(int n, int value, int* values)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = value + 1;
}
