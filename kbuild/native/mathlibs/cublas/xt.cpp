// cuBLASXt: each function is the one of cuBLAS, for memory of the host, too, and waits for it.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"

#include <new>

struct cublasXtContext {
    cublasContext context;
    int block_dim = 2048;  // NVIDIA's default
    cublasXtPinningMemMode_t pinning = CUBLASXT_PINNING_DISABLED;
};

using namespace kbuild::mathlibs;

namespace {

bool is_handle(const cublasXtContext* handle) {
    return handle != nullptr && kbuild::mathlibs::is_handle(&handle->context);
}

// Returns whether numbers of devices name the only one.
bool are_devices(int count, const int* devices) {
    return count == 1 && devices != nullptr && devices[0] == 0;
}

cublasStatus_t finish(cublasXtContext* handle, cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    return to_status(kbuild_cpu_synchronize_stream(handle->context.stream));
}

// Each matrix is one block, so that the size and the pages of blocks mean nothing.
template <class T>
cublasStatus_t set(cublasXtContext* handle, T cublasXtContext::* member, T value, bool is_valid) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
    handle->*member = value;
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(const cublasXtContext* handle, T cublasXtContext::* member, T* value) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *value = handle->*member;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cublasXtContext;
    if (*handle == nullptr) return CUBLAS_STATUS_ALLOC_FAILED;
    (*handle)->context.takes_host_memory = true;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->context.state = 0;
    delete handle;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    return are_devices(count, devices) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasXtGetNumBoards(int count, int devices[], int* boards) {
    if (boards == nullptr || !are_devices(count, devices)) return CUBLAS_STATUS_INVALID_VALUE;
    *boards = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtMaxBoards(int* boards) {
    if (boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *boards = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int dim) {
    return set(handle, &cublasXtContext::block_dim, dim, dim > 0);
}
cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* dim) {
    return get(handle, &cublasXtContext::block_dim, dim);
}

cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinningMemMode_t mode) {
    return set(handle, &cublasXtContext::pinning, mode,
               mode == CUBLASXT_PINNING_DISABLED || mode == CUBLASXT_PINNING_ENABLED);
}
cublasStatus_t cublasXtGetPinningMemMode(cublasXtHandle_t handle, cublasXtPinningMemMode_t* mode) {
    return get(handle, &cublasXtContext::pinning, mode);
}

// The processor does all work already.
cublasStatus_t cublasXtSetCpuRoutine(cublasXtHandle_t handle, cublasXtBlasOp_t, cublasXtOpType_t,
                                     void*) {
    return is_handle(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasXtSetCpuRatio(cublasXtHandle_t handle, cublasXtBlasOp_t, cublasXtOpType_t,
                                   float ratio) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    return ratio >= 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

#define KBUILD_UNPACK(...) __VA_ARGS__
#define KBUILD_CUBLASXT_DEFINE(name, end, parameters, arguments) \
    cublasStatus_t cublasXt##name parameters { \
        if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED; \
        return finish(handle, cublas##name##_##end(&handle->context, KBUILD_UNPACK arguments)); \
    }
KBUILD_CUBLASXT_FUNCTIONS(KBUILD_CUBLASXT_DEFINE)
