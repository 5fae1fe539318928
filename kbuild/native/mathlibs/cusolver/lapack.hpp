// LAPACK's functions for all types, with the memory that they need. Each returns LAPACK's `info`.
#ifndef KBUILD_MATHLIBS_CUSOLVER_LAPACK_HPP
#define KBUILD_MATHLIBS_CUSOLVER_LAPACK_HPP

#include "cublas/blas.hpp"

#include <algorithm>
#include <vector>

extern "C" {
// Functions that cublas/blas.hpp does not declare. They have Fortran's types.
#define KBUILD_DECLARE_LAPACK(p, orth) \
    void LAPACK(p##potrf)(const char*, const blasint*, void*, const blasint*, blasint*); \
    void LAPACK(p##potrs)(const char*, const blasint*, const blasint*, const void*, \
                          const blasint*, void*, const blasint*, blasint*); \
    void LAPACK(p##potri)(const char*, const blasint*, void*, const blasint*, blasint*); \
    void LAPACK(p##trtri)(const char*, const char*, const blasint*, void*, const blasint*, \
                          blasint*); \
    void LAPACK(p##orth##gqr)(const blasint*, const blasint*, const blasint*, void*, \
                              const blasint*, const void*, void*, const blasint*, blasint*); \
    void LAPACK(p##orth##mqr)(const char*, const char*, const blasint*, const blasint*, \
                              const blasint*, const void*, const blasint*, const void*, void*, \
                              const blasint*, void*, const blasint*, blasint*);
#define KBUILD_DECLARE_REAL(p) \
    void LAPACK(p##syevd)(const char*, const char*, const blasint*, void*, const blasint*, void*, \
                          void*, const blasint*, blasint*, const blasint*, blasint*); \
    void LAPACK(p##sygvd)(const blasint*, const char*, const char*, const blasint*, void*, \
                          const blasint*, void*, const blasint*, void*, void*, const blasint*, \
                          blasint*, const blasint*, blasint*); \
    void LAPACK(p##gesvd)(const char*, const char*, const blasint*, const blasint*, void*, \
                          const blasint*, void*, void*, const blasint*, void*, const blasint*, \
                          void*, const blasint*, blasint*); \
    void LAPACK(p##geev)(const char*, const char*, const blasint*, void*, const blasint*, void*, \
                         void*, void*, const blasint*, void*, const blasint*, void*, \
                         const blasint*, blasint*);
#define KBUILD_DECLARE_COMPLEX(p) \
    void LAPACK(p##heevd)(const char*, const char*, const blasint*, void*, const blasint*, void*, \
                          void*, const blasint*, void*, const blasint*, blasint*, const blasint*, \
                          blasint*); \
    void LAPACK(p##hegvd)(const blasint*, const char*, const char*, const blasint*, void*, \
                          const blasint*, void*, const blasint*, void*, void*, const blasint*, \
                          void*, const blasint*, blasint*, const blasint*, blasint*); \
    void LAPACK(p##gesvd)(const char*, const char*, const blasint*, const blasint*, void*, \
                          const blasint*, void*, void*, const blasint*, void*, const blasint*, \
                          void*, const blasint*, void*, blasint*); \
    void LAPACK(p##geev)(const char*, const char*, const blasint*, void*, const blasint*, void*, \
                         void*, const blasint*, void*, const blasint*, void*, const blasint*, \
                         void*, blasint*);
KBUILD_DECLARE_LAPACK(s, or)
KBUILD_DECLARE_LAPACK(d, or)
KBUILD_DECLARE_LAPACK(c, un)
KBUILD_DECLARE_LAPACK(z, un)
KBUILD_DECLARE_REAL(s)
KBUILD_DECLARE_REAL(d)
KBUILD_DECLARE_COMPLEX(c)
KBUILD_DECLARE_COMPLEX(z)
#undef KBUILD_DECLARE_LAPACK
#undef KBUILD_DECLARE_REAL
#undef KBUILD_DECLARE_COMPLEX
}

namespace kbuild::mathlibs::lapack {

// Calls a function for the size of the memory that it needs, and then with this memory.
template <class T, class Function>
void with_memory(Function function) {
    T size = {};
    blasint count = -1;
    function(&size, &count);
    if constexpr (is_complex<T>)
        count = static_cast<blasint>(size.x);
    else
        count = static_cast<blasint>(size);
    std::vector<T> work(static_cast<std::size_t>(std::max<blasint>(1, count)));
    function(work.data(), &count);
}

// The same for functions with three kinds of memory.
template <class T, class R, class Function>
void with_memories(Function function) {
    T size = {};
    R real_size = {};
    blasint integer_size = 0, counts[3] = {-1, -1, -1};
    function(&size, counts, &real_size, counts + 1, &integer_size, counts + 2);
    if constexpr (is_complex<T>)
        counts[0] = static_cast<blasint>(size.x);
    else
        counts[0] = static_cast<blasint>(size);
    counts[1] = std::max<blasint>(1, static_cast<blasint>(real_size));
    counts[2] = std::max<blasint>(1, integer_size);
    std::vector<T> work(static_cast<std::size_t>(std::max<blasint>(1, counts[0])));
    std::vector<R> real_work(static_cast<std::size_t>(counts[1]));
    std::vector<blasint> integer_work(static_cast<std::size_t>(counts[2]));
    function(work.data(), counts, real_work.data(), counts + 1, integer_work.data(), counts + 2);
}

#define KBUILD_DEFINE_LAPACK(p, T, orth) \
    inline blasint getrf(blasint m, blasint n, T* A, blasint lda, blasint* pivots) { \
        blasint info = 0; \
        LAPACK(p##getrf)(&m, &n, A, &lda, pivots, &info); \
        return info; \
    } \
    inline blasint getrs(char trans, blasint n, blasint nrhs, const T* A, blasint lda, \
                         const blasint* pivots, T* B, blasint ldb) { \
        blasint info = 0; \
        LAPACK(p##getrs)(&trans, &n, &nrhs, A, &lda, pivots, B, &ldb, &info); \
        return info; \
    } \
    inline blasint potrf(const char* uplo, blasint n, T* A, blasint lda) { \
        blasint info = 0; \
        LAPACK(p##potrf)(uplo, &n, A, &lda, &info); \
        return info; \
    } \
    inline blasint potrs(const char* uplo, blasint n, blasint nrhs, const T* A, blasint lda, T* B, \
                         blasint ldb) { \
        blasint info = 0; \
        LAPACK(p##potrs)(uplo, &n, &nrhs, A, &lda, B, &ldb, &info); \
        return info; \
    } \
    inline blasint potri(const char* uplo, blasint n, T* A, blasint lda) { \
        blasint info = 0; \
        LAPACK(p##potri)(uplo, &n, A, &lda, &info); \
        return info; \
    } \
    inline blasint trtri(const char* uplo, const char* diag, blasint n, T* A, blasint lda) { \
        blasint info = 0; \
        LAPACK(p##trtri)(uplo, diag, &n, A, &lda, &info); \
        return info; \
    } \
    inline blasint geqrf(blasint m, blasint n, T* A, blasint lda, T* tau) { \
        blasint info = 0; \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##geqrf)(&m, &n, A, &lda, tau, work, size, &info); \
        }); \
        return info; \
    } \
    inline blasint orgqr(blasint m, blasint n, blasint k, T* A, blasint lda, const T* tau) { \
        blasint info = 0; \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##orth##gqr)(&m, &n, &k, A, &lda, tau, work, size, &info); \
        }); \
        return info; \
    } \
    inline blasint ormqr(const char* side, char trans, blasint m, blasint n, blasint k, \
                         const T* A, blasint lda, const T* tau, T* C, blasint ldc) { \
        blasint info = 0; \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##orth##mqr)(side, &trans, &m, &n, &k, A, &lda, tau, C, &ldc, work, size, \
                                 &info); \
        }); \
        return info; \
    }
#define KBUILD_DEFINE_REAL(p, T) \
    inline blasint syevd(const char* job, const char* uplo, blasint n, T* A, blasint lda, T* W) { \
        blasint info = 0; \
        with_memories<T, T>([&](T* work, const blasint* size, T*, const blasint*, blasint* own, \
                                const blasint* own_size) { \
            LAPACK(p##syevd)(job, uplo, &n, A, &lda, W, work, size, own, own_size, &info); \
        }); \
        return info; \
    } \
    inline blasint sygvd(blasint type, const char* job, const char* uplo, blasint n, T* A, \
                         blasint lda, T* B, blasint ldb, T* W) { \
        blasint info = 0; \
        with_memories<T, T>([&](T* work, const blasint* size, T*, const blasint*, blasint* own, \
                                const blasint* own_size) { \
            LAPACK(p##sygvd)(&type, job, uplo, &n, A, &lda, B, &ldb, W, work, size, own, own_size, \
                             &info); \
        }); \
        return info; \
    } \
    inline blasint gesvd(char jobu, char jobvt, blasint m, blasint n, T* A, blasint lda, T* S, \
                         T* U, blasint ldu, T* VT, blasint ldvt) { \
        blasint info = 0; \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##gesvd)(&jobu, &jobvt, &m, &n, A, &lda, S, U, &ldu, VT, &ldvt, work, size, \
                             &info); \
        }); \
        return info; \
    } \
    /* The real parts of eigenvalues, then the imaginary ones. */ \
    inline blasint geev(const char* job, blasint n, T* A, blasint lda, T* W, T* VR, \
                        blasint ldvr) { \
        blasint info = 0; \
        const blasint one = 1; \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##geev)("N", job, &n, A, &lda, W, W + n, nullptr, &one, VR, &ldvr, work, size, \
                            &info); \
        }); \
        return info; \
    }
