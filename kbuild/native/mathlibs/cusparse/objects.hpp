// The library's context, its descriptors, and its calls.
#ifndef KBUILD_MATHLIBS_CUSPARSE_OBJECTS_HPP
#define KBUILD_MATHLIBS_CUSPARSE_OBJECTS_HPP

#include "common/memory.hpp"
#include "common/operation.hpp"
#include "cublas/numbers.hpp"

#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include <cstdint>
#include <cstdio>
#include <string>

struct cusparseContext {
    static constexpr std::uint64_t valid = 0x6b6275696c645350;

    std::uint64_t state = valid;
    cudaStream_t stream = nullptr;
    cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

namespace kbuild::mathlibs {

// Numbers of places, in an array of the program. They begin with `base`.
struct Indices {
    void* start;
    cusparseIndexType_t type;
    std::int64_t base;

    std::int64_t operator[](std::int64_t i) const {
        return (type == CUSPARSE_INDEX_64I ? static_cast<const std::int64_t*>(start)[i]
                                           : static_cast<const std::int32_t*>(start)[i]) -
               base;
    }
    void set(std::int64_t i, std::int64_t value) const {
        if (type == CUSPARSE_INDEX_64I)
            static_cast<std::int64_t*>(start)[i] = value + base;
        else
            static_cast<std::int32_t*>(start)[i] = static_cast<std::int32_t>(value + base);
    }
    std::int64_t bytes(std::int64_t count) const {
        return count * (type == CUSPARSE_INDEX_64I ? 8 : 4);
    }
    bool is_supported() const { return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I; }
};

}  // namespace kbuild::mathlibs

struct cusparseMatDescr {
    cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};
struct cusparseSpVecDescr {
    std::int64_t size, count;
    kbuild::mathlibs::Indices indices;
    void* values;
    cudaDataType type;
};
struct cusparseDnVecDescr {
    std::int64_t size;
    void* values;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    std::int64_t rows, columns, leading;
    void* values;
    cudaDataType type;
    cusparseOrder_t order;

    std::int64_t place(std::int64_t row, std::int64_t column) const {
        return order == CUSPARSE_ORDER_COL ? column * leading + row : row * leading + column;
    }
    std::int64_t extent() const {
        return rows == 0 || columns == 0 ? 0 : place(rows - 1, columns - 1) + 1;
    }
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    std::int64_t rows, columns, count;
    // Of the rows of a matrix in CSR, of the columns in CSC. In COO, they are the rows of elements.
    kbuild::mathlibs::Indices offsets;
    kbuild::mathlibs::Indices indices;  // columns, or the rows in CSC
    void* values;
    cudaDataType type;
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
    cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;

