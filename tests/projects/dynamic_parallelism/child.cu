__global__ void child(int* out, int value)
{
    out[threadIdx.x] = value + threadIdx.x;
}
