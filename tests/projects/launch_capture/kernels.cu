#include "kernels.hpp"

__constant__ float factors[4];

namespace ns {
__global__ void mix(int n, double scale, Pair pair, bool flag, const float* x, float* y,
                    const float* middle, const float* nothing)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && nothing == nullptr)
        y[i] = x[i] * static_cast<float>(scale) + (flag ? pair.second : factors[0]) + middle[0];
}

__global__ void fill(Span span, float value)
{
    for (int i = 0; i < span.size; i++)
        span.data[i] = value;
}

__global__ void break_down(int* nowhere)
{
    *reinterpret_cast<volatile int*>(nowhere + 2) = 1;
}

template <class T>
__global__ void add(T* out, T value)
{
    *out += value;
}
}

template __global__ void ns::add<float>(float* out, float value);
