// Counts bytes: atomics on shared memory, then on global memory.
__global__ void histogram(int n, const unsigned char* data, unsigned int* bins)
{
    __shared__ unsigned int local[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        local[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&bins[bin], local[bin]);
}

__global__ void accumulate(int n, const float* values, float* sum, double* wide_sum, int* largest)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(sum, values[i]);
        atomicAdd(wide_sum, static_cast<double>(values[i]));
        atomicMax(largest, static_cast<int>(values[i]));
    }
}
