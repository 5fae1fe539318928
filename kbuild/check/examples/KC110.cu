__device__ __attribute__((noinline)) int* make() {
    int value = threadIdx.x;
    int* volatile place = &value;
    return place;
}

__global__ void fill(int* out) { out[threadIdx.x] = *make(); }

int main() {
    int* out;
    cudaMalloc(&out, 64 * sizeof *out);
    fill<<<1, 64>>>(out);
    cudaFree(out);
}
