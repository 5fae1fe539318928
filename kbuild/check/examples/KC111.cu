__global__ void fill(int* out) { out[threadIdx.x] = 1; }

int main() {
    int* out;
    cudaStream_t stream;
    cudaMalloc(&out, 64 * sizeof *out);
    cudaStreamCreate(&stream);
    fill<<<1, 64, 0, stream>>>(out);
    cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);
    cudaFree(out);
}
