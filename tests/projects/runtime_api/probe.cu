#ifndef CXX_NAMES // extern "C" kernels cannot have debug stubs, because the cubin does not contain their types
extern "C"
#endif
__global__ void fill(int n, int value, int* out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

namespace ns {
__global__ void __launch_bounds__(256) scale(float* p, float a, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= a;
}
}

__global__ void fill_shared(int words, int* out)
{
    extern __shared__ int shared[];
    for (int i = 0; i < words; ++i)
        shared[i] = i;
    *out = shared[words - 1];
}
