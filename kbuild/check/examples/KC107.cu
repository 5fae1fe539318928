__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int *out, copy[64];
    cudaMalloc(&out, 63 * sizeof(int));
    fill<<<1, 63>>>(out);
    cudaMemcpy(copy, out, sizeof copy, cudaMemcpyDeviceToHost);
    cudaFree(out);
}
