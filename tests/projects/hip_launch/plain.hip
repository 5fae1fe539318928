#include "copy.hpp"

template __global__ void copy(const float*, float*, unsigned char);

// C programs launch these by name.
extern "C" {
__global__ void c_fill(unsigned char first, double value, float* out, short n)
{
    if (threadIdx.x < n) out[threadIdx.x] = static_cast<float>(value + first);
}

__global__ void c_nothing() {}
}
