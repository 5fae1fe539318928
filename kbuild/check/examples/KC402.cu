__global__ void histogram(int* out) {
    __shared__ int counts[16];
    atomicAdd(&counts[threadIdx.x % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) out[threadIdx.x] = counts[threadIdx.x];
}

int main() {
    int* out;
    cudaMalloc(&out, 16 * sizeof(int));
    histogram<<<1, 64>>>(out);
    cudaFree(out);
}