#define KBUILD_DEFINE_COMPLEX(p, T, R) \
    inline blasint syevd(const char* job, const char* uplo, blasint n, T* A, blasint lda, R* W) { \
        blasint info = 0; \
        with_memories<T, R>([&](T* work, const blasint* size, R* real, const blasint* real_size, \
                                blasint* own, const blasint* own_size) { \
            LAPACK(p##heevd)(job, uplo, &n, A, &lda, W, work, size, real, real_size, own, \
                             own_size, &info); \
        }); \
        return info; \
    } \
    inline blasint sygvd(blasint type, const char* job, const char* uplo, blasint n, T* A, \
                         blasint lda, T* B, blasint ldb, R* W) { \
        blasint info = 0; \
        with_memories<T, R>([&](T* work, const blasint* size, R* real, const blasint* real_size, \
                                blasint* own, const blasint* own_size) { \
            LAPACK(p##hegvd)(&type, job, uplo, &n, A, &lda, B, &ldb, W, work, size, real, \
                             real_size, own, own_size, &info); \
        }); \
        return info; \
    } \
    inline blasint gesvd(char jobu, char jobvt, blasint m, blasint n, T* A, blasint lda, R* S, \
                         T* U, blasint ldu, T* VT, blasint ldvt) { \
        blasint info = 0; \
        std::vector<R> real(static_cast<std::size_t>(5 * std::max<blasint>(1, std::min(m, n)))); \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##gesvd)(&jobu, &jobvt, &m, &n, A, &lda, S, U, &ldu, VT, &ldvt, work, size, \
                             real.data(), &info); \
        }); \
        return info; \
    } \
    inline blasint geev(const char* job, blasint n, T* A, blasint lda, T* W, T* VR, \
                        blasint ldvr) { \
        blasint info = 0; \
        const blasint one = 1; \
        std::vector<R> real(static_cast<std::size_t>(2 * std::max<blasint>(1, n))); \
        with_memory<T>([&](T* work, const blasint* size) { \
            LAPACK(p##geev)("N", job, &n, A, &lda, W, nullptr, &one, VR, &ldvr, work, size, \
                            real.data(), &info); \
        }); \
        return info; \
    }
KBUILD_DEFINE_LAPACK(s, float, or)
KBUILD_DEFINE_LAPACK(d, double, or)
KBUILD_DEFINE_LAPACK(c, cuComplex, un)
KBUILD_DEFINE_LAPACK(z, cuDoubleComplex, un)
KBUILD_DEFINE_REAL(s, float)
KBUILD_DEFINE_REAL(d, double)
KBUILD_DEFINE_COMPLEX(c, cuComplex, float)
KBUILD_DEFINE_COMPLEX(z, cuDoubleComplex, double)
#undef KBUILD_DEFINE_LAPACK
#undef KBUILD_DEFINE_REAL
#undef KBUILD_DEFINE_COMPLEX

}  // namespace kbuild::mathlibs::lapack

#endif
