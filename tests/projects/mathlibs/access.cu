// Passes memory that cuBLAS cannot access.
#include <cublas_v2.h>

int main() {
    float *a, *b, *c, one = 1, host[16] = {};
    cudaMalloc(&a, 16 * sizeof(float));
    cudaMalloc(&b, 16 * sizeof(float));
    cudaMalloc(&c, 15 * sizeof(float));
    cudaMemset(a, 0, 16 * sizeof(float));
    cudaMemset(b, 0, 16 * sizeof(float));
    cublasHandle_t handle;
    cublasCreate(&handle);
    const auto none = CUBLAS_OP_N;
    cublasSgemm(handle, none, none, 4, 4, 4, &one, a, 4, b, 4, &one, c, 4);
    cublasSgemm(handle, none, none, 4, 4, 4, &one, host, 4, b, 4, &one, a, 4);
    cudaFree(b);
    cublasSscal(handle, 16, &one, b, 1);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    cublasSscal(handle, 16, &one, a, 1);
    cublasDestroy(handle);
    cudaFree(a);
    cudaFree(c);
}
