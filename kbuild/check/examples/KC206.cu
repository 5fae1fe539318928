// The first block writes a value and then a flag, which the second block waits for.
__global__ void pass(volatile int* value, int* flag, int* out) {
    if (blockIdx.x == 0) {
        *value = 42;
        atomicExch(flag, 1);
        return;
    }
    while (atomicAdd(flag, 0) == 0) {
    }
    *out = *value;
}

int main() {
    int* memory;
    cudaMalloc(&memory, 3 * sizeof *memory);
    cudaMemset(memory, 0, 3 * sizeof *memory);
    pass<<<2, 1>>>(memory, memory + 1, memory + 2);
    cudaDeviceSynchronize();
    cudaFree(memory);
}
