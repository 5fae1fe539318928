__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int* out;
    cudaMalloc(&out, 100 * sizeof(int));
    fill<<<1, 128>>>(out);
    cudaFree(out);
}
