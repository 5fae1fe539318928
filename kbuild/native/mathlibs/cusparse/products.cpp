// Products of sparse matrices with dense vectors and matrices, and solutions of triangular systems.
#include "cusparse/objects.hpp"

#include <vector>

namespace {

using namespace kbuild::mathlibs;

std::size_t to_size(std::int64_t number) { return static_cast<std::size_t>(number); }

template <class In, class Out, class Sum>
cusparseStatus_t run_spmv(SparseCall& call, cusparseOperation_t op, const void* alpha_address,
                          const cusparseSpMatDescr& A, const cusparseDnVecDescr& x,
                          const void* beta_address, const cusparseDnVecDescr& y) {
    const SparseScalar<Sum> alpha_scalar(call, alpha_address), beta_scalar(call, beta_address);
    return call.submit([=](SparseMemory& memory) {
        alpha_scalar.check(memory, "alpha");
        beta_scalar.check(memory, "beta");
        memory.reads("matA", A);
        memory.reads("vecX", x);
        memory.writes("vecY", y);
        if (!memory.is_valid()) return;
        const bool is_transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const bool is_conjugate = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
        const auto* const elements = static_cast<const In*>(A.values);
        const auto* const from = static_cast<const In*>(x.values);
        auto* const to = static_cast<Out*>(y.values);
        std::vector<Sum> sums(to_size(y.size));
        A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t k) {
            if (is_transposed) std::swap(row, column);
            sums[to_size(row)] += conjugate_if(is_conjugate, static_cast<Sum>(widen(elements[k]))) *
                                  static_cast<Sum>(widen(from[column]));
        });
        for (std::int64_t i = 0; i < y.size; ++i)
            store_sum(to[i], alpha_scalar.get(), sums[to_size(i)], beta_scalar.get());
    });
}

template <class In, class Out, class Sum>
cusparseStatus_t run_spmm(SparseCall& call, cusparseOperation_t op_a, cusparseOperation_t op_b,
                          const void* alpha_address, const cusparseSpMatDescr& A,
                          const cusparseDnMatDescr& B, const void* beta_address,
                          const cusparseDnMatDescr& C) {
    const SparseScalar<Sum> alpha_scalar(call, alpha_address), beta_scalar(call, beta_address);
    return call.submit([=](SparseMemory& memory) {
        alpha_scalar.check(memory, "alpha");
        beta_scalar.check(memory, "beta");
        memory.reads("matA", A);
        memory.reads("matB", B);
        memory.writes("matC", C);
        if (!memory.is_valid()) return;
        const auto* const elements = static_cast<const In*>(A.values);
        const auto* const from = static_cast<const In*>(B.values);
        auto* const to = static_cast<Out*>(C.values);
        std::vector<Sum> sums(to_size(C.rows * C.columns));
        A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t k) {
            if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE) std::swap(row, column);
            const auto a = conjugate_if(op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                                        static_cast<Sum>(widen(elements[k])));
            for (std::int64_t j = 0; j < C.columns; ++j) {
                const bool is_transposed = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
                const auto place = is_transposed ? B.place(j, column) : B.place(column, j);
                sums[to_size(row * C.columns + j)] +=
                    a * conjugate_if(op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                                     static_cast<Sum>(widen(from[place])));
            }
        });
        for (std::int64_t i = 0; i < C.rows; ++i)
            for (std::int64_t j = 0; j < C.columns; ++j)
                store_sum(to[C.place(i, j)], alpha_scalar.get(), sums[to_size(i * C.columns + j)],
                          beta_scalar.get());
    });
}

