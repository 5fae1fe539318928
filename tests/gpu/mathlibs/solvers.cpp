// Prints what cuSOLVER's functions for dense matrices compute: name, number, parameter, and elements. Vectors
// whose signs algorithms choose are printed as the matrix that they factorize.
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

static cusolverDnHandle_t handle;
static cusolverDnParams_t params;

static double value(int seed, int i) {
    return ((seed * 7919 + i * 104729) % 997 / 997.0 - 0.5) * 2;
}

static void set(float& to, double x, double) { to = (float)x; }
static void set(double& to, double x, double) { to = x; }
static void set(cuComplex& to, double x, double y) { to = {(float)x, (float)y}; }
static void set(cuDoubleComplex& to, double x, double y) { to = {x, y}; }
static double re(float x) { return x; }
static double re(double x) { return x; }
static double re(cuComplex x) { return x.x; }
static double re(cuDoubleComplex x) { return x.x; }
static double im(float) { return 0; }
static double im(double) { return 0; }
static double im(cuComplex x) { return x.y; }
static double im(cuDoubleComplex x) { return x.y; }

// Memory of the device, by columns.
template <class T>
struct Matrix {
    int rows, columns;
    T* start = nullptr;

    Matrix(int rows, int columns) : rows(rows), columns(columns) {
        cudaMalloc(&start, sizeof(T) * rows * columns);
        cudaMemset(start, 0, sizeof(T) * rows * columns);
    }
    Matrix(int rows, int columns, const std::vector<T>& content) : Matrix(rows, columns) {
        cudaMemcpy(start, content.data(), content.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Matrix() { cudaFree(start); }
    Matrix(const Matrix&) = delete;

    std::vector<T> read() const {
        std::vector<T> content((size_t)rows * columns);
        cudaMemcpy(content.data(), start, content.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return content;
    }
};

// A matrix of random elements. A Hermitian one is positive definite.
template <class T>
std::vector<T> make(int seed, int rows, int columns, bool is_hermitian = false) {
    std::vector<T> content((size_t)rows * columns);
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) {
            const int a = is_hermitian && i < j ? j : i, b = is_hermitian && i < j ? i : j;
            const double x = value(seed, b * rows + a), y = value(seed + 1, b * rows + a);
            const double diagonal = i == j ? (is_hermitian ? 2.0 * rows : 1) : 0;
            set(content[(size_t)j * rows + i], x + diagonal,
                is_hermitian && i == j  ? 0
                : is_hermitian && i < j ? -y
                                        : y);
        }
    return content;
}

template <class T>
void print(const std::string& name, int number, const char* parameter, const std::vector<T>& from) {
    std::printf("%s %d %s", name.c_str(), number, parameter);
    const bool is_complex = !std::is_arithmetic<T>::value;
    for (const T& x : from) {
        std::printf(" %.17g", re(x));
        if (is_complex) std::printf(" %.17g", im(x));
    }
    std::printf("\n");
}
static void print_integers(const std::string& name, int number, const char* parameter,
                           const std::vector<int>& from) {
    std::printf("%s %d %s", name.c_str(), number, parameter);
    for (int x : from) std::printf(" %d", x);
    std::printf("\n");
}

// left diag(middle) right, with the adjoint of the right one if it is given by its columns.
template <class T, class R>
std::vector<T> multiply(const std::vector<T>& left, int rows, const std::vector<R>& middle,
                        const std::vector<T>& right, int columns, int leading, bool is_adjoint) {
    std::vector<T> product((size_t)rows * columns);
    for (int j = 0; j < columns; ++j)
        for (int i = 0; i < rows; ++i) {
            double x = 0, y = 0;
            for (size_t k = 0; k < middle.size(); ++k) {
                const T a = left[k * rows + i],
                        b = is_adjoint ? right[k * leading + j] : right[(size_t)j * leading + k];
                const double s = is_adjoint ? -im(b) : im(b);
                x += middle[k] * (re(a) * re(b) - im(a) * s);
                y += middle[k] * (re(a) * s + im(a) * re(b));
            }
            set(product[(size_t)j * rows + i], x, y);
        }
    return product;
}

static Matrix<int>* info;

static void finish(const char* name, cusolverStatus_t status) {
    int result = -1;
    cudaMemcpy(&result, info->start, sizeof result, cudaMemcpyDeviceToHost);
    if (status || result) std::printf("# %s: status %d, info %d\n", name, (int)status, result);
}

#define WITH_WORK(T, name, sizes, ...) \
    { \
        int size = 0; \
        name##_bufferSize sizes; \
        Matrix<T> work(size + 1, 1); \
        finish(#name, name(__VA_ARGS__)); \
    }

#define DEFINE_RUN(P, T, R, sy, orth, type, real_type) \
    static void run_##P() { \
        const std::string p = #P; \
        const int n = 7, m = 9, k = 3; \
        Matrix<int> pivots(n, 1); \
        { /* LU */ \
            Matrix<T> A(n, n, make<T>(1, n, n)), B(n, k, make<T>(3, n, k)); \
            WITH_WORK(T, cusolverDn##P##getrf, (handle, n, n, A.start, n, &size), handle, n, n, \
                      A.start, n, work.start, pivots.start, info->start) \
            print(p + "getrf", 0, "A", A.read()); \
            print_integers(p + "getrf", 0, "ipiv", pivots.read()); \
            const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}; \
            for (int i = 0; i < 3; ++i) { \
                Matrix<T> X(n, k, make<T>(3, n, k)); \
                finish("getrs", cusolverDn##P##getrs(handle, operations[i], n, k, A.start, n, \
                                                     pivots.start, X.start, n, info->start)); \
                print(p + "getrs", i, "B", X.read()); \
            } \
        } \
        { /* LU without pivots */ \
            Matrix<T> A(n, n, make<T>(5, n, n, true)), B(n, k, make<T>(3, n, k)); \
            WITH_WORK(T, cusolverDn##P##getrf, (handle, n, n, A.start, n, &size), handle, n, n, \
                      A.start, n, work.start, nullptr, info->start) \
            print(p + "getrf", 1, "A", A.read()); \
            finish("getrs", cusolverDn##P##getrs(handle, CUBLAS_OP_N, n, k, A.start, n, nullptr, \
                                                 B.start, n, info->start)); \
            print(p + "getrs", 4, "B", B.read()); \
        } \
        for (int i = 0; i < 4; ++i) { /* inverses of triangles */ \
            const auto fill = i & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; \
            const auto diagonal = i & 2 ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT; \
            Matrix<T> A(n, n, make<T>(5, n, n, true)); \
            size_t bytes = 0, host_bytes = 0; \
            cusolverDnXtrtri_bufferSize(handle, fill, diagonal, n, type, A.start, n, &bytes, \
                                        &host_bytes); \
            Matrix<char> work((int)bytes + 1, 1); \
            std::vector<char> host_work(host_bytes + 1); \
            finish("Xtrtri", \
                   cusolverDnXtrtri(handle, fill, diagonal, n, type, A.start, n, work.start, \
                                    bytes, host_work.data(), host_bytes, info->start)); \
            print(p + "trtri", i, "A", A.read()); \
        } \
        for (int i = 0; i < 2; ++i) { /* the largest singular values of two matrices */ \
            auto both = make<T>(19, m, n); \
            const auto second = make<T>(13, m, n); \
            both.insert(both.end(), second.begin(), second.end()); \
            Matrix<T> A(m, 2 * n, both), U(m, 2 * k), V(n, 2 * k); \
            Matrix<R> S(k, 2); \
            std::vector<double> residuals(2); \
            const auto job = i ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR; \
            WITH_WORK(T, cusolverDn##P##gesvdaStridedBatched, \
                      (handle, job, k, m, n, A.start, m, m * n, S.start, k, U.start, m, m * k, \
                       V.start, n, n * k, &size, 2), \
                      handle, job, k, m, n, A.start, m, m* n, S.start, k, U.start, m, m* k, \
                      V.start, n, n* k, work.start, size, info->start, \
                      i ? residuals.data() : nullptr, 2) \
            print(p + "gesvda", i, "S", S.read()); \
            if (i == 0) continue; \
            const auto values = S.read(); \
            const std::vector<R> own(values.begin() + k, values.end()); \
            const auto left = U.read(), right = V.read(); \
            print(p + "gesvda", i, "product", \
                  multiply(std::vector<T>(left.begin() + m * k, left.end()), m, own, \
                           std::vector<T>(right.begin() + n * k, right.end()), n, n, true)); \
            print(p + "gesvda", i, "residuals", residuals); \
        } \
        for (int i = 0; i < 2; ++i) { /* Cholesky */ \
            const cublasFillMode_t fill = i ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; \
            Matrix<T> A(n, n, make<T>(5, n, n, true)), B(n, k, make<T>(3, n, k)); \
            WITH_WORK(T, cusolverDn##P##potrf, (handle, fill, n, A.start, n, &size), handle, fill, \
                      n, A.start, n, work.start, size, info->start) \
            print(p + "potrf", i, "A", A.read()); \
            finish("potrs", \
                   cusolverDn##P##potrs(handle, fill, n, k, A.start, n, B.start, n, info->start)); \
            print(p + "potrs", i, "B", B.read()); \
            WITH_WORK(T, cusolverDn##P##potri, (handle, fill, n, A.start, n, &size), handle, fill, \
                      n, A.start, n, work.start, size, info->start) \
            print(p + "potri", i, "A", A.read()); \
            Matrix<T> C(n, n, make<T>(5, n, n, true)), D(n, n, make<T>(7, n, n, true)); \
            Matrix<T> c(n, 1, make<T>(9, n, 1)), d(n, 1, make<T>(11, n, 1)); \
            Matrix<T*> list(2, 1, {C.start, D.start}), sides(2, 1, {c.start, d.start}); \
            Matrix<int> results(2, 1); \
            finish("potrfBatched", \
                   cusolverDn##P##potrfBatched(handle, fill, n, list.start, n, results.start, 2)); \
            finish("potrsBatched", cusolverDn##P##potrsBatched(handle, fill, n, 1, list.start, n, \
                                                               sides.start, n, info->start, 2)); \
            print(p + "potrsBatched", i, "B", d.read()); \
        } \
        { /* QR */ \
            Matrix<T> A(m, n, make<T>(13, m, n)), tau(n, 1), C(m, k, make<T>(15, m, k)); \
            WITH_WORK(T, cusolverDn##P##geqrf, (handle, m, n, A.start, m, &size), handle, m, n, \
                      A.start, m, tau.start, work.start, size, info->start) \
            print(p + "geqrf", 0, "A", A.read()); \
            print(p + "geqrf", 0, "TAU", tau.read()); \
            const cublasOperation_t adjoint = p == "S" || p == "D" ? CUBLAS_OP_T : CUBLAS_OP_C; \
            const auto left = CUBLAS_SIDE_LEFT; \
            WITH_WORK(T, cusolverDn##P##orth##mqr, \
                      (handle, left, adjoint, m, k, n, A.start, m, tau.start, C.start, m, &size), \
                      handle, left, adjoint, m, k, n, A.start, m, tau.start, C.start, m, \
                      work.start, size, info->start) \
            print(p + "ormqr", 0, "C", C.read()); \
            WITH_WORK(T, cusolverDn##P##orth##gqr, \
                      (handle, m, n, n, A.start, m, tau.start, &size), handle, m, n, n, A.start, \
                      m, tau.start, work.start, size, info->start) \
            print(p + "orgqr", 0, "A", A.read()); \
        } \
        const auto job = CUSOLVER_EIG_MODE_VECTOR; \
        syevjInfo_t jacobi; \
        cusolverDnCreateSyevjInfo(&jacobi); \
        for (int i = 0; i < 5; ++i) { /* eigenvalues */ \
            const cublasFillMode_t fill = i & 1 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER; \
            Matrix<T> A(n, n, make<T>(17, n, n, true)); \
            Matrix<R> W(n, 1); \
            if (i < 2) \
                WITH_WORK(T, cusolverDn##P##sy##evd, \
                          (handle, job, fill, n, A.start, n, W.start, &size), handle, job, fill, \
                          n, A.start, n, W.start, work.start, size, info->start) \
            else if (i < 4) \
                WITH_WORK(T, cusolverDn##P##sy##evj, \
                          (handle, job, fill, n, A.start, n, W.start, &size, jacobi), handle, job, \
                          fill, n, A.start, n, W.start, work.start, size, info->start, jacobi) \
            else { \
                size_t bytes = 0, host_bytes = 0; \
                cusolverDnXsyevd_bufferSize(handle, params, job, fill, n, type, A.start, n, \
                                            real_type, W.start, type, &bytes, &host_bytes); \
                Matrix<char> work((int)bytes + 1, 1); \
                std::vector<char> host_work(host_bytes + 1); \
                finish("Xsyevd", cusolverDnXsyevd(handle, params, job, fill, n, type, A.start, n, \
                                                  real_type, W.start, type, work.start, bytes, \
                                                  host_work.data(), host_bytes, info->start)); \
            } \
            const auto vectors = A.read(); \
            print(p + "syevd", i, "W", W.read()); \
            print(p + "syevd", i, "product", multiply(vectors, n, W.read(), vectors, n, n, true)); \
        } \
        cusolverDnDestroySyevjInfo(jacobi); \
        for (int i = 0; i < 3; ++i) { \
            Matrix<T> A(n, n, make<T>(17, n, n, true)), B(n, n, make<T>(5, n, n, true)); \
            Matrix<R> W(n, 1); \
            const auto kind = (cusolverEigType_t)(i + 1); \
            const auto fill = CUBLAS_FILL_MODE_LOWER; \
            WITH_WORK(T, cusolverDn##P##sy##gvd, \
                      (handle, kind, job, fill, n, A.start, n, B.start, n, W.start, &size), \
                      handle, kind, job, fill, n, A.start, n, B.start, n, W.start, work.start, \
                      size, info->start) \
            print(p + "sygvd", i, "W", W.read()); \
        } \
        gesvdjInfo_t svdj; \
        cusolverDnCreateGesvdjInfo(&svdj); \
        for (int i = 0; i < 6; ++i) { /* singular values */ \
            Matrix<T> A(m, n, make<T>(19, m, n)), U(m, m), V(n, n); \
            Matrix<R> S(n, 1), superdiagonal(n, 1); \
            const signed char all = i == 0 ? 'A' : 'S'; \
            if (i < 2) \
                WITH_WORK(T, cusolverDn##P##gesvd, (handle, m, n, &size), handle, all, all, m, n, \
                          A.start, m, S.start, U.start, m, V.start, n, work.start, size, \
                          superdiagonal.start, info->start) \
            else if (i < 4) \
                WITH_WORK(T, cusolverDn##P##gesvdj, \
                          (handle, job, i - 2, m, n, A.start, m, S.start, U.start, m, V.start, n, \
                           &size, svdj), \
                          handle, job, i - 2, m, n, A.start, m, S.start, U.start, m, V.start, n, \
                          work.start, size, info->start, svdj) \
            else if (i == 4) { \
                size_t bytes = 0, host_bytes = 0; \
                double perturbation = 0; \
                cusolverDnXgesvdp_bufferSize(handle, params, job, 1, m, n, type, A.start, m, \
                                             real_type, S.start, type, U.start, m, type, V.start, \
                                             n, type, &bytes, &host_bytes); \
                Matrix<char> work((int)bytes + 1, 1); \
                std::vector<char> host_work(host_bytes + 1); \
                finish("Xgesvdp", cusolverDnXgesvdp(handle, params, job, 1, m, n, type, A.start, \
                                                    m, real_type, S.start, type, U.start, m, \
                                                    type, V.start, n, type, work.start, bytes, \
                                                    host_work.data(), host_bytes, info->start, \
                                                    &perturbation)); \
            } else { \
                size_t bytes = 0, host_bytes = 0; \
                cusolverDnXgesvd_bufferSize(handle, params, 'S', 'S', m, n, type, A.start, m, \
                                            real_type, S.start, type, U.start, m, type, V.start, \
                                            n, type, &bytes, &host_bytes); \
                Matrix<char> work((int)bytes + 1, 1); \
                std::vector<char> host_work(host_bytes + 1); \
                finish("Xgesvd", cusolverDnXgesvd(handle, params, 'S', 'S', m, n, type, A.start, \
                                                  m, real_type, S.start, type, U.start, m, type, \
                                                  V.start, n, type, work.start, bytes, \
                                                  host_work.data(), host_bytes, info->start)); \
            } \
            print(p + "gesvd", i, "S", S.read()); \
            print(p + "gesvd", i, "product", \
                  multiply(U.read(), m, S.read(), V.read(), n, n, i >= 2 && i <= 4)); \
        } \
        { /* so many random numbers that the largest singular values are exact */ \
            Matrix<T> A(m, n, make<T>(19, m, n)), U(m, k), V(n, k); \
            Matrix<R> S(n, 1); \
            size_t bytes = 0, host_bytes = 0; \
            cusolverDnXgesvdr_bufferSize(handle, params, 'S', 'S', m, n, k, n - k, 2, type, \
                                         A.start, m, real_type, S.start, type, U.start, m, type, \
                                         V.start, n, type, &bytes, &host_bytes); \
            Matrix<char> work((int)bytes + 1, 1); \
            std::vector<char> host_work(host_bytes + 1); \
            finish("Xgesvdr", cusolverDnXgesvdr(handle, params, 'S', 'S', m, n, k, n - k, 2, type, \
                                                A.start, m, real_type, S.start, type, U.start, m, \
                                                type, V.start, n, type, work.start, bytes, \
                                                host_work.data(), host_bytes, info->start)); \
            auto values = S.read(); \
            values.resize(k); \
            print(p + "gesvdr", 0, "S", values); \
            print(p + "gesvdr", 0, "product", \
                  multiply(U.read(), m, values, V.read(), n, n, true)); \
        } \
        for (int i = 0; i < 2; ++i) { /* any matrix: eigenvalues of its type, and complex ones */ \
            using C = std::conditional_t<sizeof(R) == 4, cuComplex, cuDoubleComplex>; \
            const auto complex_type = sizeof(R) == 4 ? CUDA_C_32F : CUDA_C_64F; \
            const auto type_w = i == 0 ? type : complex_type; \
            const auto none = CUSOLVER_EIG_MODE_NOVECTOR; \
            Matrix<T> A(n, n, make<T>(1, n, n)), VR(n, n), W(2 * n, 1); \
            Matrix<C> complex_W(n, 1); \
            void* const values = i == 0 ? (void*)W.start : (void*)complex_W.start; \
            size_t bytes = 0, host_bytes = 0; \
            cusolverDnXgeev_bufferSize(handle, params, none, job, n, type, A.start, n, type_w, \
                                       values, type, nullptr, n, type, VR.start, n, type, &bytes, \
                                       &host_bytes); \
            Matrix<char> work((int)bytes + 1, 1); \
            std::vector<char> host_work(host_bytes + 1); \
            finish("Xgeev", cusolverDnXgeev(handle, params, none, job, n, type, A.start, n, \
                                            type_w, values, type, nullptr, n, type, VR.start, n, \
                                            type, work.start, bytes, host_work.data(), \
                                            host_bytes, info->start)); \
            if (i == 0) \
                print(p + "geev", i, "W", W.read()); \
            else \
                print(p + "geev", i, "W", complex_W.read()); \
            print(p + "geev", i, "VR", VR.read()); \
        } \
        cusolverDnDestroyGesvdjInfo(svdj); \
        { /* 64-bit numbers */ \
            Matrix<T> A(n, n, make<T>(1, n, n)), B(n, k, make<T>(3, n, k)); \
            Matrix<int64_t> wide(n, 1); \
            size_t bytes = 0, host_bytes = 0; \
            cusolverDnXgetrf_bufferSize(handle, params, n, n, type, A.start, n, type, &bytes, \
                                        &host_bytes); \
            Matrix<char> work((int)bytes + 1, 1); \
            std::vector<char> host_work(host_bytes + 1); \
            finish("Xgetrf", cusolverDnXgetrf(handle, params, n, n, type, A.start, n, wide.start, \
                                              type, work.start, bytes, host_work.data(), \
                                              host_bytes, info->start)); \
            finish("Xgetrs", cusolverDnXgetrs(handle, params, CUBLAS_OP_N, n, k, type, A.start, n, \
                                              wide.start, type, B.start, n, info->start)); \
            print(p + "getrs", 3, "B", B.read()); \
            Matrix<T> C(n, n, make<T>(5, n, n, true)), D(n, k, make<T>(3, n, k)); \
            const auto fill = CUBLAS_FILL_MODE_LOWER; \
            cusolverDnXpotrf_bufferSize(handle, params, fill, n, type, C.start, n, type, &bytes, \
                                        &host_bytes); \
            Matrix<char> more((int)bytes + 1, 1); \
            host_work.resize(host_bytes + 1); \
            finish("Xpotrf", \
                   cusolverDnXpotrf(handle, params, fill, n, type, C.start, n, type, more.start, \
                                    bytes, host_work.data(), host_bytes, info->start)); \
            finish("Xpotrs", cusolverDnXpotrs(handle, params, fill, n, k, type, C.start, n, type, \
                                              D.start, n, info->start)); \
            print(p + "potrs", 2, "B", D.read()); \
        } \
    }
