// Incomplete factorizations without fill, by plain loops over the rows of a matrix in CSR.
#include "cusparse/objects.hpp"

#include <atomic>
#include <cmath>
#include <complex>
#include <vector>

namespace kbuild::mathlibs {
namespace {

// What programs keep between the steps of a factorization.
struct FactorizationInfo {
    std::atomic<int> zero_pivot{-1};  // with the base of the matrix
    bool boosts = false;
    double tolerance = 0;
    std::complex<double> boost = 0;
};

}  // namespace
}  // namespace kbuild::mathlibs

struct csrilu02Info : kbuild::mathlibs::FactorizationInfo {};
struct csric02Info : kbuild::mathlibs::FactorizationInfo {};

namespace {

using namespace kbuild::mathlibs;

template <class T>
T conjugate(T x) {
    if constexpr (std::is_floating_point_v<T>)
        return x;
    else
        return std::conj(x);
}

// A square matrix in CSR, whose columns ascend in each row.
template <class T>
struct SquareMatrix {
    int rows, count, base;
    T* values;
    const int* offsets;
    const int* indices;

    int begin(int row) const { return offsets[row] - base; }
    int end(int row) const { return offsets[row + 1] - base; }
    int column(int place) const { return indices[place] - base; }

    // Returns the place of an element, or -1.
    int find(int row, int wanted) const {
        for (int place = begin(row); place < end(row); ++place)
            if (column(place) == wanted) return place;
        return -1;
    }

