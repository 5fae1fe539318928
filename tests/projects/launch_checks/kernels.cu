#include "kernels.hpp"

namespace ns {
__global__ void set(int n, float value, Pair, Mode, bool, unsigned char, float* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (out && i < n)
        out[i] = value;
}

__global__ void __launch_bounds__(64) bounded(const int*) {}
}
