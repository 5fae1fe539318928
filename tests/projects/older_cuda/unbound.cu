/* A kernel that reads a texture reference without memory. */
#include <cstdio>

texture<float> reference;

__global__ void read(float *out) { *out = tex1Dfetch(reference, 0); }

int main() {
    float *memory;
    cudaMalloc(&memory, 64);
    cudaBindTexture(0, reference, memory, 64);
    cudaUnbindTexture(reference);
    read<<<1, 1>>>(memory);
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
