// Functions of sparse vectors, and conversions.
#include "cusparse/objects.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace kbuild::mathlibs;

template <class T>
using SumOf = typename Accumulator<T>::Type;

SparseCall check_vectors(const char* name, cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                         cusparseConstDnVecDescr_t y) {
    SparseCall call(name, handle);
    call.require(x != nullptr && y != nullptr);
    if (!call.is_accepted()) return call;
    call.require(x->size == y->size);
    call.require_supported(x->type == y->type && x->type != CUDA_R_8I && x->type != CUDA_R_32I,
                           unsupported_types);
    return call;
}

enum class Writes { sparse, dense, both, neither };

// Queues an operation of a sparse and a dense vector: a function of their elements.
template <class Function>
cusparseStatus_t run_vectors(SparseCall& call, const cusparseSpVecDescr& x,
                             const cusparseDnVecDescr& y, Writes written, Function function,
                             bool waits = false) {
    if (!call.is_accepted()) return call.status();
    cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
    with_sparse_type(x.type, [&](auto element) {
        using T = decltype(element);
        const auto run = function(element);
        status = call.submit(
            [=](SparseMemory& memory) {
                memory.reads("vecX", x);
                if (written == Writes::sparse || written == Writes::both)
                    memory.writes_values("vecX", x);
                if (written == Writes::dense || written == Writes::both)
                    memory.writes("vecY", y);
                else
                    memory.reads("vecY", y);
                if (memory.is_valid())
                    run(memory, static_cast<T*>(x.values), static_cast<T*>(y.values));
            },
            waits);
    });
    return status;
}

// Writes the elements of a dense matrix that are not zero, in the order of the format.
template <class Function>
void for_each_nonzero(const cusparseDnMatDescr& A, const cusparseSpMatDescr& B, Function function) {
    with_type(A.type, [&](auto element) {
        using T = decltype(element);
        const auto* const from = static_cast<const T*>(A.values);
        const bool is_by_columns = B.format == CUSPARSE_FORMAT_CSC;
        for (std::int64_t line = 0; line < B.lines(); ++line)
            for (std::int64_t i = 0; i < (is_by_columns ? B.rows : B.columns); ++i) {
                const auto& value = from[is_by_columns ? A.place(i, line) : A.place(line, i)];
                if (widen(value) != decltype(widen(value))()) function(line, i, value);
            }
    });
}

SparseCall check_matrices(const char* name, cusparseHandle_t handle,
                          const cusparseDnMatDescr* dense, const cusparseSpMatDescr* sparse) {
    SparseCall call(name, handle);
    call.require(dense != nullptr && sparse != nullptr);
    if (!call.is_accepted()) return call;
    call.require(dense->rows == sparse->rows && dense->columns == sparse->columns);
    call.require_supported(dense->type == sparse->type, unsupported_types);
    return call;
}

// The offsets of lines with a number of elements each.
template <class Count>
void write_offsets(const Indices& offsets, std::int64_t lines, Count count) {
    std::int64_t total = 0;
    for (std::int64_t line = 0; line <= lines; ++line) {
        offsets.set(line, total);
        if (line < lines) total += count[static_cast<std::size_t>(line)];
    }
}

