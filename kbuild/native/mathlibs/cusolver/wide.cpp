// NVIDIA's functions for 64-bit numbers, which take types as values.
#include "cusolver/dense.hpp"

using namespace kbuild::mathlibs;

namespace {

// The type of a real number of the same precision.
cudaDataType real_type(cudaDataType type) {
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

cudaDataType complex_type(cudaDataType type) {
    return type == CUDA_R_32F ? CUDA_C_32F : type == CUDA_R_64F ? CUDA_C_64F : type;
}

// Calls the function with a value of the matrices' type and one of the real type.
template <class Function>
cusolverStatus_t with_types(const char* name, cudaDataType type, bool are_equal,
                            Function function) {
    if (are_equal) {
        switch (type) {
        case CUDA_R_32F: return function(float(), float());
        case CUDA_R_64F: return function(double(), double());
        case CUDA_C_32F: return function(cuComplex(), float());
        case CUDA_C_64F: return function(cuDoubleComplex(), double());
        default: break;
        }
    }
    return reject(name, "types are float, double, or complex, and all the same");
}

cusolverStatus_t return_sizes(const char* name, cusolverDnHandle_t handle, size_t* on_device,
                              size_t* on_host) {
    SolverCall call(name, handle);
    call.require(on_host != nullptr);
    if (call.is_accepted()) *on_host = 0;
    return call.return_size(on_device);
}

}  // namespace

// The parameters of a function for 64-bit numbers.
#define HANDLES cusolverDnHandle_t handle, cusolverDnParams_t
#define BUFFERS void*, size_t, void*, size_t, int* info
#define SIZES size_t *on_device, size_t *on_host

cusolverStatus_t cusolverDnXgetrf_bufferSize(HANDLES, int64_t, int64_t, cudaDataType, const void*,
                                             int64_t, cudaDataType, SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXgetrf(HANDLES, int64_t m, int64_t n, cudaDataType type, void* A,
                                  int64_t lda, int64_t* ipiv, cudaDataType compute, BUFFERS) {
    return with_types("cusolverDnXgetrf", type, type == compute, [=](auto element, auto) {
        return run_getrf("cusolverDnXgetrf", handle, m, n, static_cast<decltype(element)*>(A), lda,
                         ipiv, info);
    });
}
cusolverStatus_t cusolverDnXgetrs(HANDLES, cublasOperation_t trans, int64_t n, int64_t nrhs,
                                  cudaDataType type, const void* A, int64_t lda,
                                  const int64_t* ipiv, cudaDataType type_b, void* B, int64_t ldb,
                                  int* info) {
    return with_types("cusolverDnXgetrs", type, type == type_b, [=](auto element, auto) {
        using T = decltype(element);
        return run_getrs("cusolverDnXgetrs", handle, trans, n, nrhs, static_cast<const T*>(A), lda,
                         ipiv, static_cast<T*>(B), ldb, info);
    });
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(HANDLES, cublasFillMode_t, int64_t, cudaDataType,
                                             const void*, int64_t, cudaDataType, SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXpotrf(HANDLES, cublasFillMode_t uplo, int64_t n, cudaDataType type,
                                  void* A, int64_t lda, cudaDataType compute, BUFFERS) {
    return with_types("cusolverDnXpotrf", type, type == compute, [=](auto element, auto) {
        return run_triangle(
            "cusolverDnXpotrf", [](auto... x) { return lapack::potrf(x...); }, handle, uplo, n,
            static_cast<decltype(element)*>(A), lda, info);
    });
}
cusolverStatus_t cusolverDnXpotrs(HANDLES, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                  cudaDataType type, const void* A, int64_t lda,
                                  cudaDataType type_b, void* B, int64_t ldb, int* info) {
    return with_types("cusolverDnXpotrs", type, type == type_b, [=](auto element, auto) {
        using T = decltype(element);
        return run_potrs("cusolverDnXpotrs", handle, uplo, n, nrhs, static_cast<const T*>(A), lda,
                         static_cast<T*>(B), ldb, info);
    });
}

cusolverStatus_t cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t,
                                             cublasDiagType_t, int64_t, cudaDataType, void*,
                                             int64_t, SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo,
                                  cublasDiagType_t diag, int64_t n, cudaDataType type, void* A,
                                  int64_t lda, BUFFERS) {
    return with_types("cusolverDnXtrtri", type, true, [=](auto element, auto) {
        return run_trtri("cusolverDnXtrtri", handle, uplo, diag, n,
                         static_cast<decltype(element)*>(A), lda, info);
    });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(HANDLES, int64_t, int64_t, cudaDataType, const void*,
                                             int64_t, cudaDataType, const void*, cudaDataType,
                                             SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXgeqrf(HANDLES, int64_t m, int64_t n, cudaDataType type, void* A,
                                  int64_t lda, cudaDataType type_tau, void* tau,
                                  cudaDataType compute, BUFFERS) {
    const bool are_equal = type == type_tau && type == compute;
    return with_types("cusolverDnXgeqrf", type, are_equal, [=](auto element, auto) {
        using T = decltype(element);
        return run_geqrf("cusolverDnXgeqrf", handle, m, n, static_cast<T*>(A), lda,
                         static_cast<T*>(tau), info);
    });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(HANDLES, cusolverEigMode_t, cublasFillMode_t, int64_t,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, cudaDataType, SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXsyevd(HANDLES, cusolverEigMode_t job, cublasFillMode_t uplo, int64_t n,
                                  cudaDataType type, void* A, int64_t lda, cudaDataType type_w,
                                  void* W, cudaDataType compute, BUFFERS) {
    const bool are_equal = type_w == real_type(type) && type == compute;
    return with_types("cusolverDnXsyevd", type, are_equal, [=](auto element, auto real) {
        return run_syevd("cusolverDnXsyevd", handle, job, uplo, n,
                         static_cast<decltype(element)*>(A), lda, static_cast<decltype(real)*>(W),
                         info);
    });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(HANDLES, signed char, signed char, int64_t, int64_t,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             const void*, cudaDataType, const void*, int64_t,
                                             cudaDataType, const void*, int64_t, cudaDataType,
                                             SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXgesvd(HANDLES, signed char jobu, signed char jobvt, int64_t m,
                                  int64_t n, cudaDataType type, void* A, int64_t lda,
                                  cudaDataType type_s, void* S, cudaDataType type_u, void* U,
                                  int64_t ldu, cudaDataType type_vt, void* VT, int64_t ldvt,
                                  cudaDataType compute, BUFFERS) {
    const bool are_equal =
        type_s == real_type(type) && type == type_u && type == type_vt && type == compute;
    return with_types("cusolverDnXgesvd", type, are_equal, [=](auto element, auto real) {
        using T = decltype(element);
        return run_gesvd("cusolverDnXgesvd", handle, jobu, jobvt, m, n, static_cast<T*>(A), lda,
                         static_cast<decltype(real)*>(S), static_cast<T*>(U), ldu,
                         static_cast<T*>(VT), ldvt, info);
    });
}

cusolverStatus_t cusolverDnXgesvdp_bufferSize(HANDLES, cusolverEigMode_t, int, int64_t, int64_t,
                                              cudaDataType, const void*, int64_t, cudaDataType,
                                              const void*, cudaDataType, const void*, int64_t,
                                              cudaDataType, const void*, int64_t, cudaDataType,
                                              SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
// The polar decomposition of NVIDIA's algorithm can perturb the matrix; LAPACK's algorithm does not.
cusolverStatus_t cusolverDnXgesvdp(HANDLES, cusolverEigMode_t job, int econ, int64_t m, int64_t n,
                                   cudaDataType type, void* A, int64_t lda, cudaDataType type_s,
                                   void* S, cudaDataType type_u, void* U, int64_t ldu,
                                   cudaDataType type_v, void* V, int64_t ldv, cudaDataType compute,
                                   BUFFERS, double* perturbation) {
    const bool are_equal =
        type_s == real_type(type) && type == type_u && type == type_v && type == compute;
    return with_types("cusolverDnXgesvdp", type, are_equal, [=](auto element, auto real) {
        using T = decltype(element);
        const auto status = run_gesvdj("cusolverDnXgesvdp", handle, job, econ != 0, m, n,
                                       static_cast<T*>(A), lda, static_cast<decltype(real)*>(S),
                                       static_cast<T*>(U), ldu, static_cast<T*>(V), ldv, info);
        if (status == CUSOLVER_STATUS_SUCCESS && perturbation != nullptr) *perturbation = 0;
        return status;
    });
}

cusolverStatus_t cusolverDnXgesvdr_bufferSize(HANDLES, signed char, signed char, int64_t, int64_t,
                                              int64_t, int64_t, int64_t, cudaDataType, const void*,
                                              int64_t, cudaDataType, const void*, cudaDataType,
                                              const void*, int64_t, cudaDataType, const void*,
                                              int64_t, cudaDataType, SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXgesvdr(HANDLES, signed char jobu, signed char jobv, int64_t m,
                                   int64_t n, int64_t k, int64_t p, int64_t, cudaDataType type,
                                   void* A, int64_t lda, cudaDataType type_s, void* S,
                                   cudaDataType type_u, void* U, int64_t ldu, cudaDataType type_v,
                                   void* V, int64_t ldv, cudaDataType compute, BUFFERS) {
    const bool are_equal =
        type_s == real_type(type) && type == type_u && type == type_v && type == compute;
    return with_types("cusolverDnXgesvdr", type, are_equal, [=](auto element, auto real) {
        using T = decltype(element);
        return run_gesvdr("cusolverDnXgesvdr", handle, jobu, jobv, k, p, m, n,
                          static_cast<const T*>(A), lda, static_cast<decltype(real)*>(S),
                          static_cast<T*>(U), ldu, static_cast<T*>(V), ldv, info);
    });
}

cusolverStatus_t cusolverDnXgeev_bufferSize(HANDLES, cusolverEigMode_t, cusolverEigMode_t, int64_t,
                                            cudaDataType, const void*, int64_t, cudaDataType,
                                            const void*, cudaDataType, const void*, int64_t,
                                            cudaDataType, const void*, int64_t, cudaDataType,
                                            SIZES) {
    return return_sizes(__func__, handle, on_device, on_host);
}
cusolverStatus_t cusolverDnXgeev(HANDLES, cusolverEigMode_t jobvl, cusolverEigMode_t jobvr,
                                 int64_t n, cudaDataType type, void* A, int64_t lda,
                                 cudaDataType type_w, void* W, cudaDataType type_vl, void*, int64_t,
                                 cudaDataType type_vr, void* VR, int64_t ldvr, cudaDataType compute,
                                 BUFFERS) {
    const bool are_equal = type == type_vl && type == type_vr && type == compute &&
                           (type_w == type || type_w == complex_type(type));
    return with_types("cusolverDnXgeev", type, are_equal, [=](auto element, auto real) {
        using T = decltype(element);
        using Complex =
            std::conditional_t<std::is_same_v<decltype(real), float>, cuComplex, cuDoubleComplex>;
        const auto run = [=](auto* values) {
            return run_geev("cusolverDnXgeev", handle, jobvl, jobvr, n, static_cast<T*>(A), lda,
                            values, static_cast<T*>(VR), ldvr, info);
        };
        return type_w == type ? run(static_cast<T*>(W)) : run(static_cast<Complex*>(W));
    });
}
