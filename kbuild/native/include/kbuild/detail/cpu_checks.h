/* The functions that an instrumented device image calls.  Part of the image ABI; see kbuild/cpu_image.h.
 *
 * Compilers insert the calls (`-fsanitize=thread` and parts of `-fsanitize=undefined`).  The image defines
 * what they call, in kbuild/detail/cpu_check_hooks.h, and passes it on.  `site` is the address of the
 * instruction behind the access, from which reports find the line. */
#ifndef KBUILD_DETAIL_CPU_CHECKS_H
#define KBUILD_DETAIL_CPU_CHECKS_H

#include <stddef.h>
#include <stdint.h>

struct kbuild_cpu_call; /* see kbuild/detail/cpu_device_api.h */

enum kbuild_cpu_access {
    KBUILD_CPU_READS = 1,
    KBUILD_CPU_WRITES = 2,
    KBUILD_CPU_ATOMIC = 4,
    KBUILD_CPU_VOLATILE = 8,
    KBUILD_CPU_ACQUIRES = 16,
    KBUILD_CPU_RELEASES = 32,
    KBUILD_CPU_TAKES = 64, /* as a lock is taken: by an exchange, or by a comparison with one */
};

enum kbuild_cpu_mistake {
    KBUILD_CPU_BAD_SHIFT,
    KBUILD_CPU_BAD_DIVISION,
    KBUILD_CPU_BAD_INDEX,
    KBUILD_CPU_BAD_ALIGNMENT,
    KBUILD_CPU_BAD_LANE,
    KBUILD_CPU_BAD_READ, /* outside of a variable */
    KBUILD_CPU_BAD_WRITE,
};

/* Which threads an atomic function or a fence synchronizes. */
enum kbuild_cpu_scope { KBUILD_CPU_ALL_THREADS, KBUILD_CPU_THREADS_OF_BLOCK };

struct kbuild_cpu_checks {
    /* Ordinary accesses of 1, 2, 4, 8, and 16 bytes, before they happen. */
    void (*read[5])(const void *__address, const void *__site);
    void (*write[5])(const void *__address, const void *__site);
    /* Any other access; `kind` has bits of kbuild_cpu_access. */
    void (*access)(const void *__address, size_t __bytes, unsigned __kind, const void *__site);
    void (*fence)(enum kbuild_cpu_scope __scope);
    /* The scope of the next atomic accesses of the thread, until the next call. */
    void (*set_scope)(enum kbuild_cpu_scope __scope);
    /* The thread in threadIdx starts. */
    void (*begin_thread)(void);
    /* Returns the memory of a `__shared__` variable in the block that runs.  The address is that of its
     * place in thread-local storage. */
    void *(*find_shared)(const void *__place);
    void (*report)(enum kbuild_cpu_mistake __mistake, uint64_t __value, uint64_t __limit,
                   const void *__site);
    /* The heap of device code. */
    void *(*allocate)(size_t __bytes, const void *__site);
    void (*release)(void *__address, const void *__site);
    /* In a kernel whose loops run all threads: the threads of the block start, one of them starts or continues, and
     * some pass a barrier, of which one has this number. */
    void (*begin_threads)(void);
    void (*enter_thread)(unsigned __number);
    void (*pass_barrier)(const struct kbuild_cpu_call *__call, unsigned __number, unsigned __count);
    /* Asynchronous copies of the thread to shared memory.  Nobody can use the memory until a copy is finished: with the
     * barrier that its thread has committed it to, or with a batch of the thread, of which all but the last ones
     * (`prior`) are finished, if the barrier is null. */
    void (*issue_copy)(const void *__to, size_t __bytes);
    void (*commit_copies)(const void *__barrier);
    void (*finish_copies)(const void *__barrier, size_t __prior);
    /* The same copy reads this memory until it is finished. */
    void (*read_by_copy)(const void *__from, size_t __bytes);
};

/* The same as functions that each image defines, for kernels.  A call through a pointer could reach every function whose
 * address is taken; see mixed/waits/review.py of the backend. */
#if defined(__cplusplus)
extern "C" {
#endif
#define KBUILD_CPU_CHECK __attribute__((visibility("hidden")))
KBUILD_CPU_CHECK void kbuild_cpu_check_begin_thread(void);
KBUILD_CPU_CHECK void kbuild_cpu_check_begin_threads(void);
KBUILD_CPU_CHECK void kbuild_cpu_check_enter_thread(unsigned __number);
KBUILD_CPU_CHECK void kbuild_cpu_check_pass_barrier(const struct kbuild_cpu_call *__call,
                                                    unsigned __number, unsigned __count);
KBUILD_CPU_CHECK void *kbuild_cpu_check_find_shared(const void *__place);
KBUILD_CPU_CHECK void kbuild_cpu_check_set_scope(enum kbuild_cpu_scope __scope);
KBUILD_CPU_CHECK void kbuild_cpu_check_fence(enum kbuild_cpu_scope __scope);
KBUILD_CPU_CHECK void kbuild_cpu_check_report(enum kbuild_cpu_mistake __mistake, uint64_t __value,
                                              uint64_t __limit, const void *__site);
KBUILD_CPU_CHECK void kbuild_cpu_check_issue_copy(const void *__to, size_t __bytes);
KBUILD_CPU_CHECK void kbuild_cpu_check_read_by_copy(const void *__from, size_t __bytes);
KBUILD_CPU_CHECK void kbuild_cpu_check_commit_copies(const void *__barrier);
KBUILD_CPU_CHECK void kbuild_cpu_check_finish_copies(const void *__barrier, size_t __prior);
#undef KBUILD_CPU_CHECK
#if defined(__cplusplus)
}
#endif

#endif
