/* What compilers call in instrumented host code. Each object has its own functions: another library of the
 * program can define the same names. Headers would clash with the text that follows.
 * It starts host texts, and is included before C and C++ sources that kbuild does not rewrite. */
#ifndef KBUILD_HOST_CHECKS_H
#define KBUILD_HOST_CHECKS_H
/* The fortified functions of the C library copy and fill memory without a call. */
#undef _FORTIFY_SOURCE
/* Findings name the line that calls a function of the host API; see kbuild_cpu/host_api.h. */
#undef KBUILD_CHECKED_HOST_API
#define KBUILD_CHECKED_HOST_API 1
#if defined(__cplusplus)
extern "C" {
#endif
void kbuild_cpu_start_checks(__UINTPTR_TYPE__ *, __SIZE_TYPE__ *);
void kbuild_cpu_check_host_access(const void *, __SIZE_TYPE__, int, const void *);
void *kbuild_cpu_move_for_host(void *, const void *, __SIZE_TYPE__, const void *);
void *kbuild_cpu_fill_for_host(void *, int, __SIZE_TYPE__, const void *);
void kbuild_cpu_note_launch(const char *, unsigned);
#if defined(__cplusplus)
}
/* What `<<<>>>` calls; see kbuild/chevron.hpp. */
namespace kbuild {
namespace chevron {
inline void note_launch(const char *file, unsigned line) { kbuild_cpu_note_launch(file, line); }
}  // namespace chevron
}  // namespace kbuild
#endif
/* This object calls the checked functions of the runtime. Assemblers replace the names, also in what compilers
 * call themselves. A C source can define such a function itself, which only the compiler knows. */
#if defined(__cplusplus)
#define KBUILD_REPLACE(name, other) __asm__(#name " = kbuild_cpu_host_" #other);
#else
#define KBUILD_PRAGMA(text) _Pragma(#text)
#define KBUILD_REPLACE(name, other) KBUILD_PRAGMA(redefine_extname name kbuild_cpu_host_##other)
#endif
KBUILD_REPLACE(_exit, _exit)
KBUILD_REPLACE(_Exit, _exit)
KBUILD_REPLACE(execve, execve)
KBUILD_REPLACE(execv, execv)
KBUILD_REPLACE(execvp, execvp)
KBUILD_REPLACE(execvpe, execvpe)
KBUILD_REPLACE(fexecve, fexecve)
KBUILD_REPLACE(execl, execl)
KBUILD_REPLACE(execlp, execlp)
KBUILD_REPLACE(execle, execle)
#if !defined(KBUILD_HOST_RUNS_DEVICE_CODE)
KBUILD_REPLACE(strlen, strlen)
KBUILD_REPLACE(strnlen, strnlen)
KBUILD_REPLACE(strdup, strdup)
KBUILD_REPLACE(puts, puts)
KBUILD_REPLACE(fputs, fputs)
KBUILD_REPLACE(strcmp, strcmp)
KBUILD_REPLACE(strncmp, strncmp)
KBUILD_REPLACE(strcasecmp, strcasecmp)
KBUILD_REPLACE(memcmp, memcmp)
KBUILD_REPLACE(bcmp, bcmp)
KBUILD_REPLACE(memchr, memchr)
KBUILD_REPLACE(strchr, strchr)
KBUILD_REPLACE(strrchr, strrchr)
KBUILD_REPLACE(strstr, strstr)
KBUILD_REPLACE(strcpy, strcpy)
KBUILD_REPLACE(stpcpy, stpcpy)
KBUILD_REPLACE(strncpy, strncpy)
KBUILD_REPLACE(strcat, strcat)
KBUILD_REPLACE(strncat, strncat)
KBUILD_REPLACE(fwrite, fwrite)
KBUILD_REPLACE(fread, fread)
KBUILD_REPLACE(printf, printf)
KBUILD_REPLACE(fprintf, fprintf)
KBUILD_REPLACE(sprintf, sprintf)
KBUILD_REPLACE(snprintf, snprintf)
KBUILD_REPLACE(vprintf, vprintf)
KBUILD_REPLACE(vfprintf, vfprintf)
KBUILD_REPLACE(vsprintf, vsprintf)
KBUILD_REPLACE(vsnprintf, vsnprintf)
#endif
/* C needs the names of parameters. */
#define KBUILD_UNUSED __attribute__((unused))
#define KBUILD_ORDER KBUILD_UNUSED int order
/* The addresses of memory that the runtime allocates; none before the constructor has run. */
static __UINTPTR_TYPE__ kbuild_checked_start;
static __SIZE_TYPE__ kbuild_checked_bytes;
/* Memory that programs allocate before the first launch counts, too. */
__attribute__((constructor(101), no_sanitize("thread"))) static void kbuild_start_checks(
    void) __asm__("kbuild_start_checks");
