__global__ void square(int* values) { values[threadIdx.x] *= values[threadIdx.x]; }

int count_squares(int* values, int count)
{
    square<<<1, count>>>(values);
    return cudaDeviceSynchronize() ? 0 : count;
}
