__global__ void split(int* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof(int));
    split<<<1, 64>>>(out);
    cudaFree(out);
}