    std::int64_t lines() const { return format == CUSPARSE_FORMAT_CSC ? columns : rows; }
    std::int64_t offset_count() const {
        return format == CUSPARSE_FORMAT_COO ? count : lines() + 1;
    }
    // Calls the function with the row, the column, and the number of each element.
    template <class Function>
    void for_each(Function function) const {
        if (format == CUSPARSE_FORMAT_COO) {
            for (std::int64_t k = 0; k < count; ++k) function(offsets[k], indices[k], k);
            return;
        }
        for (std::int64_t line = 0; line < lines(); ++line)
            for (std::int64_t k = offsets[line]; k < offsets[line + 1]; ++k) {
                const auto other = indices[k];
                format == CUSPARSE_FORMAT_CSR ? function(line, other, k) : function(other, line, k);
            }
    }
};
struct cusparseSpSVDescr {
    void* values = nullptr;  // those of the matrix, unless the program has replaced them
};

namespace kbuild::mathlibs {

inline cusparseStatus_t reject_sparse(const char* function, const char* problem) {
    std::fprintf(stderr, "[cusparse] %s: %s\n", function, problem);
    return CUSPARSE_STATUS_NOT_SUPPORTED;
}

// Returns what NVIDIA's library returns for a handle (recorded for null).
inline cusparseStatus_t check_handle(cusparseHandle_t handle) {
    if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    return handle->state == cusparseContext::valid ? CUSPARSE_STATUS_SUCCESS
                                                   : CUSPARSE_STATUS_NOT_INITIALIZED;
}

inline bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

inline bool is_operation(cusparseOperation_t operation) {
    return operation >= CUSPARSE_OPERATION_NON_TRANSPOSE &&
           operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

// Checks the memory of an object, and that the numbers of places are within it.
class SparseMemory {
public:
    explicit SparseMemory(const char* function) : function_(function), memory_(function) {}

    template <class T>
    void reads(const char* parameter, const T* start, std::int64_t count) {
        memory_.reads(parameter, start, count);
    }
    template <class T>
    void writes(const char* parameter, const T* start, std::int64_t count) {
        memory_.writes(parameter, start, count);
    }
    void reads(const char* parameter, const cusparseDnVecDescr& x) {
        memory_.reads(parameter, static_cast<const void*>(x.values), x.size * size_of(x.type));
    }
    void writes(const char* parameter, const cusparseDnVecDescr& x) {
        memory_.writes(parameter, static_cast<const void*>(x.values), x.size * size_of(x.type));
    }
    void reads(const char* parameter, const cusparseDnMatDescr& A) {
        memory_.reads(parameter, static_cast<const void*>(A.values), A.extent() * size_of(A.type));
    }
    void writes(const char* parameter, const cusparseDnMatDescr& A) {
        memory_.writes(parameter, static_cast<const void*>(A.values), A.extent() * size_of(A.type));
    }
    void reads(const char* parameter, const cusparseSpVecDescr& x) {
        reads(parameter, x.indices, x.count);
        memory_.reads(parameter, static_cast<const void*>(x.values), x.count * size_of(x.type));
        if (!is_valid()) return;
        for (std::int64_t k = 0; k < x.count; ++k) require_place(parameter, x.indices[k], x.size);
    }
    void reads(const char* parameter, const cusparseSpMatDescr& A) {
        memory_.reads(parameter, static_cast<const void*>(A.values), A.count * size_of(A.type));
        reads_places(parameter, A);
    }
    void reads_places(const char* parameter, const cusparseSpMatDescr& A) {
        reads(parameter, A.offsets, A.offset_count());
        reads(parameter, A.indices, A.count);
        if (!is_valid()) return;
        if (A.format != CUSPARSE_FORMAT_COO) require_lines(parameter, A);
        if (is_valid())
            A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t) {
                require_place(parameter, row, A.rows);
                require_place(parameter, column, A.columns);
            });
    }
    void writes_values(const char* parameter, const cusparseSpVecDescr& x) {
        memory_.writes(parameter, static_cast<const void*>(x.values), x.count * size_of(x.type));
    }
    void reads(const char* parameter, const Indices& indices, std::int64_t count) {
        memory_.reads(parameter, static_cast<const void*>(indices.start), indices.bytes(count));
    }
    void writes(const char* parameter, const Indices& indices, std::int64_t count) {
        memory_.writes(parameter, static_cast<const void*>(indices.start), indices.bytes(count));
    }

    bool is_valid() const { return memory_.is_valid() && is_consistent_; }

private:
    void require_lines(const char* parameter, const cusparseSpMatDescr& A) {
        for (std::int64_t line = 0; line < A.lines(); ++line)
            if (A.offsets[line] > A.offsets[line + 1]) fail(parameter, "offsets decrease");
        if (is_consistent_ && (A.offsets[0] != 0 || A.offsets[A.lines()] > A.count))
            fail(parameter, "offsets do not begin with the base, or end after the last element");
    }
    void require_place(const char* parameter, std::int64_t place, std::int64_t size) {
        if (place >= 0 && place < size) return;
        fail(parameter, ("place " + std::to_string(place) + " is not among " +
                         std::to_string(size) + "; is the base of the indices right?")
                            .c_str());
    }
    void fail(const char* parameter, const char* problem) {
        if (is_consistent_)
            std::fprintf(stderr, "[cusparse] %s: '%s': %s; the call computes nothing\n", function_,
                         parameter, problem);
        is_consistent_ = false;
    }

    const char* function_;
    Memory memory_;
    bool is_consistent_ = true;
};

// A call of a function with a handle: checks of its arguments, and the operation that it queues.
class SparseCall {
public:
    SparseCall(const char* name, cusparseHandle_t handle)
        : name_(name), handle_(handle), status_(check_handle(handle)) {}

    void require(bool condition) {
        if (!condition && is_accepted()) status_ = CUSPARSE_STATUS_INVALID_VALUE;
    }
    // Rejects the conjugate transpose of real numbers as NVIDIA's library does (13.0, recorded).
    void require_conjugable(cusparseOperation_t op, cudaDataType type) {
        if (op != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || is_complex(type) || !is_accepted())
            return;
        std::fprintf(stderr,
                     "[cusparse] %s: the conjugate transpose exists for complex numbers only; use "
                     "CUSPARSE_OPERATION_TRANSPOSE\n",
                     name_);
        status_ = CUSPARSE_STATUS_INVALID_VALUE;
    }
    // Rejects what the library does not do.
    void require_supported(bool condition, const char* otherwise) {
        if (!condition && is_accepted()) status_ = reject_sparse(name_, otherwise);
    }

