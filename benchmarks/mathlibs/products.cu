// Times cublasSgemm and OpenBLAS in turns: for each pair, the size and both times in seconds.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using Product = void (*)(int, int, int, std::int64_t, std::int64_t, std::int64_t, float, const float*,
                         std::int64_t, const float*, std::int64_t, float, float*, std::int64_t);

template <class Call>
static double measure(Call call) {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int main(int, char** arguments) {
    const int n = std::atoi(arguments[1]), pairs = std::atoi(arguments[2]);
    // The library of cuBLAS has loaded it.
    const auto product = reinterpret_cast<Product>(dlsym(RTLD_DEFAULT, "scipy_cblas_sgemm64_"));
    if (product == nullptr) return 1;
    float *a, *b, *c;
    cudaMalloc(&a, sizeof(float) * n * n);
    cudaMalloc(&b, sizeof(float) * n * n);
    cudaMalloc(&c, sizeof(float) * n * n);
    for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
    cublasHandle_t handle;
    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
    const float one = 1, zero = 0;
    constexpr int by_columns = 102, not_transposed = 111;
    for (int i = -1; i < pairs; ++i) {
        const double ours = measure([&] {
            cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
            cudaDeviceSynchronize();
        });
        const double peer = measure([&] {
            product(by_columns, not_transposed, not_transposed, n, n, n, one, a, n, b, n, zero, c, n);
        });
        if (i >= 0) std::printf("%.9f %.9f\n", ours, peer);  // the first pair warms up
    }
    cublasDestroy(handle);
}
