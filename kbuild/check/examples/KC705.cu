// A function that must not be called.
__global__ void select(int kind, int* out) {
    switch (kind) {
    case 0: *out = 1; return;
    default: __builtin_trap();
    }
}

int main() {
    int* out;
    cudaMalloc(&out, sizeof *out);
    select<<<1, 1>>>(7, out);
    cudaDeviceSynchronize();
    cudaFree(out);
}
