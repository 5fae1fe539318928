// Adds two vectors of n elements.
__global__ void sum(int n, const float *x, const float *y, float *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = x[i] + y[i];
}
