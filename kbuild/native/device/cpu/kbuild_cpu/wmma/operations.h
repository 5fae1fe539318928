/* The functions of wmma. */
#ifndef KBUILD_CPU_WMMA_OPERATIONS_H
#define KBUILD_CPU_WMMA_OPERATIONS_H

#include "../warp.h"
#include "fragments.h"

#include <stdint.h>
#include <string.h>

#pragma GCC system_header
#pragma GCC visibility push(hidden)

namespace kbuild_cpu {

/* The type in which products are added. */
template <class __T>
using sum_type = std::conditional_t<std::is_same_v<__T, __half>, float, __T>;

inline float to_number(__half __x) { return __half2float(__x); }
inline float to_number(__nv_bfloat16 __x) { return __bfloat162float(__x); }
template <class __T>
__T to_number(__T __x) {
    return __x;
}

/* A factor of a product.  Tensor cores ignore the bits of a float that TF32 does not have. */
template <class __T, class __Stored>
auto to_factor(__Stored __x) {
    if constexpr (std::is_same_v<__T, nvcuda::wmma::precision::tf32>) {
        uint32_t __bits;
        memcpy(&__bits, &__x, sizeof __bits);
        __bits &= ~0x1FFFu;
        memcpy(&__x, &__bits, sizeof __bits);
    }
    return to_number(__x);
}

template <class __T, class __Sum>
__T from_sum(__Sum __sum) {
    if constexpr (std::is_same_v<__T, __half>)
        return __float2half(static_cast<float>(__sum));
    else
        return static_cast<__T>(__sum);
}

/* Integers become the nearest representable number if they saturate. */
inline int saturate(long long __x) {
    constexpr long long __most = 0x7FFFFFFF;
    return static_cast<int>(__x > __most ? __most : __x < -__most - 1 ? -__most - 1 : __x);
}

/* Sums of neighboring columns, in a vector register.  Integers wrap around. */
template <class __Sum, int __Columns>
struct sums {
    using number = std::conditional_t<std::is_same_v<__Sum, int>, unsigned, __Sum>;
    typedef number __attribute__((vector_size(__Columns * sizeof(number)))) row;
    /* Arrays are not aligned like vectors.  With memcpy, gcc would keep vectors in memory. */
    typedef number __attribute__((vector_size(__Columns * sizeof(number)), aligned(alignof(number)),
                                  may_alias)) row_in_memory;

    static const row_in_memory &read(const void *__from) {
        return *static_cast<const row_in_memory *>(__from);
    }
    static void write(void *__to, const row &__row) { *static_cast<row_in_memory *>(__to) = __row; }
};

/* Converts neighbors in a row of a matrix. */
template <class __T, int __Count, class __Term, class __Stored>
void to_factors(__Term *__to, const __Stored *__from) {
#if defined(__F16C__) || defined(KBUILD_CPU_F16C)
    /* gcc 12 converts one number at a time. */
    if constexpr (std::is_same_v<__T, __half> && __Count % 8 == 0) {
        typedef short __Halves __attribute__((vector_size(16)));
        typedef float __Floats __attribute__((vector_size(32)));
        for (int __i = 0; __i < __Count; __i += 8) {
            __Halves __halves;
            memcpy(&__halves, __from + __i, sizeof __halves);
            const __Floats __floats = __builtin_ia32_vcvtph2ps256(__halves);
            memcpy(__to + __i, &__floats, sizeof __floats);
        }
        return;
    }
#endif
    for (int __i = 0; __i < __Count; ++__i)
        __to[__i] = static_cast<__Term>(to_factor<__T>(__from[__i]));
}

#if defined(__clang__)
#define KBUILD_CPU_SHUFFLE(vector, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define KBUILD_CPU_SHUFFLE(vector, a, b, ...) __builtin_shuffle(a, b, vector{__VA_ARGS__})
#endif

/* Eight numbers of 16 bits in a vector register. */
struct eight {
    typedef uint16_t __attribute__((vector_size(16))) vector;

