// The sum of each block, in dynamic shared memory; threads past the end leave early.
__device__ double square(double x)
{
    return x * x;
}

__global__ void sum_of_squares(int n, const double* values, double* sums)
{
    extern __shared__ double partial[];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? square(values[i]) : 0;
    __syncthreads();
    for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
        if (threadIdx.x < width)
            partial[threadIdx.x] += partial[threadIdx.x + width];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = partial[0];
}

// Half of the threads exit before the barrier that the others wait at.
__global__ void reverse_first_half(int n, int* values)
{
    __shared__ int copy[1024];
    if (threadIdx.x >= n)
        return;
    copy[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = copy[n - 1 - threadIdx.x];
}
