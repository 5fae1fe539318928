extern "C" __global__ void vector_add(int n, const double* a, const double* b, double* sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}
