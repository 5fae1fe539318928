#include <cuda_pipeline.h>

__global__ void reverse(const int* in, int* out) {
    __shared__ int part[64];
    __pipeline_memcpy_async(&part[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = part[63 - threadIdx.x];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, 64 * sizeof *out);
    reverse<<<1, 64>>>(in, out);
    cudaFree(in);
    cudaFree(out);
}
