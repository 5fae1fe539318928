__global__ void child(int* out, int value)
{
    out[threadIdx.x] = value + threadIdx.x;
}

__global__ void parent(int* out)
{
    child<<<1, 4>>>(out, 10);
}
