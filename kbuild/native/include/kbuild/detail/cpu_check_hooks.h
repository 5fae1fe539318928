/* What compilers call in instrumented device code.  The adapter unit of such an image includes this header
 * once.  All functions are hidden: a host program under a sanitizer has others with the same names. */
#ifndef KBUILD_DETAIL_CPU_CHECK_HOOKS_H
#define KBUILD_DETAIL_CPU_CHECK_HOOKS_H

#include <kbuild/detail/cpu_checks.h>
#include <kbuild/detail/cpu_device_api.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KBUILD_CPU_HOOK extern "C" __attribute__((visibility("hidden"), used))
#define KBUILD_CPU_SITE __builtin_return_address(0)

/* A copy, so that a hook is one jump; see `attach`. */
extern "C" __attribute__((visibility("hidden"))) struct kbuild_cpu_checks kbuild_cpu_check_table;

namespace {

inline const struct kbuild_cpu_checks &checks() { return kbuild_cpu_check_table; }

}  // namespace

/* Ordinary accesses. */
#define KBUILD_CPU_ACCESS(bytes, index) \
    KBUILD_CPU_HOOK void __tsan_read##bytes(void *address) { \
        checks().read[index](address, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_write##bytes(void *address) { \
        checks().write[index](address, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_unaligned_read##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_READS, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_unaligned_write##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_WRITES, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_volatile_read##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_READS | KBUILD_CPU_VOLATILE, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_volatile_write##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_WRITES | KBUILD_CPU_VOLATILE, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_unaligned_volatile_read##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_READS | KBUILD_CPU_VOLATILE, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_unaligned_volatile_write##bytes(void *address) { \
        checks().access(address, bytes, KBUILD_CPU_WRITES | KBUILD_CPU_VOLATILE, KBUILD_CPU_SITE); \
    } \
    KBUILD_CPU_HOOK void __tsan_read_write##bytes(void *address) { \
        checks().write[index](address, KBUILD_CPU_SITE); \
    }

KBUILD_CPU_ACCESS(1, 0)
KBUILD_CPU_ACCESS(2, 1)
KBUILD_CPU_ACCESS(4, 2)
KBUILD_CPU_ACCESS(8, 3)
KBUILD_CPU_ACCESS(16, 4)
#undef KBUILD_CPU_ACCESS

KBUILD_CPU_HOOK void __tsan_read_range(void *address, size_t bytes) {
    checks().access(address, bytes, KBUILD_CPU_READS, KBUILD_CPU_SITE);
}
KBUILD_CPU_HOOK void __tsan_write_range(void *address, size_t bytes) {
    checks().access(address, bytes, KBUILD_CPU_WRITES, KBUILD_CPU_SITE);
}
KBUILD_CPU_HOOK void __tsan_vptr_update(void **address, void *) {
    checks().write[3](address, KBUILD_CPU_SITE);
}
KBUILD_CPU_HOOK void __tsan_vptr_read(void **address) {
    checks().read[3](address, KBUILD_CPU_SITE);
}
KBUILD_CPU_HOOK void __tsan_init(void) {}
KBUILD_CPU_HOOK void __tsan_func_entry(void *) {}
KBUILD_CPU_HOOK void __tsan_func_exit(void) {}

/* Atomic accesses.  The orders have the numbers of __ATOMIC_RELAXED and so on.  They take longer to compile than
 * all other hooks, so that an adapter defines the macro only if its device code needs them. */
#ifdef KBUILD_CPU_ATOMIC_HOOKS
namespace {

constexpr unsigned reads = KBUILD_CPU_READS | KBUILD_CPU_ATOMIC;
constexpr unsigned writes = KBUILD_CPU_WRITES | KBUILD_CPU_ATOMIC;
constexpr unsigned takes = reads | writes | KBUILD_CPU_TAKES;

inline unsigned order_of(int order) {
    const bool acquires = order == __ATOMIC_ACQUIRE || order == __ATOMIC_CONSUME ||
                          order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
    const bool releases =
        order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
    return (acquires ? KBUILD_CPU_ACQUIRES : 0u) | (releases ? KBUILD_CPU_RELEASES : 0u);
}

inline void note_atomic(const volatile void *address, size_t bytes, unsigned kind, int order,
                        const void *site) {
    checks().access(const_cast<const void *>(address), bytes, kind | order_of(order), site);
}

}  // namespace

#define KBUILD_CPU_FETCH(bits, T, name, expression, kind) \
    KBUILD_CPU_HOOK T __tsan_atomic##bits##_##name(volatile T *address, T value, int order) { \
        note_atomic(address, sizeof(T), kind, order, KBUILD_CPU_SITE); \
        return expression(address, value, __ATOMIC_SEQ_CST); \
    }
