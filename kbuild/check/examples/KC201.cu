__global__ void rotate(int* out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 32) out[threadIdx.x] = tile[threadIdx.x - 32];
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    rotate<<<1, 64>>>(out);
    cudaFree(out);
}
