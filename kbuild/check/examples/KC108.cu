__global__ void fill(int* out) { out[threadIdx.x] = 1; }

void release(int* memory) { cudaFree(memory); }

int main() {
    int* memory;
    cudaMalloc(&memory, 64 * sizeof *memory);
    fill<<<1, 64>>>(memory);
    release(memory);
    cudaFree(memory);
}
