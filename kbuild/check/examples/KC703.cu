// A kernel stops if a value is too large.
__global__ void check(const int* values, int limit) {
    if (values[threadIdx.x] > limit) __trap();
}

int main() {
    int* values;
    cudaMallocManaged(&values, 4 * sizeof *values);
    for (int i = 0; i < 4; ++i) values[i] = i;
    check<<<1, 4>>>(values, 2);
    cudaDeviceSynchronize();
    cudaFree(values);
}