static void kbuild_start_checks(void) {
    kbuild_cpu_start_checks(&kbuild_checked_start, &kbuild_checked_bytes);
}
/* Whether a word can be one that the device has not written. A copy to the host keeps this content, which
 * checks/cells.hpp defines. Reading the first byte does no harm, because the program reads it, too. */
#define KBUILD_IS_FRESH(address) \
    (*(const unsigned char *)(address) == \
     (unsigned char)(0x26E74B9Du >> (__UINTPTR_TYPE__)(address) % 4 * 8))
#define KBUILD_HOOK static __attribute__((used, noinline, no_sanitize("thread")))
#define KBUILD_DEFINE(T, name, parameters) \
    KBUILD_HOOK T kbuild_hook_##name parameters __asm__(#name); \
    KBUILD_HOOK T kbuild_hook_##name parameters
/* The last argument has bit 0 for a write, and bit 1 for an access that can wait for a kernel. */
#define KBUILD_NOTE(address, bytes, writes) \
    if ((__UINTPTR_TYPE__)(address) - kbuild_checked_start < kbuild_checked_bytes || \
        (((writes) & 1) == 0 && KBUILD_IS_FRESH(address))) \
    kbuild_cpu_check_host_access((const void *)(address), bytes, writes, \
                                 __builtin_return_address(0))
