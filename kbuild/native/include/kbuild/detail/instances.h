/* The handles of the instances of kernel templates.  Included by stub units only. */
#ifndef KBUILD_DETAIL_INSTANCES_H
#define KBUILD_DETAIL_INSTANCES_H

#include <kbuild/module.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Only programs with a C++ library have it. */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status)
    __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* Replaces the addresses of slots with those of the handles. */
static inline void kbuild_resolve_handles(struct kbuild_kernel *kernels, uint64_t count) {
    uint64_t row;
    for (row = 0; row < count; row++) {
        if ((kernels[row].container & KBUILD_KERNEL_INDIRECT) == 0) continue;
        kernels[row].handle = *(const void *const *)kernels[row].handle;
        kernels[row].container &= ~KBUILD_KERNEL_INDIRECT;
    }
}

/* The code of a handle calls it with the symbol of the kernel: host code called the kernel, or another
 * compiler made a launch of it, which calls it after it has pushed the configuration. */
static inline void kbuild_report_call(const char *symbol) {
    char *const name = __cxa_demangle != 0 ? __cxa_demangle(symbol, 0, 0, 0) : 0;
    const int is_launch = kbuild_discard_configuration();
    fprintf(stderr,
            is_launch ? "kbuild: the kernel %s was launched by code that another compiler made; "
                        "compile this code with kbuild, or use kbuild::launch\n"
                      : "kbuild: the kernel %s was called like a function; launch it: "
                        "kernel<<<grid, block>>>(arguments), or kbuild::launch\n",
            name != 0 ? name : symbol);
    free(name);
}

#endif