    static vector interleave_first(vector __a, vector __b) {
        return KBUILD_CPU_SHUFFLE(vector, __a, __b, 0, 8, 1, 9, 2, 10, 3, 11);
    }
    static vector interleave_last(vector __a, vector __b) {
        return KBUILD_CPU_SHUFFLE(vector, __a, __b, 4, 12, 5, 13, 6, 14, 7, 15);
    }

    /* Reads rows that are `__stride` numbers apart, and writes their columns one after another. */
    static void transpose(void *__to, const void *__from, size_t __stride) {
        vector __rows[8], __next[8];
        for (size_t __i = 0; __i < 8; ++__i)
            memcpy(&__rows[__i], static_cast<const uint16_t *>(__from) + __i * __stride,
                   sizeof(vector));
        for (int __round = 0; __round < 3; ++__round) {
            for (int __i = 0; __i < 4; ++__i) {
                __next[2 * __i] = interleave_first(__rows[__i], __rows[__i + 4]);
                __next[2 * __i + 1] = interleave_last(__rows[__i], __rows[__i + 4]);
            }
            memcpy(__rows, __next, sizeof __rows);
        }
        /* Row by row, so that gcc needs no copy of the array in memory. */
        for (int __i = 0; __i < 8; ++__i)
            memcpy(static_cast<uint16_t *>(__to) + 8 * __i, &__rows[__i], sizeof(vector));
    }
};

#undef KBUILD_CPU_SHUFFLE

/* Returns the index of an element of a matrix in memory. */
inline size_t index_of(int __row, int __column, unsigned __stride, bool __is_row_major) {
    const auto __i = static_cast<size_t>(__row), __j = static_cast<size_t>(__column);
    return __is_row_major ? __i * __stride + __j : __j * __stride + __i;
}

/* Reads `__Rows` rows of `__Columns` neighbors.  Rows are contiguous in memory, or columns are. */
template <int __Rows, int __Columns, class __T>
void read_block(__T *__to, const __T *__from, unsigned __stride, bool __is_row_major) {
    if (__is_row_major) {
        for (int __i = 0; __i < __Rows; ++__i)
            memcpy(__to + __i * __Columns, __from + index_of(__i, 0, __stride, true),
                   __Columns * sizeof(__T));
        return;
    }
    if constexpr (__Columns == 8 && __Rows % 8 == 0 && sizeof(__T) == 2) {
        for (int __i = 0; __i < __Rows; __i += 8)
            eight::transpose(__to + __i * __Columns, __from + __i, __stride);
    } else {
        for (int __i = 0; __i < __Rows; ++__i)
            for (int __j = 0; __j < __Columns; ++__j)
                __to[__i * __Columns + __j] = __from[index_of(__i, __j, __stride, false)];
    }
}

/* Adds the products of a row of A and columns of B to the sums, one after another. */
template <class __A, class __B, int __K, int __Columns, class __Sum, class __StoredA,
          class __StoredB>
void add_products(typename sums<__Sum, __Columns>::row &__sums, const __StoredA *__a,
                  const __StoredB *__b) {
    using __Sums = sums<__Sum, __Columns>;
    typename __Sums::number __factors[__K], __terms[__Columns];
    to_factors<__A, __K>(__factors, __a);
    /* Each step waits for the one before, so that a processor needs the steps of several calls at
     * the same time. */
#pragma GCC unroll 16
    for (int __k = 0; __k < __K; ++__k) {
        to_factors<__B, __Columns>(__terms, __b + __k * __Columns);
        __sums += __factors[__k] * __Sums::read(__terms);
    }
}

inline int lane_number() { return static_cast<int>(thread_number() % 32); }

/* The elements of a lane. */
template <int __M, int __N, int __K, class __T, class __Layout>
void load_part(int __lane,
               nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, __M, __N, __K, __T, __Layout> &__a,
               const typename stored_type<__T>::type *__from, unsigned __stride,
               nvcuda::wmma::layout_t = {}) {
    constexpr bool __is_row_major = std::is_same_v<__Layout, nvcuda::wmma::row_major>;
    read_block<1, __K>(__a.x,
                       __from + index_of(tile<__M, __N>(__lane).row, 0, __stride, __is_row_major),
                       __stride, __is_row_major);
}
template <int __M, int __N, int __K, class __T, class __Layout>
void load_part(int __lane,
               nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, __M, __N, __K, __T, __Layout> &__b,
               const typename stored_type<__T>::type *__from, unsigned __stride,
               nvcuda::wmma::layout_t = {}) {
    using __Tile = tile<__M, __N>;
    constexpr bool __is_row_major = std::is_same_v<__Layout, nvcuda::wmma::row_major>;
    read_block<__K, __Tile::columns>(
        __b.x, __from + index_of(0, __Tile(__lane).column, __stride, __is_row_major), __stride,
        __is_row_major);
}
template <int __M, int __N, int __K, class __T>
void load_part(int __lane,
               nvcuda::wmma::fragment<nvcuda::wmma::accumulator, __M, __N, __K, __T> &__c,
               const __T *__from, unsigned __stride, nvcuda::wmma::layout_t __layout) {
    using __Tile = tile<__M, __N>;
    const __Tile __at(__lane);
    const bool __is_row_major = __layout == nvcuda::wmma::mem_row_major;
    read_block<1, __Tile::columns>(
        __c.x, __from + index_of(__at.row, __at.column, __stride, __is_row_major), __stride,
        __is_row_major);
}
template <int __M, int __N, int __K, class __T>
void store_part(int __lane, __T *__to,
                const nvcuda::wmma::fragment<nvcuda::wmma::accumulator, __M, __N, __K, __T> &__c,
                unsigned __stride, nvcuda::wmma::layout_t __layout) {
    using __Tile = tile<__M, __N>;
    const __Tile __at(__lane);
    const bool __is_row_major = __layout == nvcuda::wmma::mem_row_major;
    for (int __j = 0; __j < __Tile::columns; ++__j)
        __to[index_of(__at.row, __at.column + __j, __stride, __is_row_major)] = __c.x[__j];
}

}  // namespace kbuild_cpu