// The triangle of op(A), by rows.
template <class T>
class Triangle {
public:
    Triangle(const cusparseSpMatDescr& A, const T* elements, cusparseOperation_t op)
        : starts_(to_size(A.rows + 1)), diagonal_(to_size(A.rows)) {
        const bool is_transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
        const bool is_lower_stored = A.fill == CUSPARSE_FILL_MODE_LOWER;
        is_lower_ = is_lower_stored != is_transposed;
        const auto for_each = [&](auto function) {
            A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t k) {
                if (row != column && (row > column) != is_lower_stored) return;
                const T value =
                    conjugate_if(op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, elements[k]);
                is_transposed ? function(column, row, value) : function(row, column, value);
            });
        };
        for_each([&](std::int64_t row, std::int64_t column, T) {
            starts_[to_size(row) + 1] += row != column;
        });
        for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
        columns_.resize(starts_.back());
        values_.resize(starts_.back());
        auto next = starts_;
        for_each([&](std::int64_t row, std::int64_t column, T value) {
            if (row == column) {
                diagonal_[to_size(row)] += value;
                return;
            }
            const auto place = next[to_size(row)]++;
            columns_[place] = to_size(column);
            values_[place] = value;
        });
        if (A.diagonal == CUSPARSE_DIAG_TYPE_UNIT) diagonal_.assign(diagonal_.size(), T(1));
    }

    void solve(T alpha, const T* x, T* y) const {
        const std::size_t size = diagonal_.size();
        std::vector<T> solution(size);
        for (std::size_t step = 0; step < size; ++step) {
            const std::size_t i = is_lower_ ? step : size - 1 - step;
            T sum = alpha * x[i];
            for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
                sum -= values_[k] * solution[columns_[k]];
            solution[i] = sum / diagonal_[i];
        }
        std::copy(solution.begin(), solution.end(), y);
    }

private:
    bool is_lower_;
    std::vector<std::size_t> starts_, columns_;
    std::vector<T> values_, diagonal_;
};

template <class T>
cusparseStatus_t run_spsv(SparseCall& call, cusparseOperation_t op, const void* alpha_address,
                          const cusparseSpMatDescr& A, const cusparseDnVecDescr& x,
                          const cusparseDnVecDescr& y) {
    const SparseScalar<T> alpha(call, alpha_address);
    return call.submit([=](SparseMemory& memory) {
        alpha.check(memory, "alpha");
        memory.reads("matA", A);
        memory.reads("vecX", x);
        memory.writes("vecY", y);
        if (memory.is_valid())
            Triangle<T>(A, static_cast<const T*>(A.values), op)
                .solve(alpha.get(), static_cast<const T*>(x.values), static_cast<T*>(y.values));
    });
}

SparseCall check_spmv(const char* name, cusparseHandle_t handle, cusparseOperation_t op,
                      const void* alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x,
                      const void* beta, cusparseDnVecDescr_t y) {
    SparseCall call(name, handle);
    call.require(is_operation(op) && alpha != nullptr && A != nullptr && x != nullptr &&
                 beta != nullptr && y != nullptr);
    if (!call.is_accepted()) return call;
    const bool is_transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    call.require(x->size == (is_transposed ? A->rows : A->columns) &&
                 y->size == (is_transposed ? A->columns : A->rows));
    call.require_conjugable(op, A->type);
    call.require_supported(A->type == x->type, unsupported_types);
    return call;
}

SparseCall check_spmm(const char* name, cusparseHandle_t handle, cusparseOperation_t op_a,
                      cusparseOperation_t op_b, const void* alpha, cusparseConstSpMatDescr_t A,
                      cusparseConstDnMatDescr_t B, const void* beta, cusparseDnMatDescr_t C) {
    SparseCall call(name, handle);
    call.require(is_operation(op_a) && is_operation(op_b) && alpha != nullptr && A != nullptr &&
                 B != nullptr && beta != nullptr && C != nullptr);
    if (!call.is_accepted()) return call;
    const bool is_a = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    const bool is_b = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    call.require((is_a ? A->columns : A->rows) == C->rows &&
                 (is_a ? A->rows : A->columns) == (is_b ? B->columns : B->rows) &&
                 (is_b ? B->rows : B->columns) == C->columns);
    call.require_conjugable(op_a, A->type);
    call.require_conjugable(op_b, B->type);
    call.require_supported(A->type == B->type, unsupported_types);
    return call;
}

