__global__ void fill(int* out) { out[threadIdx.x] = 1; }

__global__ void add(int* out) { out[threadIdx.x] += 1; }

int main() {
    int* out;
    cudaStream_t first, second;
    cudaMalloc(&out, 64 * sizeof *out);
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    fill<<<1, 64, 0, first>>>(out);
    cudaStreamSynchronize(first);
    add<<<1, 64, 0, first>>>(out);
    add<<<1, 64, 0, second>>>(out);
    cudaDeviceSynchronize();
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
    cudaFree(out);
}
