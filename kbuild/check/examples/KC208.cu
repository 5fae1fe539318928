__global__ void sum(const int* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

int main() {
    int *in, *out;
    cudaMallocManaged(&in, 64 * sizeof *in);
    cudaMallocManaged(&out, sizeof *out);
    for (int i = 0; i < 64; ++i) in[i] = i;
    *out = 0;
    sum<<<1, 64>>>(in, out);
    in[0] = 1;
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}
