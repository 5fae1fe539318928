__global__ void find(const int* data, int* is_found) {
    if (data[threadIdx.x] == 0) *is_found = 1;
}

int main() {
    int *data, *is_found;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaMalloc(&is_found, sizeof(int));
    cudaMemset(data, 0, 64 * sizeof(int));
    find<<<1, 64>>>(data, is_found);
    cudaFree(data);
    cudaFree(is_found);
}
