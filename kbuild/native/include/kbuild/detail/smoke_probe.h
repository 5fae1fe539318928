/* The program that loads a library and resolves its kernels on a machine without kbuild's Python,
 * such as in an emulator.  It writes the same journal as kbuild/smoke/probe.py.
 *
 * Arguments: JOURNAL resolve LIBRARY FIRST DESCRIPTOR...  The descriptors are the distances of the
 * module descriptors from where the library is loaded.  It is C and C++. */
#ifndef KBUILD_DETAIL_SMOKE_PROBE_H
#define KBUILD_DETAIL_SMOKE_PROBE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <kbuild/module.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void kbuild_write_text(FILE *__journal, const char *__text) {
    fputc('"', __journal);
    for (; *__text != 0; ++__text) {
        if (*__text == '"' || *__text == '\\' || (unsigned char)*__text < ' ')
            fprintf(__journal, "\\u%04x", (unsigned)(unsigned char)*__text);
        else
            fputc(*__text, __journal);
    }
    fputc('"', __journal);
}

static int kbuild_end_with_error(FILE *__journal, const char *__error) {
    fputs("{\"error\": ", __journal);
    kbuild_write_text(__journal, __error);
    fputs("}\n", __journal);
    return fclose(__journal) != 0;
}

static double kbuild_read_clock(void) {
    struct timespec __now;
    clock_gettime(CLOCK_MONOTONIC, &__now);
    return (double)__now.tv_sec + (double)__now.tv_nsec * 1e-9;
}

/* Writes one event.  The journal has it even if the next kernel crashes. */
static void kbuild_resolve(FILE *__journal, const struct kbuild_module *__module,
                           const struct kbuild_kernel *__kernel) {
    double __start = kbuild_read_clock();
    int __error = __module->runtime->resolve(__kernel->handle);
    fputs("{\"problem\": ", __journal);
    if (__error != 0)
        kbuild_write_text(__journal, __module->runtime->error_message(__error));
    else
        fputs("null", __journal);
    fprintf(__journal, ", \"seconds\": %.6f}\n", kbuild_read_clock() - __start);
    fflush(__journal);
}

/* Writes the names of the kernels and the number of devices that all of them can use. */
static int kbuild_describe(FILE *__journal, const struct kbuild_module *const *__modules,
                           int __count) {
    const char *__separator = "", *__reason = 0;
    int __devices = -1, __index;
    uint64_t __row;
    fputs("{\"kernels\": [", __journal);
    for (__index = 0; __index < __count; ++__index) {
        const struct kbuild_module *__module = __modules[__index];
        int __found = 0, __error = __module->runtime->device_count(&__found);
        if (__error != 0) {
            __reason = __module->runtime->error_message(__error);
            __found = 0;
        }
        if (__devices < 0 || __found < __devices) __devices = __found;
        for (__row = 0; __row < __module->kernel_count; ++__row, __separator = ", ") {
            fputs(__separator, __journal);
            kbuild_write_text(__journal, __module->kernels[__row].device_name);
        }
    }
    fprintf(__journal, "], \"device_count\": %d, \"reason\": ", __devices);
    if (__reason != 0)
        kbuild_write_text(__journal, __reason);
    else
        fputs("null", __journal);
    fputs("}\n", __journal);
    fflush(__journal);
    return __devices;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fputs("usage: JOURNAL resolve LIBRARY FIRST DESCRIPTOR...\n", stderr);
        return 2;
    }
    FILE *__journal = fopen(argv[1], "a");
    if (__journal == 0) {
        perror(argv[1]);
        return 2;
    }
    struct link_map *__map = 0;
    void *__library = dlopen(argv[3], RTLD_NOW);
    if (__library == 0 || dlinfo(__library, RTLD_DI_LINKMAP, &__map) != 0)
        return kbuild_end_with_error(__journal, dlerror());
    int __count = argc - 5, __index;
    const struct kbuild_module **__modules =
        (const struct kbuild_module **)calloc((size_t)__count, sizeof *__modules);
    if (__modules == 0) return kbuild_end_with_error(__journal, "out of memory");
    for (__index = 0; __index < __count; ++__index) {
        uintptr_t __address = (uintptr_t)__map->l_addr + strtoull(argv[5 + __index], 0, 10);
        __modules[__index] = (const struct kbuild_module *)__address;
        if (__modules[__index]->abi != KBUILD_MODULE_ABI)
            return kbuild_end_with_error(
                __journal, "a descriptor has another ABI; rebuild it with this version of kbuild");
    }
    uint64_t __first = strtoull(argv[4], 0, 10), __kernel = 0, __row;
    if (kbuild_describe(__journal, __modules, __count) > 0)
        for (__index = 0; __index < __count; ++__index)
            for (__row = 0; __row < __modules[__index]->kernel_count; ++__row, ++__kernel)
                if (__kernel >= __first)
                    kbuild_resolve(__journal, __modules[__index],
                                   &__modules[__index]->kernels[__row]);
    free((void *)__modules);
    dlclose(__library);
    return fclose(__journal) != 0;
}

#endif
