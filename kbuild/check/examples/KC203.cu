__global__ void shift(int* data) {
    const int next = data[(threadIdx.x + 1) % 32];
    data[threadIdx.x] = next;
}

int main() {
    int* data;
    cudaMalloc(&data, 32 * sizeof(int));
    cudaMemset(data, 0, 32 * sizeof(int));
    shift<<<1, 32>>>(data);
    cudaFree(data);
}
