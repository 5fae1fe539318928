/* The instructions of tensor cores: ldmatrix and mma.sync.
 *
 * Source of the layouts: PTX ISA, sections "ldmatrix" and "Matrix fragments for mma". Of lane 4 * g + t, register r
 * of A has elements of row g + 8 * (r % (M / 8)), from column E * t + 4 * E * (r / (M / 8)) on, where E elements are
 * in a register. Register r of B has elements of column g, from row E * t + 4 * E * r on. Elements 2 * r and
 * 2 * r + 1 of C and D are those of row g + 8 * r, from column 2 * t on. */
#ifndef KBUILD_CPU_PTX_MATRICES_H
#define KBUILD_CPU_PTX_MATRICES_H

#include "../small_floats/formats.h"
#include "../warp.h"
#include "addresses.h"

#pragma GCC system_header

namespace kbuild_cpu::ptx {

/* The types of elements: how many are in a register, and what each one is. */
struct f16 {
    using word = kbuild_uint32;
    using number = float;
    static constexpr int per_register = 2;
    static number read(word __word, int __i) {
        return kbuild_small::half_format::widen(static_cast<kbuild_uint16>(__word >> 16 * __i));
    }
    static void write(word &__word, int __i, number __x) {
        __word |= static_cast<word>(kbuild_small::half_format::round(__x)) << 16 * __i;
    }
};
struct bf16 {
    using word = kbuild_uint32;
    using number = float;
    static constexpr int per_register = 2;
    static number read(word __word, int __i) {
        return kbuild_small::bfloat16_format::widen(static_cast<kbuild_uint16>(__word >> 16 * __i));
    }
};
/* The sums: one element per register. */
template <class __T, class __Word>
struct scalar {
    using word = __Word;
    using number = __T;
    static constexpr int per_register = 1;
    static number read(word __word, int) { return __builtin_bit_cast(number, __word); }
    static void write(word &__word, int, number __x) { __word = __builtin_bit_cast(word, __x); }
};
using f32 = scalar<float, kbuild_uint32>;
using s32 = scalar<kbuild_int32, kbuild_uint32>;
using f64 = scalar<double, kbuild_uint64>;
/* Tensor cores ignore the other bits of a float. */
struct tf32 : f32 {
    static number read(word __word, int __i) { return f32::read(__word & ~0x1FFFu, __i); }
};
template <class __T>
struct byte {
    using word = kbuild_uint32;
    using number = kbuild_int32;
    static constexpr int per_register = 4;
    static number read(word __word, int __i) { return static_cast<__T>(__word >> 8 * __i); }
};
using s8 = byte<kbuild_int8>;
using u8 = byte<kbuild_uint8>;

/* Reads the registers behind the first operands. */
template <int __Skipped, int __Count, class __Word>
__device__ inline void read_registers(__Word *) {}
template <int __Skipped, int __Count, class __Word, class __T, class... __Rest>
__device__ inline void read_registers(__Word *__to, const __T &__operand, const __Rest &...__rest) {
    if constexpr (__Skipped > 0) {
        read_registers<__Skipped - 1, __Count>(__to, __rest...);
    } else if constexpr (__Count > 0) {
        static_assert(sizeof(__T) == sizeof(__Word), "kbuild: an operand of mma has another size");
        *__to = __builtin_bit_cast(__Word, __operand);
        read_registers<0, __Count - 1>(__to + 1, __rest...);
    }
}
/* Writes the first operands. */
template <int __Count, class __Word, class __T, class... __Rest>
__device__ inline void write_registers(const __Word *__from, __T &__operand, __Rest &...__rest) {
    static_assert(sizeof(__T) == sizeof(__Word), "kbuild: a result has another size");
    __operand = __builtin_bit_cast(__T, *__from);
    if constexpr (__Count > 1) write_registers<__Count - 1>(__from + 1, __rest...);
}

/* Waits for all lanes, which have to be in the warp. */
__device__ inline const kbuild_cpu_lanes &meet(kbuild_cpu_call __call, kbuild_uint64 __value) {
    const auto &__lanes = exchange(__call, 0xFFFFFFFF, __value);
    if (static_cast<kbuild_uint32>(__lanes.arrived) != 0xFFFFFFFF)
        fail_call(__call, "not all lanes of the warp call it");
    return __lanes;
}

/* Copies the registers of some neighboring lanes.  A word has one register of 64 bits, or two of 32 bits. */
template <int __Registers, int __Lanes, class __Word>
__device__ inline void gather(kbuild_cpu_call __call, const __Word *__own, unsigned __first,
                              __Word (*__to)[__Registers]) {
    constexpr int __per_word = 8 / sizeof(__Word);
    for (int __r = 0; __r < __Registers; __r += __per_word) {
        kbuild_uint64 __word = __own[__r];
        if constexpr (__per_word == 2)
            if (__r + 1 < __Registers) __word |= kbuild_uint64{__own[__r + 1]} << 32;
        const auto &__lanes = meet(__call, __word);
        for (int __i = 0; __i < __Lanes; ++__i) {
            const kbuild_uint64 __value = __lanes.values[__first + static_cast<unsigned>(__i)];
            __to[__i][__r] = static_cast<__Word>(__value);
            if constexpr (__per_word == 2)
                if (__r + 1 < __Registers) __to[__i][__r + 1] = static_cast<__Word>(__value >> 32);
        }
    }
}

/* Adds a product to a sum.  Integers wrap around. */
template <class __Number>
__device__ inline __Number add_product(__Number __sum, __Number __a, __Number __b) {
    if constexpr (is_same_v<__Number, kbuild_int32>)
        return static_cast<kbuild_int32>(static_cast<kbuild_uint32>(__sum) +
                                         static_cast<kbuild_uint32>(__a * __b));
    else
        return __sum + __a * __b;
}

/* D = A * B + C.  Each lane adds its products in the order of k. */
template <int __M, int __N, int __K, class __D, class __A, class __B, class __C, bool __Saturates,
          class... __Operands>
__device__ inline void multiply_add(kbuild_cpu_call __call, __Operands &...__operands) {
    constexpr int __halves = __M / 8, __elements = __A::per_register;
    constexpr int __in_a = __M * __K / 32 / __elements, __in_b = __N * __K / 32 / __elements;
    constexpr int __in_c = __M * __N / 32 / __C::per_register,
                  __in_d = __M * __N / 32 / __D::per_register;
    static_assert(sizeof...(__operands) == __in_d + __in_a + __in_b + __in_c,
                  "kbuild: mma has another number of operands");
    using __Word = typename __A::word;
    using __Number = typename __C::number;
    __Word __own_a[__in_a], __own_b[__in_b], __a[4][__in_a], __b[8][__in_b];
    typename __C::word __c[__in_c];
    read_registers<__in_d, __in_a>(__own_a, __operands...);
    read_registers<__in_d + __in_a, __in_b>(__own_b, __operands...);
    read_registers<__in_d + __in_a + __in_b, __in_c>(__c, __operands...);

    const unsigned __lane = thread_number() % 32;
    gather<__in_a, 4>(__call, __own_a, __lane & ~3u, __a);
    gather<__in_b, 8>(__call, __own_b, __lane % 4 * 8, __b);

    typename __D::word __d[__in_d] = {};
    for (int __i = 0; __i < 2 * __halves; ++__i) {
        const int __half = __i / 2, __column = __i % 2;
        const __Number __start = __C::read(__c[__i / __C::per_register], __i % __C::per_register);
        __Number __sum = __Saturates ? __Number{} : __start;
        for (int __k = 0; __k < __K; ++__k) {
            const int __r = __k / (4 * __elements), __t = __k / __elements % 4;
            __sum = add_product<__Number>(
                __sum, __A::read(__a[__t][__r * __halves + __half], __k % __elements),
                __B::read(__b[4 * __column + __t][__r], __k % __elements));
        }
        if constexpr (__Saturates) {
            constexpr kbuild_int64 __most = 0x7FFFFFFF;
            const kbuild_int64 __exact = kbuild_int64{__start} + __sum;
            __sum = static_cast<kbuild_int32>(__exact > __most        ? __most
                                              : __exact < -__most - 1 ? -__most - 1
                                                                      : __exact);
        }
        __D::write(__d[__i / __D::per_register], __i % __D::per_register, __sum);
    }
    write_registers<__in_d>(__d, __operands...);
}

template <int __Skipped, class __T, class... __Rest>
__device__ inline auto &find_operand(__T &__operand, __Rest &...__rest) {
    if constexpr (__Skipped == 0)
        return __operand;
    else
        return find_operand<__Skipped - 1>(__rest...);
}

/* Loads rows of 16 bytes.  Lane 8 * i + r has the address of row r of matrix i.  A lane gets two neighbors of a
 * row, or of a column.  No lane changes the memory before all lanes have read it.  Checks report the line of the
 * statement, into which this is inlined. */
template <int __Count, bool __IsTransposed, class... __Operands>
__attribute__((always_inline)) __device__ inline void load_matrices(kbuild_cpu_call __call,
                                                                    __Operands &...__operands) {
    static_assert(sizeof...(__operands) == __Count + 1,
                  "kbuild: ldmatrix has another number of operands");
    typedef kbuild_uint16 __attribute__((may_alias)) __element;
    const auto &__lanes =
        meet(__call, static_cast<kbuild_uint32>(to_address(find_operand<__Count>(__operands...))));
    kbuild_uint32 __rows[__Count][2], __registers[__Count] = {};
    const unsigned __lane = thread_number() % 32, __g = __lane / 4, __t = __lane % 4;
    for (unsigned __i = 0; __i < __Count; ++__i)
        for (unsigned __j = 0; __j < 2; ++__j)
            __rows[__i][__j] = static_cast<kbuild_uint32>(
                __lanes.values[8 * __i + (__IsTransposed ? 2 * __t + __j : __g)]);
    for (unsigned __i = 0; __i < __Count; ++__i)
        for (unsigned __j = 0; __j < 2; ++__j) {
            const kbuild_uintptr __memory = from_shared(__rows[__i][__j], __call.function);
            if (__memory % 16 != 0)
                fail_call(__call, "the address of a row is not a multiple of 16 bytes");
            const auto *const __elements = reinterpret_cast<const __element *>(__memory);
            __registers[__i] |= kbuild_uint32{__elements[__IsTransposed ? __g : 2 * __t + __j]}
                                << 16 * __j;
        }
    meet(__call, 0);
    write_registers<__Count>(__registers, __operands...);
}

}  // namespace kbuild_cpu::ptx

#endif
