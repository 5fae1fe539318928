__device__ int from_archive(int index)
{
    return 100 + index;
}

__global__ void in_archive(int* result)
{
    *result = 42;
}