DEFINE_RUN(S, float, float, sy, or, CUDA_R_32F, CUDA_R_32F)
DEFINE_RUN(D, double, double, sy, or, CUDA_R_64F, CUDA_R_64F)
DEFINE_RUN(C, cuComplex, float, he, un, CUDA_C_32F, CUDA_R_32F)
DEFINE_RUN(Z, cuDoubleComplex, double, he, un, CUDA_C_64F, CUDA_R_64F)

// The results of matrices that have no factors, and of wrong arguments.
static void run_errors() {
    int size = 0, result = 0;
    Matrix<double> A(3, 3), work(4096, 1), B(3, 1), S(3, 1);
    Matrix<int> pivots(3, 1);
    const auto lower = CUBLAS_FILL_MODE_LOWER;
    std::vector<int> results;
    cusolverDnDgetrf(handle, 3, 3, A.start, 3, work.start, pivots.start, info->start);
    cudaMemcpy(&result, info->start, sizeof result, cudaMemcpyDeviceToHost);
    results.push_back(result);
    cusolverDnDpotrf(handle, lower, 3, A.start, 3, work.start, 4096, info->start);
    cudaMemcpy(&result, info->start, sizeof result, cudaMemcpyDeviceToHost);
    results.push_back(result);
    print_integers("errors", 0, "info", results);
    std::vector<int> statuses = {
        cusolverDnDgetrf_bufferSize(nullptr, 3, 3, A.start, 3, &size),
        cusolverDnDgetrf(nullptr, 3, 3, A.start, 3, work.start, pivots.start, info->start),
        cusolverDnDgetrf(handle, -1, 3, A.start, 3, work.start, pivots.start, info->start),
        cusolverDnDgetrf(handle, 3, 3, A.start, 2, work.start, pivots.start, info->start),
        cusolverDnDpotrf(handle, lower, 3, A.start, 2, work.start, 4096, info->start),
        cusolverDnDgetrs(handle, CUBLAS_OP_N, 3, 1, A.start, 3, pivots.start, B.start, 2,
                         info->start),
        cusolverDnDgesvd(handle, 'N', 'N', 2, 3, A.start, 3, S.start, nullptr, 3, nullptr, 3,
                         work.start, 4096, nullptr, info->start),
        cusolverDnXtrtri(handle, lower, CUBLAS_DIAG_UNIT, 3, CUDA_R_64F, A.start, 2, work.start,
                         4096, nullptr, 0, info->start),
        cusolverDnDgesvdaStridedBatched(handle, CUSOLVER_EIG_MODE_NOVECTOR, 2, 3, 3, A.start, 3, 8,
                                        S.start, 2, nullptr, 3, 6, nullptr, 3, 6, work.start, 4096,
                                        info->start, nullptr, 1),
        cusolverDnDestroy(nullptr)};
    print_integers("errors", 0, "statuses", statuses);
}

int main() {
    if (cusolverDnCreate(&handle) || cusolverDnCreateParams(&params)) return 1;
    info = new Matrix<int>(4, 1);
    run_S();
    run_D();
    run_C();
    run_Z();
    std::fflush(stdout);  // NVIDIA's library can stop at a wrong argument
    run_errors();
    cudaFree(info->start);
    cusolverDnDestroyParams(params);
    return cusolverDnDestroy(handle);
}
