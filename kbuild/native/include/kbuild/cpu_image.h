/* The interface of a CPU device image, which exports one symbol, `kbuild_cpu_image`.
 *
 * An image is an ELF shared object that is made from one kernel source.  The runtime loads it,
 * checks `abi`, and calls `attach` once.  After that, it calls kernels through their typed
 * adapters.  There is no other interface, so different compilers can build the image and the host.
 * A change of a layout in this file needs a new KBUILD_CPU_IMAGE_ABI. */
#ifndef KBUILD_CPU_IMAGE_H
#define KBUILD_CPU_IMAGE_H

#include <kbuild/detail/cpu_device_api.h>
#include <kbuild/module.h>

#include <stdint.h>

#define KBUILD_CPU_IMAGE_ABI 12
/* The addresses of the calling OS thread's threadIdx, blockIdx, blockDim, and gridDim, of the
 * pointer that it passes to `barrier`, and of what its block has done and uses. */
struct kbuild_cpu_builtins {
    struct kbuild_dim3 *thread_idx;
    struct kbuild_dim3 *block_idx;
    struct kbuild_dim3 *block_dim;
    struct kbuild_dim3 *grid_dim;
    void **runner;
    struct kbuild_cpu_progress *progress;
    struct kbuild_cpu_shared *shared;
};

struct kbuild_cpu_kernel {
    const char *name; /* the kernel's symbol */
    /* Runs the threads from `progress->start` on, one after another, and then the threads of the
     * blocks that follow.  If a thread is suspended, the call returns when that thread ends.  In this
     * case, the runtime sets `start` to the next thread and `more_blocks` to 0, and makes another
     * call for the rest.  If no thread was suspended, all threads have run. */
    void (*run)(void *const *args);
    const struct kbuild_param *params;
    uint32_t param_count;
    uint32_t linkage;               /* 0 external, 1 weak, 2 internal */
    const char *const *param_types; /* in the spelling of a demangler */
    const char *const *param_names; /* null entries for unnamed parameters */
    const void *function;           /* what device code calls the kernel's address */
    uint64_t max_threads;  /* of a block, from __launch_bounds__; 0 if there are no bounds */
    const char *execution; /* how the threads of a block run, for people */
    /* The blocks of a cluster, from __cluster_dims__: 1 + (x - 1) + 16 (y - 1) + 256 (z - 1), or 0. */
    uint64_t cluster;
};

/* A kind besides those of enum kbuild_variable_kind: a managed variable of a mixed source.  Its
 * storage is the shadow, an ordinary variable of the program.  `address` is a pointer that the
 * runtime sets to the shadow when it loads the image.  Runtimes that do not know this kind lack the
 * functions that mixed sources need, so that they cannot be linked with such images. */
#define KBUILD_CPU_REFERENCE 3

struct kbuild_cpu_variable {
    const char *name; /* the variable's symbol */
    void *address;
    uint64_t size;
    uint64_t kind; /* enum kbuild_variable_kind, or KBUILD_CPU_REFERENCE */
};

struct kbuild_cpu_image {
    uint32_t abi;
    uint32_t kernel_count;
    const struct kbuild_cpu_kernel *kernels;
    void (*attach)(const struct kbuild_cpu_device_api *api);
    void (*builtins)(struct kbuild_cpu_builtins *builtins); /* for the calling OS thread */
    const struct kbuild_cpu_variable *variables;
    uint64_t variable_count;
    uint64_t is_instrumented; /* whether it calls the functions of kbuild_cpu_device_api.checks */
};

#endif
