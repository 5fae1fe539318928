// Prints what cuSPARSE computes: name, number, parameter, and elements.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include <complex>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

static cusparseHandle_t handle;
static const int rows = 9, columns = 7;

static double value(int seed, int i) {
    return ((seed * 7919 + i * 104729) % 997 / 997.0 - 0.5) * 2;
}

template <class T>
T make(double x, double) {
    return (T)x;
}
template <>
__half make(double x, double) {
    return __float2half((float)x);
}
template <>
__nv_bfloat16 make(double x, double) {
    return __float2bfloat16((float)x);
}
template <>
int8_t make(double x, double) {
    return (int8_t)(x * 100);
}
template <>
std::complex<float> make(double x, double y) {
    return {(float)x, (float)y};
}
template <>
std::complex<double> make(double x, double y) {
    return {x, y};
}

static void print_element(double x) { std::printf(" %.17g", x); }
static void print_element(__half x) { print_element(__half2float(x)); }
static void print_element(__nv_bfloat16 x) { print_element(__bfloat162float(x)); }
template <class R>
void print_element(std::complex<R> x) {
    std::printf(" %.17g %.17g", (double)x.real(), (double)x.imag());
}

// Memory of the device.
template <class T>
struct Array {
    size_t count;
    T* start = nullptr;

    explicit Array(size_t count) : count(count) {
        cudaMalloc(&start, sizeof(T) * (count + 1));
        cudaMemset(start, 0, sizeof(T) * (count + 1));
    }
    Array(const std::vector<T>& content) : Array(content.size()) {
        cudaMemcpy(start, content.data(), sizeof(T) * count, cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(start); }
    Array(const Array&) = delete;

    void print(const std::string& name, int number, const char* parameter) const {
        std::vector<T> content(count);
        cudaMemcpy(content.data(), start, sizeof(T) * count, cudaMemcpyDeviceToHost);
        std::printf("%s %d %s", name.c_str(), number, parameter);
        for (const T& x : content) print_element(x);
        std::printf("\n");
    }
};

template <class T>
std::vector<T> fill(int seed, int count) {
    std::vector<T> content(count);
    for (int i = 0; i < count; ++i) content[i] = make<T>(value(seed, i), value(seed + 1, i));
    return content;
}

// Whether an element of the matrix is stored. One row has none.
static bool is_stored(int i, int j, bool is_square) {
    return is_square ? i == j || (i * 5 + j * 3) % 4 == 0 : i != 4 && (i * 5 + j * 3) % 4 != 1;
}

// A sparse matrix in all formats. A square one has a large diagonal.
template <class T, class Index>
struct Sparse {
    std::vector<Index> row_offsets, row_indices, columns_of, column_offsets, rows_of;
    std::vector<T> values, values_by_columns;

