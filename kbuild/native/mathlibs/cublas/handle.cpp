// Contexts, their settings, status codes, and messages.
#include "cublas/exported.hpp"

#include "cublas/handle.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace kbuild::mathlibs {
namespace {

// What cublasLoggerConfigure and cublasSetLoggerCallback set.
struct Logger {
    std::mutex mutex;
    std::atomic<bool> is_on{false};
    bool to_output = false;
    bool to_error = false;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{nullptr, std::fclose};
    cublasLogCallback callback = nullptr;
};

Logger& logger() {
    static Logger& instance = *new Logger;  // programs can log in destructors, too
    return instance;
}

struct Status {
    cublasStatus_t status;
    const char* name;
    const char* text;
};

constexpr Status statuses[] = {
    {CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED",
     "the library was not initialized"},
    {CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
     "an unsupported value or parameter was passed to the function"},
    {CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
     "the function requires a feature absent from the device architecture"},
    {CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR",
     "an access to GPU memory space failed"},
    {CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED",
     "the function failed to launch on the GPU"},
    {CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
     "the functionality requested is not supported"},
    {CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
     "the functionality requested requires a license"},
};

const Status* find_status(cublasStatus_t status) {
    for (const auto& known : statuses)
        if (known.status == status) return &known;
    return nullptr;
}

// Sets or returns a setting of a valid context.
template <class T>
cublasStatus_t set(cublasHandle_t handle, T cublasContext::* member, T value) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->*member = value;
    return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t get(cublasHandle_t handle, T cublasContext::* member, T* value) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *value = handle->*member;
    return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

void log_message(const char* function, const char* message) {
    auto& log = logger();
    const bool is_problem = *message != '\0';
    if (!is_problem && !log.is_on) return;
    const auto text = "[cublas] " + std::string(function) + (is_problem ? ": " : "") + message;
    const std::lock_guard lock(log.mutex);
    if (log.callback != nullptr) log.callback(text.c_str());
    if (log.to_output) std::fprintf(stdout, "%s\n", text.c_str());
    // What this library does not do is said in any case.
    if (log.to_error || is_problem) std::fprintf(stderr, "%s\n", text.c_str());
    if (log.file != nullptr) std::fprintf(log.file.get(), "%s\n", text.c_str());
}

cublasStatus_t to_status(int error) {
    switch (error) {
    case 0: return CUBLAS_STATUS_SUCCESS;
    case KBUILD_CPU_OUT_OF_MEMORY: return CUBLAS_STATUS_ALLOC_FAILED;
    default: return CUBLAS_STATUS_EXECUTION_FAILED;
    }
}

cublasStatus_t Call::submit_queued(bool has_results, OwnedQueued operation) {
    log_message(name_, "");
    int error = enqueue_queued(handle_->stream, std::move(operation));
    if (error == 0 && has_results && has_host_pointers())
        error = kbuild_cpu_synchronize_stream(handle_->stream);
    return to_status(error);
}

cublasStatus_t Call::status() const {
    if (status_ != CUBLAS_STATUS_SUCCESS) {
        if (status_ == CUBLAS_STATUS_INVALID_VALUE && logger().is_on)
            log_message(name_, "an argument is invalid");
    }
    return status_;
}

}  // namespace kbuild::mathlibs

using namespace kbuild::mathlibs;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
    if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *handle = new (std::nothrow) cublasContext;
    return *handle == nullptr ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}

// As NVIDIA's, waits for the device.
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->state = 0;
    delete handle;
    return to_status(kbuild_cpu_synchronize());
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (version == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    if (value == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    switch (type) {
    case MAJOR_VERSION: *value = CUBLAS_VER_MAJOR; return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION: *value = CUBLAS_VER_MINOR; return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL: *value = CUBLAS_VER_PATCH; return CUBLAS_STATUS_SUCCESS;
    }
    return CUBLAS_STATUS_INVALID_VALUE;
}

size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

// As NVIDIA's, returns to the default workspace.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->stream = stream;
    handle->workspace = nullptr;
    handle->workspace_bytes = 0;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
    return get(handle, &cublasContext::stream, stream);
}

// The workspace is not used.
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
    if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
    handle->workspace = workspace;
    handle->workspace_bytes = bytes;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    if (mode != CUBLAS_POINTER_MODE_HOST && mode != CUBLAS_POINTER_MODE_DEVICE)
        return CUBLAS_STATUS_INVALID_VALUE;
    return set(handle, &cublasContext::pointer_mode, mode);
}
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get(handle, &cublasContext::pointer_mode, mode);
}

cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    if (mode != CUBLAS_ATOMICS_NOT_ALLOWED && mode != CUBLAS_ATOMICS_ALLOWED)
        return CUBLAS_STATUS_INVALID_VALUE;
    return set(handle, &cublasContext::atomics_mode, mode);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return get(handle, &cublasContext::atomics_mode, mode);
}

// All modes compute with the precision of the types.
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    constexpr unsigned flags = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    switch (static_cast<unsigned>(mode) & ~flags) {
    case CUBLAS_DEFAULT_MATH:
    case CUBLAS_TENSOR_OP_MATH:
    case CUBLAS_PEDANTIC_MATH:
    case CUBLAS_TF32_TENSOR_OP_MATH:
    case CUBLAS_FP32_EMULATED_BF16X9_MATH:
    case CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH: return set(handle, &cublasContext::math_mode, mode);
    default: return CUBLAS_STATUS_INVALID_VALUE;
    }
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get(handle, &cublasContext::math_mode, mode);
}

cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
    if (count < 0) return CUBLAS_STATUS_INVALID_VALUE;
    return set(handle, &cublasContext::sm_count_target, count);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
    return get(handle, &cublasContext::sm_count_target, count);
}

const char* cublasGetStatusName(cublasStatus_t status) {
    const auto* const found = find_status(status);
    return found == nullptr ? "<unknown>" : found->name;
}
const char* cublasGetStatusString(cublasStatus_t status) {
    const auto* const found = find_status(status);
    return found == nullptr ? "<unknown>" : found->text;
}

cublasStatus_t cublasLoggerConfigure(int is_on, int to_output, int to_error, const char* path) {
    auto& log = logger();
    const std::lock_guard lock(log.mutex);
    std::FILE* file = nullptr;
    if (path != nullptr && (file = std::fopen(path, "w")) == nullptr)
        return CUBLAS_STATUS_INVALID_VALUE;
    log.is_on = is_on != 0;
    log.to_output = to_output != 0;
    log.to_error = to_error != 0;
    log.file.reset(file);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback) {
    auto& log = logger();
    const std::lock_guard lock(log.mutex);
    log.callback = callback;
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback* callback) {
    if (callback == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    auto& log = logger();
    const std::lock_guard lock(log.mutex);
    *callback = log.callback;
    return CUBLAS_STATUS_SUCCESS;
}

void cublasXerbla(const char* name, int info) {
    std::fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", name,
                 info);
}
