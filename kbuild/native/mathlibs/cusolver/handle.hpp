// The library's context, and its calls.
#ifndef KBUILD_MATHLIBS_CUSOLVER_HANDLE_HPP
#define KBUILD_MATHLIBS_CUSOLVER_HANDLE_HPP

#include "common/memory.hpp"
#include "common/operation.hpp"

#pragma GCC visibility push(default)
#include <cusolverDn.h>
#pragma GCC visibility pop

#include <cstdint>
#include <cstdio>

struct cusolverDnContext {
    static constexpr std::uint64_t valid = 0x6b6275696c64534f;

    std::uint64_t state = valid;
    cudaStream_t stream = nullptr;
    cusolverDeterministicMode_t mode = CUSOLVER_DETERMINISTIC_RESULTS;
};

namespace kbuild::mathlibs {

inline bool is_handle(const cusolverDnContext* handle) {
    return handle != nullptr && handle->state == cusolverDnContext::valid;
}

inline cusolverStatus_t to_solver_status(int error) {
    switch (error) {
    case 0: return CUSOLVER_STATUS_SUCCESS;
    case KBUILD_CPU_OUT_OF_MEMORY: return CUSOLVER_STATUS_ALLOC_FAILED;
    default: return CUSOLVER_STATUS_EXECUTION_FAILED;
    }
}

inline cusolverStatus_t reject(const char* function, const char* problem) {
    std::fprintf(stderr, "[cusolver] %s: %s\n", function, problem);
    return CUSOLVER_STATUS_NOT_SUPPORTED;
}

// A call of a function with a handle: checks of its arguments, and the operation that it queues.
class SolverCall {
public:
    SolverCall(const char* name, cusolverDnHandle_t handle) : name_(name), handle_(handle) {
        if (!is_handle(handle)) status_ = CUSOLVER_STATUS_NOT_INITIALIZED;
    }

    void require(bool condition) {
        if (!condition && is_accepted()) status_ = CUSOLVER_STATUS_INVALID_VALUE;
    }
    // Rejects what the library does not do.
    void require_supported(bool condition, const char* otherwise) {
        if (!condition && is_accepted()) status_ = reject(name_, otherwise);
    }

    bool is_accepted() const { return status_ == CUSOLVER_STATUS_SUCCESS; }

    // Queues the operation, a function of the memory that it checks. Waits for one with results in
    // the host's memory.
    template <class Operation>
    cusolverStatus_t submit(Operation operation, bool has_results = false) {
        if (!is_accepted()) return status_;
        const auto run = [name = name_, operation] {
            Memory memory(name);
            operation(memory);
        };
        int error = enqueue(handle_->stream, run);
        if (error == 0 && has_results) error = kbuild_cpu_synchronize_stream(handle_->stream);
        return to_solver_status(error);
    }

    // Returns the number of elements that a program must allocate. The library does not use them.
    template <class Size>
    cusolverStatus_t return_size(Size* size) {
        require(size != nullptr);
        if (is_accepted()) *size = 1;
        return status_;
    }

private:
    const char* name_;
    cusolverDnHandle_t handle_;
    cusolverStatus_t status_ = CUSOLVER_STATUS_SUCCESS;
};

}  // namespace kbuild::mathlibs

#endif