    Sparse(int m, int n, int base, bool is_square) {
        for (int by_columns = 0; by_columns < 2; ++by_columns) {
            const int lines = by_columns ? n : m, others = by_columns ? m : n;
            auto& offsets = by_columns ? column_offsets : row_offsets;
            offsets.push_back(base);
            for (int line = 0; line < lines; ++line) {
                for (int k = 0; k < others; ++k) {
                    const int i = by_columns ? k : line, j = by_columns ? line : k;
                    if (!is_stored(i, j, is_square)) continue;
                    const double x = value(1, i * n + j) + (is_square && i == j ? 4 : 0);
                    const T element = make<T>(x, value(2, i * n + j));
                    (by_columns ? values_by_columns : values).push_back(element);
                    (by_columns ? rows_of : columns_of).push_back(k + base);
                    if (!by_columns) row_indices.push_back(line + base);
                }
                offsets.push_back((by_columns ? values_by_columns : values).size() + base);
            }
        }
    }
};

static int statuses_of_all;
static void require(const char* name, cusparseStatus_t status) {
    if (status) std::printf("# %s: status %d\n", name, (int)status);
    statuses_of_all |= status;
}

template <class Index>
constexpr cusparseIndexType_t index_type() {
    return sizeof(Index) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

// In, Out, and Sum: the types of operands, results, and factors.
template <class In, class Out, class Sum, class Index>
void run(const std::string& name, cudaDataType in, cudaDataType out, cudaDataType sum, int base) {
    const auto type = index_type<Index>();
    const auto index_base = (cusparseIndexBase_t)base;
    const Sparse<In, Index> matrix(rows, columns, base, false);
    const int count = (int)matrix.values.size();
    Array<Index> offsets(matrix.row_offsets), indices(matrix.columns_of),
        places(matrix.row_indices);
    Array<Index> ends(matrix.column_offsets), others(matrix.rows_of);
    Array<In> values(matrix.values), by_columns(matrix.values_by_columns);
    cusparseSpMatDescr_t matrices[3];
    require("csr", cusparseCreateCsr(&matrices[0], rows, columns, count, offsets.start,
                                     indices.start, values.start, type, type, index_base, in));
    require("csc", cusparseCreateCsc(&matrices[1], rows, columns, count, ends.start, others.start,
                                     by_columns.start, type, type, index_base, in));
    require("coo", cusparseCreateCoo(&matrices[2], rows, columns, count, places.start,
                                     indices.start, values.start, type, index_base, in));
    const Sum alpha = make<Sum>(2, 0), beta = make<Sum>(3, 0), zero = make<Sum>(0, 0);
    for (int format = 0; format < 3; ++format)
        for (int op = 0; op < 3; ++op) {
            const int m = op ? columns : rows, n = op ? rows : columns;
            const auto operation = (cusparseOperation_t)op;
            const int number = format * 3 + op;
            {  // vectors
                Array<In> x(fill<In>(3, n));
                Array<Out> y(fill<Out>(5, m));
                cusparseDnVecDescr_t from, to;
                cusparseCreateDnVec(&from, n, x.start, in);
                cusparseCreateDnVec(&to, m, y.start, out);
                size_t bytes = 0;
                require("SpMV_bufferSize",
                        cusparseSpMV_bufferSize(handle, operation, &alpha, matrices[format], from,
                                                &beta, to, sum, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
                Array<char> buffer(bytes);
                require("SpMV", cusparseSpMV(handle, operation, &alpha, matrices[format], from,
                                             op == 1 ? &zero : &beta, to, sum,
                                             CUSPARSE_SPMV_ALG_DEFAULT, buffer.start));
                y.print(name + "SpMV", number, "y");
                cusparseDestroyDnVec(from);
                cusparseDestroyDnVec(to);
            }
            for (int order = 0; order < 2; ++order) {  // matrices
                const int k = 3, padding = 1;
                const int op_b = (number + order) % 2;
                const int b_rows = op_b ? k : n, b_columns = op_b ? n : k;
                const auto layout = order ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
                const int b_leading = (order ? b_columns : b_rows) + padding;
                const int c_leading = (order ? k : m) + padding;
                Array<In> b(fill<In>(7, b_leading * (order ? b_rows : b_columns)));
                Array<Out> c(fill<Out>(9, c_leading * (order ? m : k)));
                cusparseDnMatDescr_t from, to;
                cusparseCreateDnMat(&from, b_rows, b_columns, b_leading, b.start, in, layout);
                cusparseCreateDnMat(&to, m, k, c_leading, c.start, out, layout);
                size_t bytes = 0;
                const auto operation_b = (cusparseOperation_t)op_b;
                require("SpMM_bufferSize",
                        cusparseSpMM_bufferSize(handle, operation, operation_b, &alpha,
                                                matrices[format], from, &beta, to, sum,
                                                CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
                Array<char> buffer(bytes);
                require("SpMM",
                        cusparseSpMM(handle, operation, operation_b, &alpha, matrices[format], from,
                                     &beta, to, sum, CUSPARSE_SPMM_ALG_DEFAULT, buffer.start));
                c.print(name + "SpMM", number * 2 + order, "C");
                cusparseDestroyDnMat(from);
                cusparseDestroyDnMat(to);
            }
        }
    for (auto& one : matrices) cusparseDestroySpMat(one);
}

// Functions for operands and results of one type.
template <class T, class Index>
void run_more(const std::string& name, cudaDataType type, int base) {
    const auto indices_are = index_type<Index>();
    const auto index_base = (cusparseIndexBase_t)base;
    const T alpha = make<T>(2, 0), beta = make<T>(3, 0);
    const int n = columns;
    const Sparse<T, Index> square(n, n, base, true);
    const int count = (int)square.values.size();
    Array<Index> offsets(square.row_offsets), indices(square.columns_of),
        places(square.row_indices);
    Array<T> values(square.values);
    for (int i = 0; i < 24; ++i) {  // triangular systems: format, operation, triangle, diagonal
        cusparseSpMatDescr_t A;
        if (i < 12)
            cusparseCreateCsr(&A, n, n, count, offsets.start, indices.start, values.start,
                              indices_are, indices_are, index_base, type);
        else
            cusparseCreateCoo(&A, n, n, count, places.start, indices.start, values.start,
                              indices_are, index_base, type);
        auto fill_mode = i & 1 ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
        auto diagonal = i & 2 ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
        cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_FILL_MODE, &fill_mode, sizeof fill_mode);
        cusparseSpMatSetAttribute(A, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal);
        const auto op = (cusparseOperation_t)(i / 4 % 3);
        Array<T> x(fill<T>(3, n)), y((size_t)n);
        cusparseDnVecDescr_t from, to;
        cusparseCreateDnVec(&from, n, x.start, type);
        cusparseCreateDnVec(&to, n, y.start, type);
        cusparseSpSVDescr_t state;
        cusparseSpSV_createDescr(&state);
        size_t bytes = 0;
        const auto algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
        require("SpSV_bufferSize", cusparseSpSV_bufferSize(handle, op, &alpha, A, from, to, type,
                                                           algorithm, state, &bytes));
        Array<char> buffer(bytes);
        require("SpSV_analysis", cusparseSpSV_analysis(handle, op, &alpha, A, from, to, type,
                                                       algorithm, state, buffer.start));
        require("SpSV_solve",
                cusparseSpSV_solve(handle, op, &alpha, A, from, to, type, algorithm, state));
        y.print(name + "SpSV", i, "y");
        cusparseSpSV_destroyDescr(state);
        cusparseDestroyDnVec(from);
        cusparseDestroyDnVec(to);
        cusparseDestroySpMat(A);
    }
    {  // vectors
        const std::vector<Index> some = {(Index)(1 + base), (Index)(3 + base), (Index)(6 + base)};
        Array<Index> where(some);
        Array<T> x(fill<T>(11, 3)), y(fill<T>(13, n));
        cusparseSpVecDescr_t sparse;
        cusparseDnVecDescr_t dense;
        cusparseCreateSpVec(&sparse, n, 3, where.start, x.start, indices_are, index_base, type);
        cusparseCreateDnVec(&dense, n, y.start, type);
        require("Axpby", cusparseAxpby(handle, &alpha, sparse, &beta, dense));
        y.print(name + "Axpby", 0, "y");
        T results[2] = {};
        for (int op = 0; op < 3; op += 2) {
            size_t bytes = 0;
            cusparseSpVV_bufferSize(handle, (cusparseOperation_t)op, sparse, dense,
                                    &results[op / 2], type, &bytes);
            Array<char> buffer(bytes);
            require("SpVV", cusparseSpVV(handle, (cusparseOperation_t)op, sparse, dense,
                                         &results[op / 2], type, buffer.start));
        }
        Array<T>({results[0], results[1]}).print(name + "SpVV", 0, "result");
        require("Gather", cusparseGather(handle, dense, sparse));
        x.print(name + "Gather", 0, "x");
        cusparseDnVecSetValues(dense, y.start);
        cudaMemset(y.start, 0, n * sizeof(T));
        require("Scatter", cusparseScatter(handle, sparse, dense));
        y.print(name + "Scatter", 0, "y");
        cusparseDestroySpVec(sparse);
        cusparseDestroyDnVec(dense);
    }
    const Sparse<T, Index> matrix(rows, columns, base, false);
    for (int i = 0; i < 6; ++i) {  // conversions: format and order
        const auto order = i & 1 ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
        const int leading = (i & 1 ? columns : rows) + 1, lines = i & 1 ? rows : columns;
        std::vector<T> dense((size_t)leading * lines);
        for (int r = 0; r < rows; ++r)
            for (int c = 0; c < columns; ++c)
                dense[i & 1 ? r * leading + c : c * leading + r] =
                    is_stored(r, c, false)
                        ? make<T>(value(1, r * columns + c), value(2, r * columns + c))
                        : T();
        Array<T> from(dense), to(dense.size());
        cusparseDnMatDescr_t A, B;
        cusparseCreateDnMat(&A, rows, columns, leading, from.start, type, order);
        cusparseCreateDnMat(&B, rows, columns, leading, to.start, type, order);
        cusparseSpMatDescr_t S;
        Array<Index> compressed((size_t)(i / 2 == 1 ? columns : rows) + 1);
        if (i / 2 == 0)
            cusparseCreateCsr(&S, rows, columns, 0, compressed.start, nullptr, nullptr, indices_are,
                              indices_are, index_base, type);
        else if (i / 2 == 1)
            cusparseCreateCsc(&S, rows, columns, 0, compressed.start, nullptr, nullptr, indices_are,
                              indices_are, index_base, type);
        else
            cusparseCreateCoo(&S, rows, columns, 0, nullptr, nullptr, nullptr, indices_are,
                              index_base, type);
        size_t bytes = 0;
        const auto algorithm = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
        cusparseDenseToSparse_bufferSize(handle, A, S, algorithm, &bytes);
        Array<char> buffer(bytes);
        require("analysis", cusparseDenseToSparse_analysis(handle, A, S, algorithm, buffer.start));
        int64_t r = 0, c = 0, total = 0;
        cusparseSpMatGetSize(S, &r, &c, &total);
        Array<Index> found((size_t)total), found_rows((size_t)total);
        Array<T> elements((size_t)total);
        if (i / 2 == 0)
            cusparseCsrSetPointers(S, compressed.start, found.start, elements.start);
        else if (i / 2 == 1)
            cusparseCscSetPointers(S, compressed.start, found.start, elements.start);
        else
            cusparseCooSetPointers(S, found_rows.start, found.start, elements.start);
        require("convert", cusparseDenseToSparse_convert(handle, A, S, algorithm, buffer.start));
        (i / 2 == 2 ? found_rows : compressed).print(name + "DenseToSparse", i, "offsets");
        found.print(name + "DenseToSparse", i, "indices");
        elements.print(name + "DenseToSparse", i, "values");
        cusparseSparseToDense_bufferSize(handle, S, B, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes);
        Array<char> more(bytes);
        require("SparseToDense", cusparseSparseToDense(
                                     handle, S, B, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, more.start));
        to.print(name + "SparseToDense", i, "B");
        cusparseDestroySpMat(S);
        cusparseDestroyDnMat(A);
        cusparseDestroyDnMat(B);
    }
}

static void run_old() {
    const Sparse<double, int> matrix(rows, columns, 1, false);
    const int count = (int)matrix.values.size();
    const auto one = CUSPARSE_INDEX_BASE_ONE;
    Array<int> offsets(matrix.row_offsets), indices(matrix.columns_of), places((size_t)count);
    Array<double> values(matrix.values), moved((size_t)count);
    require("csr2coo", cusparseXcsr2coo(handle, offsets.start, count, rows, places.start, one));
    places.print("csr2coo", 0, "rows");
    Array<int> again((size_t)rows + 1), ends((size_t)columns + 1), others((size_t)count);
    require("coo2csr", cusparseXcoo2csr(handle, places.start, count, rows, again.start, one));
    again.print("coo2csr", 0, "offsets");
    size_t bytes = 0;
    cusparseCsr2cscEx2_bufferSize(handle, rows, columns, count, values.start, offsets.start,
                                  indices.start, moved.start, ends.start, others.start, CUDA_R_64F,
                                  CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, &bytes);
    Array<char> buffer(bytes);
    require("csr2csc",
            cusparseCsr2cscEx2(handle, rows, columns, count, values.start, offsets.start,
                               indices.start, moved.start, ends.start, others.start, CUDA_R_64F,
                               CUSPARSE_ACTION_NUMERIC, one, CUSPARSE_CSR2CSC_ALG1, buffer.start));
    ends.print("csr2csc", 0, "offsets");
    others.print("csr2csc", 0, "indices");
    moved.print("csr2csc", 0, "values");
}

static void run_errors() {
    const Sparse<double, int> matrix(rows, columns, 0, false);
    Array<int> offsets(matrix.row_offsets), indices(matrix.columns_of);
    Array<double> values(matrix.values), x(fill<double>(3, rows)), y(fill<double>(5, rows));
    const double alpha = 1, beta = 0;
    cusparseSpMatDescr_t A;
    cusparseDnVecDescr_t from, to;
    const auto type = CUSPARSE_INDEX_32I;
    const auto zero = CUSPARSE_INDEX_BASE_ZERO;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const auto algorithm = CUSPARSE_SPMV_ALG_DEFAULT;
    const int count = (int)matrix.values.size();
    cusparseCreateCsr(&A, rows, columns, count, offsets.start, indices.start, values.start, type,
                      type, zero, CUDA_R_64F);
    cusparseCreateDnVec(&from, rows, x.start, CUDA_R_64F);
    cusparseCreateDnVec(&to, rows, y.start, CUDA_R_64F);
    cusparseDnVecDescr_t other;
    const int statuses[] = {
        cusparseSpMV(handle, plain, &alpha, A, from, &beta, to, CUDA_R_64F, algorithm, nullptr),
        cusparseSpMV(nullptr, plain, &alpha, A, from, &beta, to, CUDA_R_64F, algorithm, nullptr),
        cusparseSpMV(handle, plain, &alpha, nullptr, from, &beta, to, CUDA_R_64F, algorithm,
                     nullptr),
        cusparseCreateDnVec(&other, -1, x.start, CUDA_R_64F),
        cusparseDestroy(nullptr),
        cusparseSetStream(nullptr, nullptr)};
    std::printf("errors 0 statuses");
    for (int status : statuses) std::printf(" %d", status);
    std::printf("\nerrors 0 sum %d\n", statuses_of_all);
    cusparseDestroySpMat(A);
    cusparseDestroyDnVec(from);
    cusparseDestroyDnVec(to);
}

int main() {
    if (cusparseCreate(&handle)) return 1;
    run<float, float, float, int>("float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 0);
    run<double, double, double, int64_t>("double", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, 1);
    run<std::complex<float>, std::complex<float>, std::complex<float>, int>(
        "complex", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, 1);
    run<std::complex<double>, std::complex<double>, std::complex<double>, int>(
        "double_complex", CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, 0);
    run<__half, __half, float, int>("half", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, 0);
    run<__half, float, float, int>("half_float", CUDA_R_16F, CUDA_R_32F, CUDA_R_32F, 0);
    run<__nv_bfloat16, float, float, int>("bfloat16_float", CUDA_R_16BF, CUDA_R_32F, CUDA_R_32F, 0);
    run<int8_t, int, int, int>("int8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, 0);
    run_more<float, int>("float", CUDA_R_32F, 1);
    run_more<double, int64_t>("double", CUDA_R_64F, 0);
    run_more<std::complex<double>, int>("double_complex", CUDA_C_64F, 1);
    run_old();
    run_errors();
    return cusparseDestroy(handle);
}