    // Returns whether all places are in the matrix. Operations with other numbers do nothing.
    bool is_consistent() const {
        for (int row = 0; row < rows; ++row) {
            if (begin(row) < 0 || begin(row) > end(row) || end(row) > count) return false;
            for (int place = begin(row); place < end(row); ++place)
                if (column(place) < 0 || column(place) >= rows) return false;
        }
        return true;
    }
};

// Notes a pivot that is zero, unless there was one before.
void note_pivot(FactorizationInfo& info, int position) {
    int none = -1;
    info.zero_pivot.compare_exchange_strong(none, position);
}

template <class T>
void find_missing_pivot(const SquareMatrix<T>& A, FactorizationInfo& info) {
    info.zero_pivot = -1;
    for (int row = 0; row < A.rows; ++row)
        if (A.find(row, row) < 0) return note_pivot(info, row + A.base);
}

template <class T>
void boost_pivot(T& pivot, const FactorizationInfo& info) {
    if (!info.boosts || std::abs(pivot) > info.tolerance) return;
    if constexpr (std::is_floating_point_v<T>)
        pivot = static_cast<T>(info.boost.real());
    else
        pivot = T(info.boost);
}

// Replaces the matrix by L, without its diagonal of ones, and U.
template <class T>
void factorize_lu(const SquareMatrix<T>& A, FactorizationInfo& info) {
    std::vector<int> pivots(A.rows, -1), places(A.rows, -1);
    for (int row = 0; row < A.rows; ++row) {
        for (int p = A.begin(row); p < A.end(row); ++p) places[A.column(p)] = p;
        for (int p = A.begin(row); p < A.end(row) && A.column(p) < row; ++p) {
            const int upper = A.column(p);
            if (pivots[upper] < 0) continue;
            const T factor = A.values[p] /= A.values[pivots[upper]];
            for (int q = pivots[upper] + 1; q < A.end(upper); ++q)
                if (const int place = places[A.column(q)]; place >= 0)
                    A.values[place] -= factor * A.values[q];
        }
        pivots[row] = places[row];
        if (pivots[row] >= 0) boost_pivot(A.values[pivots[row]], info);
        if (pivots[row] < 0 || A.values[pivots[row]] == T(0)) note_pivot(info, row + A.base);
        for (int p = A.begin(row); p < A.end(row); ++p) places[A.column(p)] = -1;
    }
}

// Replaces the lower triangle by L. Nothing reads or writes the upper one.
template <class T>
void factorize_cholesky(const SquareMatrix<T>& A, FactorizationInfo& info) {
    std::vector<int> places(A.rows, -1);
    for (int row = 0; row < A.rows; ++row) {
        const int end = A.end(row);
        for (int p = A.begin(row); p < end; ++p) places[A.column(p)] = p;
        for (int p = A.begin(row); p < end && A.column(p) <= row; ++p) {
            const int other = A.column(p);
            T sum = A.values[p];
            int q = A.begin(other);
            for (; q < A.end(other) && A.column(q) < other; ++q)
                if (const int place = places[A.column(q)]; place >= 0)
                    sum -= A.values[place] * conjugate(A.values[q]);
            const bool has_pivot = q < A.end(other) && A.column(q) == other;
            if (other == row)
                sum = T(std::sqrt(std::real(sum)));
            else if (has_pivot)
                sum /= A.values[q];
            A.values[p] = sum;
        }
        const int pivot = places[row];
        if (pivot < 0 || !(std::abs(A.values[pivot]) > 0)) note_pivot(info, row + A.base);
        for (int p = A.begin(row); p < end; ++p) places[A.column(p)] = -1;
    }
}

template <class T, class Info, class Function>
cusparseStatus_t run_factorization(const char* name, cusparseHandle_t handle, int m, int count,
                                   const cusparseMatDescr* descriptor, const T* values,
                                   const int* offsets, const int* indices, Info* info, bool writes,
                                   Function function) {
    SparseCall call(name, handle);
    call.require(m >= 0 && count >= 0 && descriptor != nullptr && info != nullptr);
    if (!call.is_accepted()) return call.status();
    call.require_supported(descriptor->type == CUSPARSE_MATRIX_TYPE_GENERAL,
                           "the matrix is CUSPARSE_MATRIX_TYPE_GENERAL");
    const SquareMatrix<T> A{
        m,       count,  descriptor->base == CUSPARSE_INDEX_BASE_ONE, const_cast<T*>(values),
        offsets, indices};
    return call.submit([=](SparseMemory& memory) {
        memory.reads("csrRowPtr", offsets, m + 1);
        memory.reads("csrColInd", indices, count);
        if (writes)
            memory.writes("csrVal", values, count);
        else
            memory.reads("csrVal", values, count);
        if (memory.is_valid() && A.is_consistent()) function(A, *info);
    });
}

template <class Info>
cusparseStatus_t create(Info** info) {
    if (info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *info = new (std::nothrow) Info;
    return *info == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}

// Waits for the operations before, as NVIDIA's functions do.
cusparseStatus_t find_zero_pivot(const char* name, cusparseHandle_t handle, FactorizationInfo* info,
                                 int* position) {
    SparseCall call(name, handle);
    call.require(info != nullptr && position != nullptr);
    const auto status = call.submit([](SparseMemory&) {}, true);
    if (status != CUSPARSE_STATUS_SUCCESS) return status;
    *position = info->zero_pivot;
    return *position < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

cusparseStatus_t set_boost(const char* name, cusparseHandle_t handle, FactorizationInfo* info,
                           int enable, const double* tolerance, std::complex<double> boost) {
    SparseCall call(name, handle);
    call.require(info != nullptr && (enable == 0 || tolerance != nullptr));
    if (!call.is_accepted()) return call.status();
    info->boosts = enable != 0;
    if (enable != 0) {
        info->tolerance = *tolerance;
        info->boost = boost;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t* info) { return create(info); }
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) {
    delete info;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t* info) { return create(info); }
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info) {
    delete info;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info,
                                             int* position) {
    return find_zero_pivot("cusparseXcsrilu02_zeroPivot", handle, info, position);
}
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info,
                                            int* position) {
    return find_zero_pivot("cusparseXcsric02_zeroPivot", handle, info, position);
}

#define KBUILD_CUSPARSE_DEFINE(P, T, E, name, Info, factorize) \
    cusparseStatus_t cusparse##P##name##_bufferSize(cusparseHandle_t handle, int, int, \
                                                    const cusparseMatDescr_t, T*, const int*, \
                                                    const int*, Info, int* bytes) { \
        SparseCall call("cusparse" #P #name "_bufferSize", handle); \
        call.require(bytes != nullptr); \
        if (call.is_accepted()) *bytes = 0; \
        return call.status(); \
    } \
    cusparseStatus_t cusparse##P##name##_analysis( \
        cusparseHandle_t handle, int m, int count, const cusparseMatDescr_t descriptor, \
        const T* values, const int* offsets, const int* indices, Info info, cusparseSolvePolicy_t, \
        void*) { \
        return run_factorization("cusparse" #P #name "_analysis", handle, m, count, descriptor, \
                                 reinterpret_cast<const E*>(values), offsets, indices, info, \
                                 false, [](const SquareMatrix<E>& A, FactorizationInfo& found) { \
                                     find_missing_pivot(A, found); \
                                 }); \
    } \
    cusparseStatus_t cusparse##P##name( \
        cusparseHandle_t handle, int m, int count, const cusparseMatDescr_t descriptor, T* values, \
        const int* offsets, const int* indices, Info info, cusparseSolvePolicy_t, void*) { \
        return run_factorization( \
            "cusparse" #P #name, handle, m, count, descriptor, reinterpret_cast<const E*>(values), \
            offsets, indices, info, true, \
            [](const SquareMatrix<E>& A, FactorizationInfo& found) { factorize(A, found); }); \
    }
#define KBUILD_CUSPARSE_DEFINE_ALL(P, T, E) \
    KBUILD_CUSPARSE_DEFINE(P, T, E, csrilu02, csrilu02Info_t, factorize_lu) \
    KBUILD_CUSPARSE_DEFINE(P, T, E, csric02, csric02Info_t, factorize_cholesky) \
    cusparseStatus_t cusparse##P##csrilu02_numericBoost( \
        cusparseHandle_t handle, csrilu02Info_t info, int enable, double* tolerance, T* boost) { \
        const auto value = enable == 0 || boost == nullptr ? E() : *reinterpret_cast<E*>(boost); \
        return set_boost("cusparse" #P "csrilu02_numericBoost", handle, info, enable, tolerance, \
                         value); \
    }
KBUILD_CUSPARSE_DEFINE_ALL(S, float, float)
KBUILD_CUSPARSE_DEFINE_ALL(D, double, double)
KBUILD_CUSPARSE_DEFINE_ALL(C, cuComplex, std::complex<float>)
KBUILD_CUSPARSE_DEFINE_ALL(Z, cuDoubleComplex, std::complex<double>)