#if defined(KBUILD_HOST_RUNS_DEVICE_CODE)
/* Thrust's algorithms are host code here, which accesses memory of the device. */
#undef KBUILD_NOTE
#define KBUILD_NOTE(address, bytes, writes) (void)(address)
#endif
#define KBUILD_ACCESSES(bytes) \
    KBUILD_DEFINE(void, __tsan_read##bytes, (void *address)) { KBUILD_NOTE(address, bytes, 0); } \
    KBUILD_DEFINE(void, __tsan_write##bytes, (void *address)) { KBUILD_NOTE(address, bytes, 1); } \
    KBUILD_DEFINE(void, __tsan_read_write##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 1); \
    } \
    KBUILD_DEFINE(void, __tsan_volatile_read##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 2); \
    } \
    KBUILD_DEFINE(void, __tsan_volatile_write##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 3); \
    } \
    KBUILD_DEFINE(void, __tsan_unaligned_volatile_read##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 2); \
    } \
    KBUILD_DEFINE(void, __tsan_unaligned_volatile_write##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 3); \
    } \
    KBUILD_DEFINE(void, __tsan_unaligned_read##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 0); \
    } \
    KBUILD_DEFINE(void, __tsan_unaligned_write##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 1); \
    } \
    KBUILD_DEFINE(void, __tsan_unaligned_read_write##bytes, (void *address)) { \
        KBUILD_NOTE(address, bytes, 1); \
    }
KBUILD_ACCESSES(1)
KBUILD_ACCESSES(2)
KBUILD_ACCESSES(4)
KBUILD_ACCESSES(8)
KBUILD_ACCESSES(16)
KBUILD_DEFINE(void, __tsan_read_range, (void *address, __SIZE_TYPE__ bytes)) {
    (void)bytes;
    KBUILD_NOTE(address, bytes, 0);
}
KBUILD_DEFINE(void, __tsan_write_range, (void *address, __SIZE_TYPE__ bytes)) {
    (void)bytes;
    KBUILD_NOTE(address, bytes, 1);
}
KBUILD_DEFINE(void, __tsan_vptr_update, (void **address, KBUILD_UNUSED void *table)) {
    KBUILD_NOTE(address, 8, 1);
}
KBUILD_DEFINE(void, __tsan_vptr_read, (void **address)) { KBUILD_NOTE(address, 8, 0); }
KBUILD_DEFINE(void, __tsan_init, (void)) {}
KBUILD_DEFINE(void, __tsan_func_entry, (KBUILD_UNUSED void *caller)) {}
KBUILD_DEFINE(void, __tsan_func_exit, (void)) {}
#define KBUILD_FETCH(bits, T, name) \
    KBUILD_DEFINE(T, __tsan_atomic##bits##_fetch_##name, \
                  (volatile T * address, T value, KBUILD_ORDER)) { \
        KBUILD_NOTE(address, bits / 8, 3); \
        return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST); \
    }
#define KBUILD_COMPARE(bits, T, name) \
    KBUILD_DEFINE(int, __tsan_atomic##bits##_compare_exchange_##name, \
                  (volatile T * address, T * expected, T desired, KBUILD_ORDER, \
                   KBUILD_UNUSED int failure_order)) { \
        KBUILD_NOTE(address, bits / 8, 3); \
        return __atomic_compare_exchange_n(address, expected, desired, 0, __ATOMIC_SEQ_CST, \
                                           __ATOMIC_SEQ_CST); \
    }
#define KBUILD_ATOMICS(bits, T) \
    KBUILD_DEFINE(T, __tsan_atomic##bits##_load, (const volatile T *address, KBUILD_ORDER)) { \
        KBUILD_NOTE(address, bits / 8, 2); \
        return __atomic_load_n(address, __ATOMIC_SEQ_CST); \
    } \
    KBUILD_DEFINE(void, __tsan_atomic##bits##_store, \
                  (volatile T * address, T value, KBUILD_ORDER)) { \
        KBUILD_NOTE(address, bits / 8, 3); \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST); \
    } \
    KBUILD_DEFINE(T, __tsan_atomic##bits##_exchange, \
                  (volatile T * address, T value, KBUILD_ORDER)) { \
        KBUILD_NOTE(address, bits / 8, 3); \
        return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST); \
    } \
    KBUILD_FETCH(bits, T, add) \
    KBUILD_FETCH(bits, T, sub) \
    KBUILD_FETCH(bits, T, and) \
    KBUILD_FETCH(bits, T, or) \
    KBUILD_FETCH(bits, T, xor) \
    KBUILD_FETCH(bits, T, nand) \
    KBUILD_COMPARE(bits, T, strong) \
    KBUILD_COMPARE(bits, T, weak) \
    KBUILD_DEFINE(T, __tsan_atomic##bits##_compare_exchange_val, \
                  (volatile T * address, T expected, T desired, KBUILD_ORDER, \
                   KBUILD_UNUSED int failure_order)) { \
        KBUILD_NOTE(address, bits / 8, 3); \
        __atomic_compare_exchange_n(address, &expected, desired, 0, __ATOMIC_SEQ_CST, \
                                    __ATOMIC_SEQ_CST); \
        return expected; \
    }
KBUILD_ATOMICS(8, unsigned char)
KBUILD_ATOMICS(16, unsigned short)
KBUILD_ATOMICS(32, unsigned)
KBUILD_ATOMICS(64, unsigned long)
KBUILD_DEFINE(void, __tsan_atomic_thread_fence, (KBUILD_ORDER)) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KBUILD_DEFINE(void, __tsan_atomic_signal_fence, (KBUILD_ORDER)) {}
#define KBUILD_MOVE(name) \
    KBUILD_DEFINE(void *, name, (void *to, const void *from, __SIZE_TYPE__ bytes)) { \
        return kbuild_cpu_move_for_host(to, from, bytes, __builtin_return_address(0)); \
    }
#define KBUILD_FILL(name) \
    KBUILD_DEFINE(void *, name, (void *to, int value, __SIZE_TYPE__ bytes)) { \
        return kbuild_cpu_fill_for_host(to, value, bytes, __builtin_return_address(0)); \
    }
KBUILD_MOVE(__tsan_memcpy)
KBUILD_MOVE(__tsan_memmove)
KBUILD_FILL(__tsan_memset)
#if !defined(KBUILD_HOST_RUNS_DEVICE_CODE)
KBUILD_MOVE(memcpy)
KBUILD_MOVE(memmove)
KBUILD_FILL(memset)
/* Compilers expand the built-in functions, which the C++ library uses, for a constant number of bytes. */
#define __builtin_memcpy kbuild_hook_memcpy
#define __builtin_memmove kbuild_hook_memmove
#define __builtin_memset kbuild_hook_memset
#endif
#endif