    bool is_accepted() const { return status_ == CUSPARSE_STATUS_SUCCESS; }
    cusparseStatus_t status() const { return status_; }
    bool has_host_pointers() const { return handle_->pointer_mode == CUSPARSE_POINTER_MODE_HOST; }

    // Queues the operation, a function of the memory that it checks.
    template <class Operation>
    cusparseStatus_t submit(Operation operation, bool waits = false) {
        if (!is_accepted()) return status_;
        const auto run = [name = name_, operation] {
            SparseMemory memory(name);
            operation(memory);
        };
        int error = enqueue(handle_->stream, run);
        if (error == 0 && waits) error = kbuild_cpu_synchronize_stream(handle_->stream);
        return error == 0                          ? CUSPARSE_STATUS_SUCCESS
               : error == KBUILD_CPU_OUT_OF_MEMORY ? CUSPARSE_STATUS_ALLOC_FAILED
                                                   : CUSPARSE_STATUS_EXECUTION_FAILED;
    }
    // Returns the bytes of a buffer, which the library does not use.
    cusparseStatus_t return_size(std::size_t* bytes) {
        require(bytes != nullptr);
        if (is_accepted()) *bytes = 0;
        return status_;
    }

private:
    const char* name_;
    cusparseHandle_t handle_;
    cusparseStatus_t status_;
};

// A number that the program passes by its address: one of the host is read by the call, and one of
// the device by the operation.
template <class T>
class SparseScalar {
public:
    SparseScalar(const SparseCall& call, const void* address)
        : address_(static_cast<const T*>(address)) {
        if (call.is_accepted() && call.has_host_pointers()) {
            value_ = *address_;
            address_ = nullptr;
        }
    }
    T get() const { return address_ == nullptr ? value_ : *address_; }
    void check(SparseMemory& memory, const char* name) const {
        if (address_ != nullptr) memory.reads(name, address_, 1);
    }

private:
    const T* address_;
    T value_ = {};
};

// The type in which numbers of a type are added.
template <class T>
struct Accumulator {
    using Type = T;
};
template <>
struct Accumulator<__half> {
    using Type = float;
};
template <>
struct Accumulator<__nv_bfloat16> {
    using Type = float;
};

template <class T>
constexpr cudaDataType data_type() {
    if constexpr (std::is_same_v<T, float>) return CUDA_R_32F;
    if constexpr (std::is_same_v<T, double>) return CUDA_R_64F;
    if constexpr (std::is_same_v<T, std::complex<float>>) return CUDA_C_32F;
    if constexpr (std::is_same_v<T, std::complex<double>>) return CUDA_C_64F;
    return CUDA_R_32I;
}

constexpr const char* unsupported_types =
    "this combination of types does not exist on the CPU; see kbuild's reference of NVIDIA's "
    "libraries";

// Calls the function with a value of the type of operands, of results, and of sums.
template <class Function>
bool with_sparse_types(cudaDataType in, cudaDataType out, cudaDataType sums, Function function) {
    bool is_known = false;
    const auto call = [&](auto operand, auto result, auto sum) {
        is_known = sums == data_type<decltype(sum)>();
        if (is_known) function(operand, result, sum);
    };
    if (in == out && in != CUDA_R_8I && in != CUDA_R_32I)
        with_type(in, [&](auto x) { call(x, x, typename Accumulator<decltype(x)>::Type()); });
    else if (in == CUDA_R_16F && out == CUDA_R_32F)
        call(__half(), float(), float());
    else if (in == CUDA_R_16BF && out == CUDA_R_32F)
        call(__nv_bfloat16(), float(), float());
    else if (in == CUDA_R_8I && out == CUDA_R_32F)
        call(std::int8_t(), float(), float());
    else if (in == CUDA_R_8I && out == CUDA_R_32I)
        call(std::int8_t(), std::int32_t(), std::int32_t());
    return is_known;
}

// The same for operands and results of one type, where the type of sums follows from it.
template <class Function>
bool with_sparse_type(cudaDataType type, Function function) {
    if (type == CUDA_R_8I || type == CUDA_R_32I) return false;
    return with_type(type, function);
}

template <class T>
T conjugate_if(bool is_conjugate, T value) {
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
        return is_conjugate ? std::conj(value) : value;
    return value;
}

// result = alpha * sum + beta * result. A result with the factor 0 is not read.
template <class Result, class Sum>
void store_sum(Result& result, Sum alpha, Sum sum, Sum beta) {
    const Sum scaled = alpha * sum;
    result =
        convert<Result>(beta == Sum() ? scaled : scaled + beta * static_cast<Sum>(widen(result)));
}

}  // namespace kbuild::mathlibs

#endif
