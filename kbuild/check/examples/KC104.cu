__global__ void clear(float* data) {
    auto* pairs = reinterpret_cast<double*>(data + 1);
    pairs[threadIdx.x] = 0;
}

int main() {
    float* data;
    cudaMalloc(&data, 129 * sizeof(float));
    clear<<<1, 64>>>(data);
    cudaFree(data);
}
