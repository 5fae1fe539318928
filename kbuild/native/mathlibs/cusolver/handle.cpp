// Contexts, their settings, and the parameters of algorithms, of which the library has one each.
#include "cusolver/handle.hpp"

#include <new>

struct cusolverDnParams {};
struct syevjInfo {};
struct gesvdjInfo {};

using namespace kbuild::mathlibs;

namespace {

constexpr const char* no_sweeps =
    "the library on the CPU has no algorithm of Jacobi, so there are no sweeps and no residual";

template <class T>
cusolverStatus_t create(T** object) {
    if (object == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *object = new (std::nothrow) T;
    return *object == nullptr ? CUSOLVER_STATUS_ALLOC_FAILED : CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t destroy(T* object) {
    delete object;
    return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t accept(const T* object) {
    return object == nullptr ? CUSOLVER_STATUS_INVALID_VALUE : CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) { return create(handle); }
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
    if (!is_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->state = 0;
    return destroy(handle);
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
    if (!is_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t* stream) {
    if (!is_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *stream = handle->stream;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t mode) {
    if (!is_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (mode != CUSOLVER_DETERMINISTIC_RESULTS && mode != CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS)
        return CUSOLVER_STATUS_INVALID_VALUE;
    handle->mode = mode;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnGetDeterministicMode(cusolverDnHandle_t handle,
                                                cusolverDeterministicMode_t* mode) {
    if (!is_handle(handle)) return CUSOLVER_STATUS_NOT_INITIALIZED;
    if (mode == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *mode = handle->mode;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) { return create(params); }
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params) { return destroy(params); }
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
                                         cusolverAlgMode_t algorithm) {
    if (function < CUSOLVERDN_GETRF || function > CUSOLVERDN_SYEVBATCHED ||
        algorithm < CUSOLVER_ALG_0 || algorithm > CUSOLVER_ALG_2)
        return CUSOLVER_STATUS_INVALID_VALUE;
    return accept(params);
}

cusolverStatus_t cusolverDnCreateSyevjInfo(syevjInfo_t* info) { return create(info); }
cusolverStatus_t cusolverDnDestroySyevjInfo(syevjInfo_t info) { return destroy(info); }
cusolverStatus_t cusolverDnXsyevjSetTolerance(syevjInfo_t info, double) { return accept(info); }
cusolverStatus_t cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int) { return accept(info); }
cusolverStatus_t cusolverDnXsyevjSetSortEig(syevjInfo_t info, int) { return accept(info); }
cusolverStatus_t cusolverDnXsyevjGetResidual(cusolverDnHandle_t, syevjInfo_t, double*) {
    return reject("cusolverDnXsyevjGetResidual", no_sweeps);
}
cusolverStatus_t cusolverDnXsyevjGetSweeps(cusolverDnHandle_t, syevjInfo_t, int*) {
    return reject("cusolverDnXsyevjGetSweeps", no_sweeps);
}
cusolverStatus_t cusolverDnCreateGesvdjInfo(gesvdjInfo_t* info) { return create(info); }
cusolverStatus_t cusolverDnDestroyGesvdjInfo(gesvdjInfo_t info) { return destroy(info); }
cusolverStatus_t cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double) { return accept(info); }
cusolverStatus_t cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int) { return accept(info); }
cusolverStatus_t cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int) { return accept(info); }
cusolverStatus_t cusolverDnXgesvdjGetResidual(cusolverDnHandle_t, gesvdjInfo_t, double*) {
    return reject("cusolverDnXgesvdjGetResidual", no_sweeps);
}
cusolverStatus_t cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t, gesvdjInfo_t, int*) {
    return reject("cusolverDnXgesvdjGetSweeps", no_sweeps);
}

cusolverStatus_t cusolverGetVersion(int* version) {
    if (version == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    *version = CUSOLVER_VERSION;
    return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUSOLVER_VER_MAJOR; return CUSOLVER_STATUS_SUCCESS;
    case MINOR_VERSION: *value = CUSOLVER_VER_MINOR; return CUSOLVER_STATUS_SUCCESS;
    case PATCH_LEVEL: *value = CUSOLVER_VER_PATCH; return CUSOLVER_STATUS_SUCCESS;
    }
    return CUSOLVER_STATUS_INVALID_VALUE;
}
