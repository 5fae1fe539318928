__global__ void set_bits(unsigned* out) { out[threadIdx.x] = 1u << threadIdx.x; }

int main() {
    unsigned* out;
    cudaMalloc(&out, 33 * sizeof(unsigned));
    set_bits<<<1, 33>>>(out);
    cudaFree(out);
}
