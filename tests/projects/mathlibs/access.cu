// Passes memory that libraries cannot access.
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>

// A vector that is shorter than the matrix has rows, and a matrix of the host.
static void call_others(float* matrix, float* host) {
    const int offsets[] = {0, 1, 2, 3, 4}, columns[] = {0, 1, 2, 3};
    int *places, *info;
    float *x, *y, one = 1;
    cudaMalloc(&places, sizeof offsets + sizeof columns);
    cudaMemcpy(places, offsets, sizeof offsets, cudaMemcpyHostToDevice);
    cudaMemcpy(places + 5, columns, sizeof columns, cudaMemcpyHostToDevice);
    cudaMalloc(&x, 4 * sizeof(float));
    cudaMalloc(&y, 3 * sizeof(float));
    cudaMalloc(&info, sizeof(int));
    cudaMemset(x, 0, 4 * sizeof(float));
    cudaMemset(y, 0, 3 * sizeof(float));
    cusparseHandle_t sparse;
    cusparseSpMatDescr_t A;
    cusparseDnVecDescr_t from, to;
    cusparseCreate(&sparse);
    cusparseCreateCsr(&A, 4, 4, 4, places, places + 5, matrix, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&from, 4, x, CUDA_R_32F);
    cusparseCreateDnVec(&to, 4, y, CUDA_R_32F);
    cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, from, &one, to, CUDA_R_32F,
                 CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    cusparseDestroySpMat(A);
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
    cusparseDestroy(sparse);
    cusolverDnHandle_t solver;
    cusolverDnCreate(&solver);
    cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 4, host, 4, nullptr, 0, info);
    cusolverDnDestroy(solver);
    cudaDeviceSynchronize();
    cudaFree(places);
    cudaFree(x);
    cudaFree(y);
    cudaFree(info);
}

int main() {
    // cuBLASXt can access this.
    cublasXtHandle_t xt;
    float of_host[4] = {}, alpha = 1;
    cublasXtCreate(&xt);
    cublasXtSgemm(xt, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, of_host, 2, of_host, 2, &alpha, of_host, 2);
    cublasXtDestroy(xt);

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
    call_others(a, host);
    cudaFree(a);
    cudaFree(c);
}
