// A program in CUDA's spelling.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                           \
    do {                                                                                      \
        const cudaError_t error = (call);                                                     \
        if (error != cudaSuccess) {                                                           \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));        \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (0)

__constant__ float factor = 1.0f;

template <class T>
__global__ void add(int n, const T* a, const T* b, T* c) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + factor * b[i];
}

int main() {
    const int n = 1000;
    const size_t bytes = n * sizeof(float);
    const float two = 2.0f;
    const std::vector<float> a(n, 1.0f), b(n, 2.0f);
    std::vector<float> c(n);
    float *da = nullptr, *db = nullptr, *dc = nullptr;
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&db, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(factor, &two, sizeof two));
    add<<<(n + 255) / 256, 256>>>(n, da, db, dc);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    for (const float value : c)
        if (value != 5.0f)
            return std::puts("FAILED"), 1;
    return std::puts("PASSED"), 0;
}
