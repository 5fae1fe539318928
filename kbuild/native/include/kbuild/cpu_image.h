/* What a CPU device image exports: one symbol, `kbuild_cpu_image`.
 *
 * An image is an ELF shared object made from one kernel source.  The runtime opens it,
 * checks `abi`, calls `attach` once, and from then on calls kernels through their typed
 * adapters.  Nothing else crosses the border, so that image and host may be built by
 * different compilers.  KBUILD_CPU_IMAGE_ABI changes whenever this file's layout does.
 */
#ifndef KBUILD_CPU_IMAGE_H
#define KBUILD_CPU_IMAGE_H

#include <kbuild/detail/cpu_device_api.h>
#include <kbuild/module.h>

#define KBUILD_CPU_IMAGE_ABI 3
/* Room for `extern __shared__` arrays: the most a CUDA device offers a block (227 KiB). */
#define KBUILD_CPU_DYNAMIC_SHARED_BYTES 232448

/* Where the calling OS thread's threadIdx, blockIdx, blockDim and gridDim live, and what it
 * passes to `barrier`. */
struct kbuild_cpu_builtins {
    struct kbuild_dim3 *thread_idx;
    struct kbuild_dim3 *block_idx;
    struct kbuild_dim3 *block_dim;
    struct kbuild_dim3 *grid_dim;
    void **runner;
};

/* The threads of a block that have not started, on the OS thread that runs it. */
struct kbuild_cpu_threads {
    struct kbuild_dim3 *last; /* threadIdx: of the thread that started last */
    struct kbuild_dim3 extent;
    uint32_t unstarted;
};

struct kbuild_cpu_kernel {
    const char *name; /* the kernel's symbol */
    /* Runs it for the threads that have not started, one after the other.  While one of them
     * waits at a barrier, another call goes on with the rest. */
    void (*run)(void *const *args, struct kbuild_cpu_threads *threads);
    const struct kbuild_param *params;
    uint32_t param_count;
    uint32_t linkage;                /* 0 external, 1 weak, 2 internal */
    const char *const *param_types;  /* as a demangler spells them */
    const char *const *param_names;  /* an entry is null where the source gives none */
};

struct kbuild_cpu_variable {
    const char *name; /* the variable's symbol */
    void *address;
    uint64_t size;
    uint64_t kind; /* enum kbuild_variable_kind */
};

struct kbuild_cpu_image {
    uint32_t abi;
    uint32_t kernel_count;
    const struct kbuild_cpu_kernel *kernels;
    void (*attach)(const struct kbuild_cpu_device_api *api);
    void (*builtins)(struct kbuild_cpu_builtins *builtins); /* of the calling OS thread */
    uint64_t dynamic_shared_bytes; /* capacity for extern __shared__; 0: has none */
    const struct kbuild_cpu_variable *variables;
    uint64_t variable_count;
};

#endif
