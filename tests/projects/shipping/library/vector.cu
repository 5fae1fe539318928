#include "vector.hpp"

KBUILD_KERNEL void vectors::negate(Range range, double* values)
{
    const int i = range.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < range.last)
        values[i] = -values[i];
}
