/* The functions that the CPU runtime provides to device code.  Part of the image ABI; see
 * kbuild/cpu_image.h. */
#ifndef KBUILD_DETAIL_CPU_DEVICE_API_H
#define KBUILD_DETAIL_CPU_DEVICE_API_H

#include <kbuild/detail/cpu_errors.h>
#include <kbuild/module.h>

/* The variables behind threadIdx and the others in the device headers, structured bindings, for which Itanium's ABI has
 * these names. */
#define KBUILD_CPU_INDEX_SYMBOL "_ZDC9threadIdxE"
#define KBUILD_CPU_BLOCK_SYMBOL "_ZDC8blockIdxE"
#define KBUILD_CPU_EXTENT_SYMBOL "_ZDC8blockDimE"
#define KBUILD_CPU_GRID_SYMBOL "_ZDC7gridDimE"

/* A call that can wait, for error reports.  It is the same call site if all members are equal. */
struct kbuild_cpu_call {
    const char *function;
    const char *file; /* null if unknown */
    unsigned line;
    unsigned warp_size; /* of a warp operation: 32 or 64 */
};

/* The result of a warp operation.  Lanes are numbered from the first thread of the warp. */
struct kbuild_cpu_lanes {
    kbuild_uint64 values[64];
    kbuild_uint64 arrived; /* the lanes of the mask that have called the function */
};

struct kbuild_cpu_device_runtime; /* see kbuild/detail/cpu_device_runtime.h */
struct kbuild_cpu_checks;         /* see kbuild/detail/cpu_checks.h */

/* A thread that calls one of the first six functions can be suspended. */
struct kbuild_cpu_device_api {
    /* Returns when every thread of the block has called it or has exited.  The result is the sum of
     * all values, and is valid until the thread's next call. */
    const kbuild_uint64 *(*barrier)(void *__runner, const struct kbuild_cpu_call *__call,
                                    kbuild_uint64 __value);
    /* Returns when every lane of the mask has called the same function with this mask, or has
     * exited.  The result is valid until the thread's next call.  Lanes that have not arrived have
     * the value 0. */
    const struct kbuild_cpu_lanes *(*exchange)(void *__runner, const struct kbuild_cpu_call *__call,
                                               kbuild_uint64 __mask, kbuild_uint64 __value);
    /* Waits until every thread of the block waits or has exited.  Returns the lanes of the warp
     * that wait at the same call site, and now continue together.  `__place` is the address of a variable of
     * the calling function, of which each inlined function has its own, or null if there are no such
     * variables: then the address of the call tells them apart. */
    kbuild_uint64 (*converge)(void *__runner, const struct kbuild_cpu_call *__call,
                              const volatile char *__place);
    /* Returns when all threads of a cooperative launch have called it. */
    void (*grid_barrier)(void *__runner, const struct kbuild_cpu_call *__call);
    /* Returns when all threads of all blocks of the cluster have called it or have exited. */
    void (*cluster_barrier)(void *__runner, const struct kbuild_cpu_call *__call);
    /* A thread calls this while it waits for another thread without a barrier.  The runtime runs
     * other threads when the weights add up to KBUILD_CPU_SPIN_LIMIT. */
    void (*spin)(void *__runner, const struct kbuild_cpu_call *__call, unsigned __weight);
    int (*is_cooperative)(void *__runner);
    /* Returns the number of blocks of a cluster in each direction; 0 if the launch does not say it. */
    const struct kbuild_dim3 *(*cluster_extent)(void *__runner);
    /* Returns where another block of the cluster has what this block has at an address of shared
     * memory. */
    void *(*map_shared)(void *__runner, const struct kbuild_cpu_call *__call, const void *__address,
                        unsigned __rank);
    /* Returns the block of the cluster whose shared memory an address is in. */
    unsigned (*find_shared_rank)(void *__runner, const struct kbuild_cpu_call *__call,
                                 const void *__address);
    /* Ends the launch with an error, because the call is invalid.  Does not return. */
    void (*fail)(void *__runner, const struct kbuild_cpu_call *__call, const char *__reason);
    /* These two end the launch with an error, and do not return. */
    void (*trap)(void *__runner, enum kbuild_cpu_error __error);
    void (*fail_assertion)(void *__runner, const char *__condition, const char *__file,
                           unsigned __line, const char *__function);
    const struct kbuild_cpu_device_runtime *runtime;
    const struct kbuild_cpu_checks *checks; /* null unless the image is instrumented */
};

/* Odd, so that a thread does not always rest at the same one of several places in a loop, as with a lock. */
#define KBUILD_CPU_SPIN_LIMIT 61

/* Where the memory of the block is that an OS thread runs: what to add to the address of a thread-local
 * variable, the memory of `extern __shared__` arrays, and that of the variables. No other OS thread uses it. */
struct kbuild_cpu_shared {
    kbuild_uintptr offset;
    char *dynamic;
    kbuild_uintptr dynamic_bytes;
    kbuild_uintptr statics, static_bytes;
};

/* Which threads and blocks have not started, on the OS thread that runs a block.  A kernel runs the
 * threads of the block from `start` on, in order.  The runtime increments `suspensions` when a
 * thread stops before its end for the first time, so that another thread can run on this OS thread.  Unless the runtime
 * sets it to 0 meanwhile, `more_blocks` blocks follow, with increasing blockIdx.x.  `order` is 0 if
 * threads that do not wait for each other run from the first one to the last one; see KBUILD_SEED.  Otherwise, `start.x`
 * of a checked kernel is the place in its order of the thread that starts; see kbuild_cpu_started_thread. */
struct kbuild_cpu_progress {
    struct {
        unsigned x, y, z;
    } start;
    unsigned suspensions;
    unsigned more_blocks;
    unsigned order;
    unsigned runs_whole_block; /* not 0: the kernel runs all threads of a block together */
};

/* Returns the number of the thread of a checked block that starts at a place in an order that is not 0: whole warps
 * have another order.  The last warp can be smaller, so that the thread does not exist. */
static inline unsigned kbuild_cpu_started_thread(unsigned __place, unsigned __threads,
                                                 unsigned __order) {
    const unsigned __warps = (__threads + 31) / 32, __warp = __place / 32;
    const unsigned __turn = __order % 2 == 0 ? __warp : __warps - 1 - __warp;
    return (__order / 2 + __turn) % __warps * 32 + __place % 32;
}
static inline unsigned kbuild_cpu_count_places(unsigned __threads) {
    return (__threads + 31) / 32 * 32;
}

#endif
