__global__ void child(int* out, int value);

template <class T>
__global__ void twice(T* out)
{
    out[threadIdx.x] *= 2;
}

__global__ void parent(int* out)
{
    child<<<1, 4>>>(out, 10);
    twice<<<1, 4>>>(out);
    if (cudaGetLastError() != cudaSuccess) out[3] = -1;
}
