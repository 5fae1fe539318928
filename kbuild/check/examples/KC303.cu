__global__ void halve(int* out) {
    if (threadIdx.x < 16) {
        out[threadIdx.x] = __shfl_down_sync(0xFFFFFFFF, threadIdx.x, 8);
    } else {
        __syncthreads();
    }
}

int main() {
    int* out;
    cudaMalloc(&out, 32 * sizeof(int));
    halve<<<1, 32>>>(out);
    cudaFree(out);
}
