__global__ void average(const int* sums, const int* counts, int* out) {
    out[threadIdx.x] = sums[threadIdx.x] / counts[threadIdx.x];
}

int main() {
    int* data;
    cudaMalloc(&data, 4 * sizeof(int));
    cudaMemset(data, 0, 4 * sizeof(int));
    average<<<1, 1>>>(data, data + 1, data + 2);
    cudaFree(data);
}
