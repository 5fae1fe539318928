// The library's context, and its calls.
#ifndef KBUILD_MATHLIBS_CUBLAS_HANDLE_HPP
#define KBUILD_MATHLIBS_CUBLAS_HANDLE_HPP

#include "common/memory.hpp"
#include "common/operation.hpp"

#include <cublas_api.h>

#include <cstdint>

struct cublasContext {
    static constexpr std::uint64_t valid = 0x6b6275696c64424c;

    std::uint64_t state = valid;
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
    int sm_count_target = 0;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    bool takes_host_memory = false;  // as cuBLASXt does
};

namespace kbuild::mathlibs {

// Writes a message to where the program has configured.
void log_message(const char* function, const char* message);

inline bool is_handle(const cublasContext* handle) {
    return handle != nullptr && handle->state == cublasContext::valid;
}

// Returns the status for a kbuild_cpu_error.
cublasStatus_t to_status(int error);

// A call of a function with a handle: checks of its arguments, and the operation that it queues.
class Call {
public:
    Call(const char* name, cublasHandle_t handle) : name_(name), handle_(handle) {
        if (!is_handle(handle)) status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    }

    void require(bool condition) {
        if (!condition && is_accepted()) status_ = CUBLAS_STATUS_INVALID_VALUE;
    }
    // Rejects what the library does not do.
    void require_supported(bool condition, const char* otherwise) {
        if (condition || !is_accepted()) return;
        log_message(name_, otherwise);
        status_ = CUBLAS_STATUS_NOT_SUPPORTED;
    }

    bool is_accepted() const { return status_ == CUBLAS_STATUS_SUCCESS; }
    cublasStatus_t status() const;

    // Returns the name with which operations check memory; see Memory.
    const char* checked_name() const { return handle_->takes_host_memory ? nullptr : name_; }

    bool has_host_pointers() const { return handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST; }

    // Queues the operation. A function that returns numbers to the host waits for them.
    template <class Operation>
    cublasStatus_t submit(bool has_results, const Operation& operation) {
        if (!is_accepted()) return status();
        return submit_queued(has_results, make_queued(operation));
    }

private:
    cublasStatus_t submit_queued(bool has_results, OwnedQueued operation);

    const char* name_;
    cublasHandle_t handle_;
    cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

// A number that the program passes by its address: one of the host is read by the call, and one of
// the device by the operation.
template <class T>
class Scalar {
public:
    Scalar(const Call& call, const void* address) : address_(static_cast<const T*>(address)) {
        if (call.has_host_pointers()) {
            value_ = *address_;
            address_ = nullptr;
        }
    }

    T get() const { return address_ == nullptr ? value_ : *address_; }
    void check(Memory& memory, const char* name) const {
        if (address_ != nullptr) memory.reads(name, address_, 1);
    }

private:
    const T* address_;
    T value_ = {};
};

}  // namespace kbuild::mathlibs

#endif
