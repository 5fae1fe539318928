// Calls of libraries are operations of streams. Ends with the number of the first failed check.
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
#include <thread>
#include <chrono>
#include <atomic>

__global__ void set(float* to, float value) { to[threadIdx.x] = value; }
__global__ void add(float* to, float value) { to[threadIdx.x] += value; }

static std::atomic<bool> is_open{false};
static void wait(void*) {
    while (!is_open) std::this_thread::yield();
}

#define REQUIRE(condition) \
    if (!(condition)) { \
        std::printf("line %d: %s\n", __LINE__, #condition); \
        return 1; \
    }

// Descriptors are read by the call, and memory by the operation, also when a graph runs it.
// A tridiagonal matrix has exact factors. The last element of the second one is in no row.
static int check_factorizations(cusparseHandle_t handle) {
    struct Matrix {
        int offsets[4], columns[7];
        double values[7];
        cuDoubleComplex complex[7];
    };
    Matrix* a;
    REQUIRE(cudaMallocManaged(&a, sizeof *a) == cudaSuccess);
    *a = {{1, 3, 6, 8}, {1, 2, 1, 2, 3, 2, 3}, {4, 1, 2, 5, 1, 3, 6}, {{4, 0}, {9, 9}, {0, 2}, {5, 0}, {9, 9}, {0, -2}, {5, 0}}};
    cusparseMatDescr_t descriptor;
    csrilu02Info_t lu;
    csric02Info_t cholesky;
    int bytes = 1, position = 0;
    REQUIRE(cusparseCreateMatDescr(&descriptor) == CUSPARSE_STATUS_SUCCESS);
    cusparseSetMatIndexBase(descriptor, CUSPARSE_INDEX_BASE_ONE);
    REQUIRE(cusparseCreateCsrilu02Info(&lu) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseCreateCsric02Info(&cholesky) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseDcsrilu02_bufferSize(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, &bytes) == CUSPARSE_STATUS_SUCCESS && bytes == 0);
    const auto policy = CUSPARSE_SOLVE_POLICY_NO_LEVEL;
    REQUIRE(cusparseDcsrilu02_analysis(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseDcsrilu02(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseXcsrilu02_zeroPivot(handle, lu, &position) == CUSPARSE_STATUS_SUCCESS && position == -1);
    const double factors[] = {4, 1, 0.5, 4.5, 1, 3 / 4.5, 6 - 3 / 4.5};
    for (int i = 0; i < 7; ++i) REQUIRE(a->values[i] == factors[i]);
    REQUIRE(cusparseZcsric02(handle, 3, 7, descriptor, a->complex, a->offsets, a->columns, cholesky, policy, nullptr) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusparseXcsric02_zeroPivot(handle, cholesky, &position) == CUSPARSE_STATUS_SUCCESS);
    const double roots[] = {2, 9, 1, 2, 9, -1, 2}; // imaginary below the diagonal
    for (int i = 0; i < 7; ++i) REQUIRE((i == 2 || i == 5 ? a->complex[i].y : a->complex[i].x) == roots[i]);
    a->values[3] = a->values[2] = 0;
    cusparseDcsrilu02(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr);
    REQUIRE(cusparseXcsrilu02_zeroPivot(handle, lu, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 2);
    double tolerance = 0, boost = 8;
    a->values[3] = a->values[2] = 0;
    REQUIRE(cusparseDcsrilu02_numericBoost(handle, lu, 1, &tolerance, &boost) == CUSPARSE_STATUS_SUCCESS);
    cusparseDcsrilu02_analysis(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr);
    cusparseDcsrilu02(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr);
    REQUIRE(cusparseXcsrilu02_zeroPivot(handle, lu, &position) == CUSPARSE_STATUS_SUCCESS && a->values[3] == 8);
    a->columns[3] = 3;
    cusparseDcsrilu02_analysis(handle, 3, 7, descriptor, a->values, a->offsets, a->columns, lu, policy, nullptr);
    REQUIRE(cusparseXcsrilu02_zeroPivot(handle, lu, &position) == CUSPARSE_STATUS_ZERO_PIVOT && position == 2);
    REQUIRE(cusparseDestroyCsrilu02Info(lu) == CUSPARSE_STATUS_SUCCESS && cusparseDestroyCsric02Info(cholesky) == CUSPARSE_STATUS_SUCCESS);
    return 0;
}

// cuBLASXt reads and writes memory of the host, and waits.
static int check_host_memory() {
    cublasXtHandle_t handle;
    int device = 0, other = 1, dim = 0;
    const float one = 1, zero = 0, a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    float c[4] = {};
    REQUIRE(cublasXtCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasXtDeviceSelect(handle, 1, &device) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasXtDeviceSelect(handle, 1, &other) == CUBLAS_STATUS_INVALID_VALUE);
    REQUIRE(cublasXtSetBlockDim(handle, 64) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasXtGetBlockDim(handle, &dim) == CUBLAS_STATUS_SUCCESS && dim == 64);
    REQUIRE(cublasXtSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, a, 2, b, 2, &zero, c, 2) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(c[0] == 26 && c[1] == 38 && c[2] == 30 && c[3] == 44);
    const cuDoubleComplex i[1] = {{0, 2}};
    cuDoubleComplex square[1] = {{1, 5}};
    const double scale = 3;
    REQUIRE(cublasXtZherk(handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, 1, 1, &scale, i, 1, &scale, square, 1) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(square[0].x == 15 && square[0].y == 0);
    REQUIRE(cublasXtDtrmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 1, 1, &scale, &scale, 0, &scale, 1, nullptr, 1) == CUBLAS_STATUS_INVALID_VALUE);
    REQUIRE(cublasXtDestroy(handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasXtDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
    return 0;
}

static int check_others(cudaStream_t stream, float* x, float* y) {
    const int offsets[] = {0, 1, 2}, columns[] = {1, 0};
    float host[2], one = 1, zero = 0;
    int *places, *info;
    cudaMalloc(&places, sizeof offsets + sizeof columns);
    cudaMalloc(&info, sizeof(int));
    cudaMemcpy(places, offsets, sizeof offsets, cudaMemcpyHostToDevice);
    cudaMemcpy(places + 3, columns, sizeof columns, cudaMemcpyHostToDevice);
    cusparseHandle_t sparse;
    cusolverDnHandle_t solver;
    REQUIRE(cusparseCreate(&sparse) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(check_factorizations(sparse) == 0);
    REQUIRE(cusparseSetStream(sparse, stream) == CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusolverDnCreate(&solver) == CUSOLVER_STATUS_SUCCESS);
    REQUIRE(cusolverDnSetStream(solver, stream) == CUSOLVER_STATUS_SUCCESS);
    cusparseSpMatDescr_t A;
    cusparseDnVecDescr_t from, to;
    cusparseCreateCsr(&A, 2, 2, 2, places, places + 3, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&from, 2, x, CUDA_R_32F);
    cusparseCreateDnVec(&to, 2, y, CUDA_R_32F);
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    set<<<1, 2, 0, stream>>>(x, 1);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    add<<<1, 2, 0, stream>>>(x, 1);
    REQUIRE(cusparseSpMV(sparse, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, A, from, &zero, to,
                         CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr) ==
            CUSPARSE_STATUS_SUCCESS);
    REQUIRE(cusolverDnSpotrf(solver, CUBLAS_FILL_MODE_LOWER, 1, y, 1, nullptr, 0, info) ==
            CUSOLVER_STATUS_SUCCESS);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    REQUIRE(cusparseDestroySpMat(A) == CUSPARSE_STATUS_SUCCESS);
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 2; ++i) cudaGraphLaunch(executable, stream);
    cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    REQUIRE(host[0] == 3 && host[1] == 9);  // the first one is a root
    cudaGraphExecDestroy(executable);
    cusparseDestroy(sparse);
    cusolverDnDestroy(solver);
    cudaFree(places);
    cudaFree(info);
    return 0;
}

int main() {
    constexpr int n = 64;
    float *x, *y, *alpha, host[n];
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    cudaMalloc(&alpha, sizeof(float));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cublasHandle_t handle;
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS);
    cudaStream_t found;
    REQUIRE(cublasGetStream(handle, &found) == CUBLAS_STATUS_SUCCESS && found == stream);

    // The call returns before the stream reaches it. A scalar of the host is read at once.
    cudaLaunchHostFunc(stream, wait, nullptr);
    set<<<1, n, 0, stream>>>(x, 1);
    set<<<1, n, 0, stream>>>(y, 2);
    float factor = 10;
    REQUIRE(cublasSaxpy(handle, n, &factor, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS);
    factor = 1000;
    add<<<1, n, 0, stream>>>(y, 1);
    REQUIRE(cudaStreamQuery(stream) == cudaErrorNotReady);
    is_open = true;
    cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    REQUIRE(host[0] == 13 && host[n - 1] == 13);

    // A scalar of the device is read when the operation runs.
    is_open = false;
    REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
    cudaLaunchHostFunc(stream, wait, nullptr);
    set<<<1, 1, 0, stream>>>(alpha, 3);
    REQUIRE(cublasSscal(handle, n, alpha, y, 1) == CUBLAS_STATUS_SUCCESS);
    is_open = true;
    cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    REQUIRE(host[5] == 39);

    // A result for the host is there when the call returns.
    REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST) == CUBLAS_STATUS_SUCCESS);
    float sum = 0;
    set<<<1, n, 0, stream>>>(x, 2);
    REQUIRE(cublasSasum(handle, n, x, 1, &sum) == CUBLAS_STATUS_SUCCESS && sum == 2 * n);

    // Until CUDA 11, the type of the computation was a type of data.
    const float one = 1, zero = 0;
    set<<<1, n, 0, stream>>>(y, 3);
    REQUIRE(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, n, &one, x, CUDA_R_32F, 1, y, CUDA_R_32F,
                         n, &zero, alpha, CUDA_R_32F, 1, CUDA_R_32F,
                         CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 4, &one, x, CUDA_R_32F, 1,
                                       4, y, CUDA_R_32F, 4, 4, &zero, y + 32, CUDA_R_32F, 1, 1, 8,
                                       CUDA_R_64I,
                                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
    cudaMemcpyAsync(host, alpha, sizeof *alpha, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    REQUIRE(host[0] == 6 * n);

    // A capture contains the call, and each launch of the graph runs it.
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    set<<<1, n, 0, stream>>>(y, 0);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    factor = 5;
    REQUIRE(cublasSaxpy(handle, n, &factor, x, 1, y, 1) == CUBLAS_STATUS_SUCCESS);
    add<<<1, n, 0, stream>>>(x, 1);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    factor = 0;
    REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
    cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
    REQUIRE(host[n / 2] == 5 * (2 + 3 + 4));
    cudaGraphExecDestroy(executable);

    // A result for the host cannot be captured.
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    REQUIRE(cublasSasum(handle, n, x, 1, &sum) == CUBLAS_STATUS_EXECUTION_FAILED);
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();

    REQUIRE(check_others(stream, x, y) == 0);
    REQUIRE(check_host_memory() == 0);
    REQUIRE(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasDestroy(nullptr) == CUBLAS_STATUS_NOT_INITIALIZED);
    cudaFree(x);
    cudaFree(y);
    cudaFree(alpha);
    cudaStreamDestroy(stream);
}