#define KBUILD_CPU_COMPARE(bits, T, name) \
    KBUILD_CPU_HOOK int __tsan_atomic##bits##_compare_exchange_##name( \
        volatile T *address, T *expected, T desired, int order, int) { \
        note_atomic(address, sizeof(T), takes, order, KBUILD_CPU_SITE); \
        return __atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST); \
    }
#define KBUILD_CPU_ATOMICS(bits, T) \
    KBUILD_CPU_HOOK T __tsan_atomic##bits##_load(const volatile T *address, int order) { \
        note_atomic(address, sizeof(T), reads, order, KBUILD_CPU_SITE); \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST); \
    } \
    KBUILD_CPU_HOOK void __tsan_atomic##bits##_store(volatile T *address, T value, int order) { \
        note_atomic(address, sizeof(T), writes, order, KBUILD_CPU_SITE); \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST); \
    } \
    KBUILD_CPU_FETCH(bits, T, exchange, __atomic_exchange_n, takes) \
    KBUILD_CPU_FETCH(bits, T, fetch_add, __atomic_fetch_add, reads | writes) \
    KBUILD_CPU_FETCH(bits, T, fetch_sub, __atomic_fetch_sub, reads | writes) \
    KBUILD_CPU_FETCH(bits, T, fetch_and, __atomic_fetch_and, reads | writes) \
    KBUILD_CPU_FETCH(bits, T, fetch_or, __atomic_fetch_or, reads | writes) \
    KBUILD_CPU_FETCH(bits, T, fetch_xor, __atomic_fetch_xor, reads | writes) \
    KBUILD_CPU_FETCH(bits, T, fetch_nand, __atomic_fetch_nand, reads | writes) \
    KBUILD_CPU_COMPARE(bits, T, strong) \
    KBUILD_CPU_COMPARE(bits, T, weak) \
    KBUILD_CPU_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T *address, T expected, \
                                                                 T desired, int order, int) { \
        note_atomic(address, sizeof(T), takes, order, KBUILD_CPU_SITE); \
        __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_SEQ_CST, \
                                    __ATOMIC_SEQ_CST); \
        return expected; \
    }

KBUILD_CPU_ATOMICS(8, uint8_t)
KBUILD_CPU_ATOMICS(16, uint16_t)
KBUILD_CPU_ATOMICS(32, uint32_t)
KBUILD_CPU_ATOMICS(64, uint64_t)
#undef KBUILD_CPU_ATOMICS
#undef KBUILD_CPU_COMPARE
#undef KBUILD_CPU_FETCH
#endif

KBUILD_CPU_HOOK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
KBUILD_CPU_HOOK void __tsan_atomic_signal_fence(int) {}

/* What device code calls for memory, under names that only its objects refer to: a C++ library that is linked
 * statically allocates memory before the runtime has started. See `rename_checked`. */
#define KBUILD_CPU_COPY(name, function) \
    KBUILD_CPU_HOOK void *name(void *to, const void *from, size_t bytes) { \
        checks().access(from, bytes, KBUILD_CPU_READS, KBUILD_CPU_SITE); \
        checks().access(to, bytes, KBUILD_CPU_WRITES, KBUILD_CPU_SITE); \
        return function(to, from, bytes); \
    }
#define KBUILD_CPU_FILL(name, function) \
    KBUILD_CPU_HOOK void *name(void *to, int value, size_t bytes) { \
        checks().access(to, bytes, KBUILD_CPU_WRITES, KBUILD_CPU_SITE); \
        return function(to, value, bytes); \
    }
KBUILD_CPU_COPY(kbuild_cpu_checked_memcpy, memcpy)
KBUILD_CPU_COPY(kbuild_cpu_checked_memmove, memmove)
KBUILD_CPU_FILL(kbuild_cpu_checked_memset, memset)
/* clang 16 or newer calls these instead, for its own copies of objects, too. */
KBUILD_CPU_COPY(__tsan_memcpy, memcpy)
KBUILD_CPU_COPY(__tsan_memmove, memmove)
KBUILD_CPU_FILL(__tsan_memset, memset)
#undef KBUILD_CPU_COPY
#undef KBUILD_CPU_FILL
#define KBUILD_CPU_ALLOCATE(name) \
    KBUILD_CPU_HOOK void *kbuild_cpu_checked_##name(size_t bytes) { \
        return checks().allocate(bytes, KBUILD_CPU_SITE); \
    }
#define KBUILD_CPU_RELEASE(name, ...) \
    KBUILD_CPU_HOOK void kbuild_cpu_checked_##name(void *address __VA_ARGS__) { \
        checks().release(address, KBUILD_CPU_SITE); \
    }
