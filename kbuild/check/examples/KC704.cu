// A block of a launch has more threads than a GPU allows.
__global__ void fill(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
    int* out;
    cudaMalloc(&out, 2048 * sizeof *out);
    fill<<<2, 1024>>>(out);
    fill<<<1, 2048>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