Indices plain(const int* start, cusparseIndexBase_t base) {
    return {const_cast<int*>(start), CUSPARSE_INDEX_32I, base};
}

}  // namespace

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha_address,
                               cusparseConstSpVecDescr_t x, const void* beta_address,
                               cusparseDnVecDescr_t y) {
    auto call = check_vectors("cusparseAxpby", handle, x, y);
    call.require(alpha_address != nullptr && beta_address != nullptr);
    if (!call.is_accepted()) return call.status();
    return run_vectors(call, *x, *y, Writes::dense, [&, vector = *x, size = y->size](auto element) {
        using T = decltype(element);
        const SparseScalar<SumOf<T>> alpha(call, alpha_address), beta(call, beta_address);
        return [=](SparseMemory& memory, const T* from, T* to) {
            alpha.check(memory, "alpha");
            beta.check(memory, "beta");
            if (!memory.is_valid()) return;
            for (std::int64_t i = 0; i < size; ++i)
                store_sum(to[i], SumOf<T>(), SumOf<T>(), beta.get());
            for (std::int64_t k = 0; k < vector.count; ++k)
                store_sum(to[vector.indices[k]], alpha.get(), static_cast<SumOf<T>>(widen(from[k])),
                          SumOf<T>(1));
        };
    });
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y,
                                cusparseSpVecDescr_t x) {
    auto call = check_vectors("cusparseGather", handle, x, y);
    if (!call.is_accepted()) return call.status();
    return run_vectors(call, *x, *y, Writes::sparse, [vector = *x](auto element) {
        using T = decltype(element);
        return [=](SparseMemory&, T* to, const T* from) {
            for (std::int64_t k = 0; k < vector.count; ++k) to[k] = from[vector.indices[k]];
        };
    });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                 cusparseDnVecDescr_t y) {
    auto call = check_vectors("cusparseScatter", handle, x, y);
    if (!call.is_accepted()) return call.status();
    return run_vectors(call, *x, *y, Writes::dense, [vector = *x](auto element) {
        using T = decltype(element);
        return [=](SparseMemory&, const T* from, T* to) {
            for (std::int64_t k = 0; k < vector.count; ++k) to[vector.indices[k]] = from[k];
        };
    });
}
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_address, const void* s_address,
                             cusparseSpVecDescr_t x, cusparseDnVecDescr_t y) {
    auto call = check_vectors("cusparseRot", handle, x, y);
    call.require(c_address != nullptr && s_address != nullptr);
    if (!call.is_accepted()) return call.status();
    return run_vectors(call, *x, *y, Writes::both, [&, vector = *x](auto element) {
        using T = decltype(element);
        using Sum = SumOf<T>;
        const SparseScalar<Sum> c(call, c_address), s(call, s_address);
        return [=](SparseMemory& memory, T* sparse, T* dense) {
            c.check(memory, "c_coeff");
            s.check(memory, "s_coeff");
            if (!memory.is_valid()) return;
            for (std::int64_t k = 0; k < vector.count; ++k) {
                auto& other = dense[vector.indices[k]];
                const auto a = static_cast<Sum>(widen(sparse[k]));
                const auto b = static_cast<Sum>(widen(other));
                sparse[k] = convert<T>(c.get() * a + s.get() * b);
                other = convert<T>(c.get() * b - s.get() * a);
            }
        };
    });
}

cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                                         const void*, cudaDataType, size_t* bytes) {
    auto call = check_vectors("cusparseSpVV_bufferSize", handle, x, y);
    if (call.is_accepted()) call.require_conjugable(op, x->type);
    return call.return_size(bytes);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
                              void* result, cudaDataType compute, void*) {
    auto call = check_vectors("cusparseSpVV", handle, x, y);
    call.require(is_operation(op) && result != nullptr);
    if (call.is_accepted()) call.require_conjugable(op, x->type);
    if (!call.is_accepted()) return call.status();
    const bool is_known = with_sparse_types(x->type, x->type, compute, [](auto, auto, auto) {});
    call.require_supported(is_known, unsupported_types);
    if (!call.is_accepted()) return call.status();
    const bool is_host = call.has_host_pointers();
    return run_vectors(
        call, *x, *y, Writes::neither,
        [=, vector = *x](auto element) {
            using T = decltype(element);
            return [=](SparseMemory& memory, const T* from, const T* other) {
                auto* const to = static_cast<SumOf<T>*>(result);
                if (!is_host) memory.writes("result", to, 1);
                if (!memory.is_valid()) return;
                SumOf<T> sum = {};
                for (std::int64_t k = 0; k < vector.count; ++k)
                    sum += conjugate_if(op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
                                        static_cast<SumOf<T>>(widen(from[k]))) *
                           static_cast<SumOf<T>>(widen(other[vector.indices[k]]));
                *to = sum;
            };
        },
        is_host);
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstSpMatDescr_t A,
                                                  cusparseDnMatDescr_t B,
                                                  cusparseSparseToDenseAlg_t, size_t* bytes) {
    return check_matrices("cusparseSparseToDense_bufferSize", handle, B, A).return_size(bytes);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                                       cusparseDnMatDescr_t dense, cusparseSparseToDenseAlg_t,
                                       void*) {
    auto call = check_matrices("cusparseSparseToDense", handle, dense, sparse);
    if (!call.is_accepted()) return call.status();
    return call.submit([A = *sparse, B = *dense](SparseMemory& memory) {
        memory.reads("matA", A);
        memory.writes("matB", B);
        if (!memory.is_valid()) return;
        with_type(A.type, [&](auto element) {
            using T = decltype(element);
            const auto* const from = static_cast<const T*>(A.values);
            auto* const to = static_cast<T*>(B.values);
            for (std::int64_t i = 0; i < B.rows; ++i)
                for (std::int64_t j = 0; j < B.columns; ++j) to[B.place(i, j)] = T();
            A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t k) {
                to[B.place(row, column)] = from[k];
            });
        });
    });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                  cusparseConstDnMatDescr_t A,
                                                  cusparseSpMatDescr_t B,
                                                  cusparseDenseToSparseAlg_t, size_t* bytes) {
    return check_matrices("cusparseDenseToSparse_bufferSize", handle, A, B).return_size(bytes);
}
// The program reads the number of elements next, and so the call waits for it.
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                cusparseConstDnMatDescr_t dense,
                                                cusparseSpMatDescr_t sparse,
                                                cusparseDenseToSparseAlg_t, void*) {
    auto call = check_matrices("cusparseDenseToSparse_analysis", handle, dense, sparse);
    if (!call.is_accepted()) return call.status();
    std::int64_t total = 0;
    const auto status = call.submit(
        [A = *dense, B = *sparse, &total](SparseMemory& memory) {
            memory.reads("matA", A);
            if (B.format != CUSPARSE_FORMAT_COO) memory.writes("matB", B.offsets, B.offset_count());
            if (!memory.is_valid()) return;
            std::vector<std::int64_t> counts(static_cast<std::size_t>(B.lines()));
            for_each_nonzero(A, B, [&](std::int64_t line, std::int64_t, const auto&) {
                ++counts[static_cast<std::size_t>(line)];
                ++total;
            });
            if (B.format != CUSPARSE_FORMAT_COO) write_offsets(B.offsets, B.lines(), counts);
        },
        true);
    if (status == CUSPARSE_STATUS_SUCCESS) sparse->count = total;
    return status;
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                               cusparseConstDnMatDescr_t dense,
                                               cusparseSpMatDescr_t sparse,
                                               cusparseDenseToSparseAlg_t, void*) {
    auto call = check_matrices("cusparseDenseToSparse_convert", handle, dense, sparse);
    if (!call.is_accepted()) return call.status();
    return call.submit([A = *dense, B = *sparse](SparseMemory& memory) {
        memory.reads("matA", A);
        memory.writes("matB", B.offsets, B.offset_count());
        memory.writes("matB", B.indices, B.count);
        memory.writes("matB", static_cast<const void*>(B.values), B.count * size_of(B.type));
        if (!memory.is_valid()) return;
        std::int64_t k = 0;
        for_each_nonzero(A, B, [&](std::int64_t line, std::int64_t i, const auto& value) {
            // The matrix can have changed since the analysis.
            if (k == B.count) return;
            if (B.format == CUSPARSE_FORMAT_COO) B.offsets.set(k, line);
            B.indices.set(k, i);
            static_cast<std::decay_t<decltype(value)>*>(B.values)[k] = value;
            ++k;
        });
    });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int count, int m,
                                  int* offsets, cusparseIndexBase_t base) {
    SparseCall call("cusparseXcoo2csr", handle);
    call.require(count >= 0 && m >= 0);
    return call.submit([=](SparseMemory& memory) {
        memory.reads("cooRowInd", rows, count);
        memory.writes("csrRowPtr", offsets, m + std::int64_t{1});
        if (!memory.is_valid()) return;
        const auto from = plain(rows, base), to = plain(offsets, base);
        std::int64_t k = 0;
        for (std::int64_t row = 0; row <= m; ++row) {
            while (k < count && from[k] < row) ++k;
            to.set(row, k);
        }
    });
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int count, int m,
                                  int* rows, cusparseIndexBase_t base) {
    SparseCall call("cusparseXcsr2coo", handle);
    call.require(count >= 0 && m >= 0);
    return call.submit([=](SparseMemory& memory) {
        memory.reads("csrRowPtr", offsets, m + std::int64_t{1});
        memory.writes("cooRowInd", rows, count);
        if (!memory.is_valid()) return;
        const auto from = plain(offsets, base), to = plain(rows, base);
        for (std::int64_t row = 0; row < m; ++row)
            for (std::int64_t k = from[row]; k < from[row + 1] && k < count; ++k) to.set(k, row);
    });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int, int, const void*,
                                               const int*, const int*, void*, int*, int*,
                                               cudaDataType, cusparseAction_t, cusparseIndexBase_t,
                                               cusparseCsr2CscAlg_t, size_t* bytes) {
    return SparseCall("cusparseCsr2cscEx2_bufferSize", handle).return_size(bytes);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int count,
                                    const void* values, const int* offsets, const int* indices,
                                    void* column_values, int* column_offsets, int* rows,
                                    cudaDataType type, cusparseAction_t action,
                                    cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void*) {
    SparseCall call("cusparseCsr2cscEx2", handle);
    call.require(m >= 0 && n >= 0 && count >= 0);
    call.require_supported(size_of(type) != 0, unsupported_types);
    const cusparseSpMatDescr A = {
        CUSPARSE_FORMAT_CSR,       m,   n, count, plain(offsets, base), plain(indices, base),
        const_cast<void*>(values), type};
    return call.submit([=](SparseMemory& memory) {
        const auto ends = plain(column_offsets, base), places = plain(rows, base);
        memory.reads_places("csr", A);
        if (action == CUSPARSE_ACTION_NUMERIC)
            memory.reads("csrVal", static_cast<const void*>(values), A.count * size_of(type));
        memory.writes("cscColPtr", ends, A.columns + 1);
        memory.writes("cscRowInd", places, A.count);
        if (action == CUSPARSE_ACTION_NUMERIC)
            memory.writes("cscVal", static_cast<const void*>(column_values),
                          A.count * size_of(type));
        if (!memory.is_valid()) return;
        std::vector<std::int64_t> counts(static_cast<std::size_t>(A.columns));
        A.for_each([&](std::int64_t, std::int64_t column, std::int64_t) {
            ++counts[static_cast<std::size_t>(column)];
        });
        write_offsets(ends, A.columns, counts);
        std::vector<std::int64_t> next(static_cast<std::size_t>(A.columns));
        for (std::int64_t column = 0; column < A.columns; ++column)
            next[static_cast<std::size_t>(column)] = ends[column];
        with_type(type, [&](auto element) {
            using T = decltype(element);
            A.for_each([&](std::int64_t row, std::int64_t column, std::int64_t k) {
                const auto place = next[static_cast<std::size_t>(column)]++;
                places.set(place, row);
                if (action == CUSPARSE_ACTION_NUMERIC)
                    static_cast<T*>(column_values)[place] = static_cast<const T*>(A.values)[k];
            });
        });
    });
}