SparseCall check_spsv(const char* name, cusparseHandle_t handle, cusparseOperation_t op,
                      const void* alpha, cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x,
                      cusparseDnVecDescr_t y, cusparseSpSVDescr_t state) {
    SparseCall call(name, handle);
    call.require(is_operation(op) && alpha != nullptr && A != nullptr && x != nullptr &&
                 y != nullptr && state != nullptr);
    if (!call.is_accepted()) return call;
    call.require(A->rows == A->columns && x->size == A->rows && y->size == A->rows);
    call.require_conjugable(op, A->type);
    call.require_supported(A->type == x->type && x->type == y->type, unsupported_types);
    return call;
}

}  // namespace

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         const void* alpha, cusparseConstSpMatDescr_t A,
                                         cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t,
                                         size_t* bytes) {
    return check_spmv("cusparseSpMV_bufferSize", handle, op, alpha, A, x, beta, y)
        .return_size(bytes);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op,
                                         const void* alpha, cusparseConstSpMatDescr_t A,
                                         cusparseConstDnVecDescr_t x, const void* beta,
                                         cusparseDnVecDescr_t y, cudaDataType, cusparseSpMVAlg_t,
                                         void*) {
    return check_spmv("cusparseSpMV_preprocess", handle, op, alpha, A, x, beta, y).status();
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t A, cusparseConstDnVecDescr_t x,
                              const void* beta, cusparseDnVecDescr_t y, cudaDataType compute,
                              cusparseSpMVAlg_t, void*) {
    auto call = check_spmv("cusparseSpMV", handle, op, alpha, A, x, beta, y);
    if (!call.is_accepted()) return call.status();
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    const bool is_known =
        with_sparse_types(A->type, y->type, compute, [&](auto in, auto out, auto sum) {
            status = run_spmv<decltype(in), decltype(out), decltype(sum)>(call, op, alpha, *A, *x,
                                                                          beta, *y);
        });
    return is_known ? status : reject_sparse("cusparseSpMV", unsupported_types);
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B,
                                         const void* beta, cusparseDnMatDescr_t C, cudaDataType,
                                         cusparseSpMMAlg_t, size_t* bytes) {
    return check_spmm("cusparseSpMM_bufferSize", handle, op_a, op_b, alpha, A, B, beta, C)
        .return_size(bytes);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
                                         cusparseOperation_t op_b, const void* alpha,
                                         cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B,
                                         const void* beta, cusparseDnMatDescr_t C, cudaDataType,
                                         cusparseSpMMAlg_t, void*) {
    return check_spmm("cusparseSpMM_preprocess", handle, op_a, op_b, alpha, A, B, beta, C).status();
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a,
                              cusparseOperation_t op_b, const void* alpha,
                              cusparseConstSpMatDescr_t A, cusparseConstDnMatDescr_t B,
                              const void* beta, cusparseDnMatDescr_t C, cudaDataType compute,
                              cusparseSpMMAlg_t, void*) {
    auto call = check_spmm("cusparseSpMM", handle, op_a, op_b, alpha, A, B, beta, C);
    if (!call.is_accepted()) return call.status();
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    const bool is_known =
        with_sparse_types(A->type, C->type, compute, [&](auto in, auto out, auto sum) {
            status = run_spmm<decltype(in), decltype(out), decltype(sum)>(call, op_a, op_b, alpha,
                                                                          *A, *B, beta, *C);
        });
    return is_known ? status : reject_sparse("cusparseSpMM", unsupported_types);
}

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* state) {
    if (state == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *state = new cusparseSpSVDescr;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t state) {
    delete state;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         const void* alpha, cusparseConstSpMatDescr_t A,
                                         cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                         cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t state,
                                         size_t* bytes) {
    return check_spsv("cusparseSpSV_bufferSize", handle, op, alpha, A, x, y, state)
        .return_size(bytes);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op,
                                       const void* alpha, cusparseConstSpMatDescr_t A,
                                       cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t state,
                                       void*) {
    const auto call = check_spsv("cusparseSpSV_analysis", handle, op, alpha, A, x, y, state);
    if (call.is_accepted()) state->values = nullptr;
    return call.status();
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op,
                                    const void* alpha, cusparseConstSpMatDescr_t A,
                                    cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t,
                                    cusparseSpSVDescr_t state) {
    auto call = check_spsv("cusparseSpSV_solve", handle, op, alpha, A, x, y, state);
    if (!call.is_accepted()) return call.status();
    auto matrix = *A;
    if (state->values != nullptr) matrix.values = state->values;
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    const bool is_known =
        with_sparse_types(A->type, y->type, compute, [&](auto in, auto, auto sum) {
            using T = decltype(in);
            if constexpr (std::is_same_v<T, decltype(sum)>)
                status = run_spsv<T>(call, op, alpha, matrix, *x, *y);
            else
                status = reject_sparse("cusparseSpSV_solve", unsupported_types);
        });
    return is_known ? status : reject_sparse("cusparseSpSV_solve", unsupported_types);
}
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseSpSVDescr_t state,
                                           void* values, cusparseSpSVUpdate_t part) {
    SparseCall call("cusparseSpSV_updateMatrix", handle);
    call.require(state != nullptr && values != nullptr);
    call.require_supported(part == CUSPARSE_SPSV_UPDATE_GENERAL,
                           "the CPU replaces all values, and not the diagonal alone");
    if (call.is_accepted()) state->values = values;
    return call.status();
}