KBUILD_CPU_ALLOCATE(malloc)
KBUILD_CPU_RELEASE(free)
/* operator new, new[], delete, and delete[]. */
KBUILD_CPU_ALLOCATE(_Znwm)
KBUILD_CPU_ALLOCATE(_Znam)
KBUILD_CPU_RELEASE(_ZdlPv)
KBUILD_CPU_RELEASE(_ZdaPv)
KBUILD_CPU_RELEASE(_ZdlPvm, , size_t)
KBUILD_CPU_RELEASE(_ZdaPvm, , size_t)
#undef KBUILD_CPU_ALLOCATE
#undef KBUILD_CPU_RELEASE

/* What kernels call. */
KBUILD_CPU_HOOK void kbuild_cpu_check_begin_thread(void) { checks().begin_thread(); }
KBUILD_CPU_HOOK void kbuild_cpu_check_begin_threads(void) { checks().begin_threads(); }
KBUILD_CPU_HOOK void kbuild_cpu_check_enter_thread(unsigned number) {
    checks().enter_thread(number);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_pass_barrier(const struct kbuild_cpu_call *call,
                                                   unsigned number, unsigned count) {
    checks().pass_barrier(call, number, count);
}
KBUILD_CPU_HOOK void *kbuild_cpu_check_find_shared(const void *place) {
    return checks().find_shared(place);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_set_scope(enum kbuild_cpu_scope scope) {
    checks().set_scope(scope);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_fence(enum kbuild_cpu_scope scope) { checks().fence(scope); }
KBUILD_CPU_HOOK void kbuild_cpu_check_report(enum kbuild_cpu_mistake mistake, uint64_t value,
                                             uint64_t limit, const void *site) {
    checks().report(mistake, value, limit, site);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_issue_copy(const void *to, size_t bytes) {
    checks().issue_copy(to, bytes);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_read_by_copy(const void *from, size_t bytes) {
    checks().read_by_copy(from, bytes);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_commit_copies(const void *barrier) {
    checks().commit_copies(barrier);
}
KBUILD_CPU_HOOK void kbuild_cpu_check_finish_copies(const void *barrier, size_t prior) {
    checks().finish_copies(barrier, prior);
}

/* The checks of -fsanitize=undefined.  Compilers pass a description that starts with a file, a line, and a
 * column, followed by what differs. */
namespace {

struct source_place {
    const char *file;
    uint32_t line, column;
};
struct type_description {
    uint16_t kind; /* 0 for integers */
    uint16_t info; /* for integers: bit 0 is the sign, the rest the logarithm of the width */
    char name[1];
};
struct overflow_data {
    source_place place;
    const type_description *type;
};
struct shift_data {
    source_place place;
    const type_description *left, *right;
};
struct bounds_data {
    source_place place;
    const type_description *array, *index;
};
struct mismatch_data {
    source_place place;
    const type_description *type;
    uint8_t log_alignment, kind;
};

/* Integers of at most 64 bits are passed by value. */
inline uint64_t width_of(const type_description &type) { return uint64_t{1} << (type.info >> 1); }

}  // namespace

#define KBUILD_CPU_MISTAKE(name, T, parameters, kind, value, limit) \
    KBUILD_CPU_HOOK void __ubsan_handle_##name parameters { \
        const auto &data = *static_cast<const T *>(description); \
        static_cast<void>(data); \
        checks().report(kind, value, limit, KBUILD_CPU_SITE); \
    }
KBUILD_CPU_MISTAKE(shift_out_of_bounds, shift_data, (void *description, uintptr_t, uintptr_t right),
                   KBUILD_CPU_BAD_SHIFT, right, width_of(*data.left))
KBUILD_CPU_MISTAKE(divrem_overflow, overflow_data, (void *description, uintptr_t, uintptr_t right),
                   KBUILD_CPU_BAD_DIVISION, right, 0)
KBUILD_CPU_MISTAKE(out_of_bounds, bounds_data, (void *description, uintptr_t index),
                   KBUILD_CPU_BAD_INDEX, index, reinterpret_cast<uintptr_t>(data.array->name))
#undef KBUILD_CPU_MISTAKE
/* An address that is aligned is outside of the object that compilers know it to belong to. The kind of a store is 1. */
KBUILD_CPU_HOOK void __ubsan_handle_type_mismatch_v1(void *description, uintptr_t pointer) {
    const auto &data = *static_cast<const mismatch_data *>(description);
    const uint64_t alignment = uint64_t{1} << data.log_alignment;
    checks().report(pointer % alignment != 0 ? KBUILD_CPU_BAD_ALIGNMENT
                    : data.kind == 1         ? KBUILD_CPU_BAD_WRITE
                                             : KBUILD_CPU_BAD_READ,
                    pointer, alignment, KBUILD_CPU_SITE);
}

#endif
