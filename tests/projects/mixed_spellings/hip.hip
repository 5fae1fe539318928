// A program in HIP's spelling.
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                           \
    do {                                                                                      \
        const hipError_t error = (call);                                                     \
        if (error != hipSuccess) {                                                           \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, hipGetErrorString(error));        \
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
    CHECK(hipMalloc(&da, bytes));
    CHECK(hipMalloc(&db, bytes));
    CHECK(hipMalloc(&dc, bytes));
    CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
    CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));
    CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factor), &two, sizeof two));
    hipLaunchKernelGGL(HIP_KERNEL_NAME(add<float>), dim3((n + 255) / 256), dim3(256), 0, 0, n, da, db, dc);
    CHECK(hipGetLastError());
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
    CHECK(hipFree(da));
    CHECK(hipFree(db));
    CHECK(hipFree(dc));
    for (const float value : c)
        if (value != 5.0f)
            return std::puts("FAILED"), 1;
    return std::puts("PASSED"), 0;
}