namespace nvcuda {
namespace wmma {

/* Rounds to the nearest number of TF32, and to the larger one of two. */
inline float __float_to_tf32(float __x) {
    uint32_t __bits;
    memcpy(&__bits, &__x, sizeof __bits);
    if ((__bits & 0x7F800000u) != 0x7F800000u) __bits = (__bits + 0x1000u) & ~0x1FFFu;
    memcpy(&__x, &__bits, sizeof __bits);
    return __x;
}

template <class __Use, int __M, int __N, int __K, class __T, class __Layout>
void fill_fragment(fragment<__Use, __M, __N, __K, __T, __Layout> &__fragment,
                   const typename kbuild_cpu::stored_type<__T>::type &__value) {
    for (auto &__x : __fragment.x) __x = __value;
}

/* The lanes of a warp wait for each other, and then each one transfers its own elements. */
template <class __Use, int __M, int __N, int __K, class __T, class __Layout>
void KBUILD_WARP_FUNCTION
load_matrix_sync(fragment<__Use, __M, __N, __K, __T, __Layout> &__to,
                 const typename kbuild_cpu::stored_type<__T>::type *__from, unsigned __stride,
                 KBUILD_CPU_CALLER) {
    static_assert(!std::is_same_v<__Use, accumulator>, "kbuild: the layout is missing");
    __syncwarp(0xFFFFFFFF, __file, __line);
    kbuild_cpu::load_part(kbuild_cpu::lane_number(), __to, __from, __stride);
}
template <int __M, int __N, int __K, class __T>
void KBUILD_WARP_FUNCTION load_matrix_sync(fragment<accumulator, __M, __N, __K, __T> &__to,
                                           const __T *__from, unsigned __stride, layout_t __layout,
                                           KBUILD_CPU_CALLER) {
    __syncwarp(0xFFFFFFFF, __file, __line);
    kbuild_cpu::load_part(kbuild_cpu::lane_number(), __to, __from, __stride, __layout);
}
template <int __M, int __N, int __K, class __T>
void KBUILD_WARP_FUNCTION store_matrix_sync(__T *__to,
                                            const fragment<accumulator, __M, __N, __K, __T> &__c,
                                            unsigned __stride, layout_t __layout,
                                            KBUILD_CPU_CALLER) {
    __syncwarp(0xFFFFFFFF, __file, __line);
    kbuild_cpu::store_part(kbuild_cpu::lane_number(), __to, __c, __stride, __layout);
}

/* Lanes exchange nothing, and so do not wait.  `__saturates` is for integers. */
template <int __M, int __N, int __K, class __D, class __A, class __B, class __C, class __LayoutA,
          class __LayoutB>
void KBUILD_NEEDS_BLOCK mma_sync(fragment<accumulator, __M, __N, __K, __D> &__d,
                                 const fragment<matrix_a, __M, __N, __K, __A, __LayoutA> &__a,
                                 const fragment<matrix_b, __M, __N, __K, __B, __LayoutB> &__b,
                                 const fragment<accumulator, __M, __N, __K, __C> &__c,
                                 bool __saturates = false) {
    static_assert(std::is_same_v<__A, __B>, "kbuild: the factors have different types");
    static_assert(std::is_integral_v<__A> == std::is_same_v<__C, int> &&
                      std::is_same_v<__C, int> == std::is_same_v<__D, int> &&
                      std::is_same_v<__A, double> == std::is_same_v<__C, double> &&
                      std::is_same_v<__C, double> == std::is_same_v<__D, double> &&
                      (std::is_same_v<__A, __half> ||
                       (!std::is_same_v<__C, __half> && !std::is_same_v<__D, __half>)),
                  "kbuild: wmma cannot add products of this type to this accumulator");
    constexpr int __columns = kbuild_cpu::tile<__M, __N>::columns;
    using __Sum = kbuild_cpu::sum_type<__D>;
    using __Sums = kbuild_cpu::sums<__Sum, __columns>;
    __Sum __numbers[__columns];
    typename __Sums::row __row = {};
    if constexpr (std::is_same_v<__C, __Sum> && !std::is_same_v<__D, int>) {
        __row = __Sums::read(__c.x);
    } else if constexpr (!std::is_same_v<__D, int>) {
        for (int __j = 0; __j < __columns; ++__j)
            __numbers[__j] = kbuild_cpu::to_number(__c.x[__j]);
        __row = __Sums::read(__numbers);
    }
    kbuild_cpu::add_products<__A, __B, __K, __columns, __Sum>(__row, __a.x, __b.x);
    if constexpr (std::is_same_v<__D, int>) {
        if (!__saturates) {
            __Sums::write(__d.x, __row + __Sums::read(__c.x));
            return;
        }
        __Sums::write(__numbers, __row);
        for (int __j = 0; __j < __columns; ++__j)
            __d.x[__j] = kbuild_cpu::saturate(static_cast<long long>(__c.x[__j]) + __numbers[__j]);
    } else if constexpr (std::is_same_v<__D, __Sum>) {
        __Sums::write(__d.x, __row);
    } else {
        __Sums::write(__numbers, __row);
        for (int __j = 0; __j < __columns; ++__j)
            __d.x[__j] = kbuild_cpu::from_sum<__D>(__numbers[__j]);
    }
}

}  // namespace wmma
}  // namespace nvcuda

#pragma GCC visibility pop
#endif
