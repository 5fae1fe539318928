#include <cstdio>

__global__ void fill(int* out) {
    if (threadIdx.x != 0) out[threadIdx.x] = 1;
}

int main() {
    int *out, results[64];
    cudaMalloc(&out, sizeof results);
    fill<<<1, 64>>>(out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    std::printf("%d\n", results[0]);
    cudaFree(out);
}
