__global__ void find(const int* in, int* out) {
    int found[2];
    if (in[threadIdx.x] > 0) found[1] = 1;
    out[threadIdx.x] = found[threadIdx.x % 2];
}

int main() {
    int *in, *out;
    cudaMalloc(&in, 64 * sizeof *in);
    cudaMemset(in, 0, 64 * sizeof *in);
    cudaMalloc(&out, 64 * sizeof *out);
    find<<<1, 64>>>(in, out);
    cudaFree(in);
    cudaFree(out);
}
