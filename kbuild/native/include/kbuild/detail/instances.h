/* The handles of the instances of kernel templates.  Included by stub units only. */
#ifndef KBUILD_DETAIL_INSTANCES_H
#define KBUILD_DETAIL_INSTANCES_H

#include <kbuild/detail/registration.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Only programs with a C++ library have it. */
char *__cxa_demangle(const char *, char *, size_t *, int *) __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* Replaces the addresses of slots with those of the handles. */
KBUILD_REGISTRATION_FUNCTION void kbuild_resolve_handles(struct kbuild_kernel *__rows,
                                                         uint64_t __count) {
    uint64_t __row;
    for (__row = 0; __row < __count; __row++) {
        if ((__rows[__row].container & KBUILD_KERNEL_INDIRECT) == 0) continue;
        __rows[__row].handle = *(const void *const *)__rows[__row].handle;
        __rows[__row].container &= ~KBUILD_KERNEL_INDIRECT;
    }
}

/* The code of a handle calls it with the symbol of the kernel: host code called the kernel, or another
 * compiler made a launch of it, which calls it after it has pushed the configuration. */
KBUILD_REGISTRATION_FUNCTION void kbuild_report_call(const char *__symbol) {
    char *const __demangled = __cxa_demangle != 0 ? __cxa_demangle(__symbol, 0, 0, 0) : 0;
    const char *const __kernel = __demangled != 0 ? __demangled : __symbol;
    if (kbuild_discard_configuration())
        fprintf(stderr,
                "kbuild: code that another compiler made launches the kernel %s; compile it with "
                "kbuild, or use kbuild::launch\n",
                __kernel);
    else
        fprintf(stderr,
                "kbuild: the kernel %s was called like a function; launch it: "
                "kernel<<<grid, block>>>(arguments), or kbuild::launch\n",
                __kernel);
    free(__demangled);
}

#endif
