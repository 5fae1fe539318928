#ifdef CHECKED
#include <cassert>
#endif

// Multiplies n elements by a.
__global__ void scale(int n, float a, float *x)
{
#ifdef CHECKED
    assert(x != nullptr);
#endif
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
