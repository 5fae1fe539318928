/* The fragments of wmma.
 *
 * A lane computes a part of one row of the result: see `kbuild_cpu::tile`.  Its fragment of A is the
 * row of A that this takes, and its fragment of B is the columns of B.  Therefore lanes exchange
 * nothing.  Several lanes hold the same elements of A and B, as they do on some GPUs.  Each element
 * of an accumulator belongs to one lane. */
#ifndef KBUILD_CPU_WMMA_FRAGMENTS_H
#define KBUILD_CPU_WMMA_FRAGMENTS_H

#include <type_traits>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

namespace experimental {
namespace precision {
#define KBUILD_CPU_NO_PRECISION(name) \
    struct __attribute__(( \
        unavailable("kbuild: the cpu backend does not support wmma with " #name))) name;
KBUILD_CPU_NO_PRECISION(u4)
KBUILD_CPU_NO_PRECISION(s4)
KBUILD_CPU_NO_PRECISION(b1)
#undef KBUILD_CPU_NO_PRECISION
}  // namespace precision
}  // namespace experimental

}  // namespace wmma
}  // namespace nvcuda

namespace kbuild_cpu {

/* The part of the result that a lane computes: `columns` neighbors in one row. */
template <int __M, int __N>
struct tile {
    static constexpr int columns = __M * __N / 32;
    static constexpr int lanes_per_row = __N / columns;

    int row, column;
    explicit tile(int __lane)
        : row(__lane / lanes_per_row), column(__lane % lanes_per_row * columns) {}
};

template <class __T>
struct stored_type {
    using type = __T;
};
template <>
struct stored_type<nvcuda::wmma::precision::tf32> {
    using type = float;
};

template <int __M, int __N, int __K>
constexpr bool has_shape(int __m, int __n, int __k) {
    return __M == __m && __N == __n && __K == __k;
}

/* Whether there are fragments of A and B, or accumulators, of this type and shape. */
template <class __T, int __M, int __N, int __K>
constexpr bool has_factors() {
    constexpr bool __is_usual = has_shape<__M, __N, __K>(16, 16, 16) ||
                                has_shape<__M, __N, __K>(32, 8, 16) ||
                                has_shape<__M, __N, __K>(8, 32, 16);
    if (std::is_same_v<__T, double>) return has_shape<__M, __N, __K>(8, 8, 4);
    if (std::is_same_v<__T, nvcuda::wmma::precision::tf32>)
        return has_shape<__M, __N, __K>(16, 16, 8);
    return __is_usual && (std::is_same_v<__T, __half> || std::is_same_v<__T, __nv_bfloat16> ||
                          std::is_same_v<__T, signed char> || std::is_same_v<__T, unsigned char>);
}
template <class __T, int __M, int __N, int __K>
constexpr bool has_accumulator() {
    if (std::is_same_v<__T, double>) return has_factors<double, __M, __N, __K>();
    if (std::is_same_v<__T, int>) return has_factors<signed char, __M, __N, __K>();
    return (std::is_same_v<__T, float> && has_shape<__M, __N, __K>(16, 16, 8)) ||
           ((std::is_same_v<__T, float> || std::is_same_v<__T, __half>) &&
            has_factors<__half, __M, __N, __K>());
}

template <class __T, int __Count>
struct fragment_elements {
    using element_type = __T;
    using storage_element_type = typename stored_type<__T>::type;
    static constexpr int num_elements = __Count;
    static constexpr int num_storage_elements = __Count;

    alignas(8) storage_element_type x[__Count];
};

}  // namespace kbuild_cpu

namespace nvcuda {
namespace wmma {

template <class __Use, int __M, int __N, int __K, class __T, class __Layout = void>
class fragment;

template <int __M, int __N, int __K, class __T, class __Layout>
class fragment<matrix_a, __M, __N, __K, __T, __Layout>
    : public kbuild_cpu::fragment_elements<__T, __K> {
    static_assert(kbuild_cpu::has_factors<__T, __M, __N, __K>(),
                  "kbuild: wmma has no matrix_a of this type and shape");
};

/* Element `k * columns + j` is in row k. */
template <int __M, int __N, int __K, class __T, class __Layout>
class fragment<matrix_b, __M, __N, __K, __T, __Layout>
    : public kbuild_cpu::fragment_elements<__T, __K * kbuild_cpu::tile<__M, __N>::columns> {
    static_assert(kbuild_cpu::has_factors<__T, __M, __N, __K>(),
                  "kbuild: wmma has no matrix_b of this type and shape");
};

template <int __M, int __N, int __K, class __T>
class fragment<accumulator, __M, __N, __K, __T, void>
    : public kbuild_cpu::fragment_elements<__T, kbuild_cpu::tile<__M, __N>::columns> {
    static_assert(kbuild_cpu::has_accumulator<__T, __M, __N, __K>(),
                  "kbuild: wmma has no accumulator of this type and shape");
};

}  // namespace wmma
}  // namespace nvcuda

#pragma GCC visibility pop
#endif
