__global__ void sum(const int* data, int* out, int count) {
    if (threadIdx.x >= count) return;
    const int total = __syncthreads_count(data[threadIdx.x]);
    if (threadIdx.x == 0) *out = total;
}

int main() {
    int* data;
    cudaMalloc(&data, 128 * sizeof(int));
    cudaMemset(data, 0, 128 * sizeof(int));
    sum<<<1, 128>>>(data, data, 100);
    cudaFree(data);
}
