__global__ void pass_on(int* flag, int* data, int* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0) {
        }
        *out = *data;
    }
}

int main() {
    int* memory;
    cudaMalloc(&memory, 3 * sizeof *memory);
    cudaMemset(memory, 0, 3 * sizeof *memory);
    pass_on<<<2, 1>>>(memory, memory + 1, memory + 2);
    cudaFree(memory);
}
