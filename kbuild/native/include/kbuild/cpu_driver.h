/* What the driver API of the CPU backend needs beyond the runtime: contexts, and images whose contents
 * have names.  Numbers are the vendor's, and every function returns a kbuild_cpu_error. */
#ifndef KBUILD_CPU_DRIVER_H
#define KBUILD_CPU_DRIVER_H

#include <kbuild/cpu_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contexts are names: all of them share the device's memory, streams, and modules.  Each thread has a
 * stack of contexts.  A thread without one that has used the runtime API has the primary context. */
int kbuild_cpu_initialize_driver(unsigned __flags);
/* Fails if the driver is not initialized, or the thread has no context. */
int kbuild_cpu_require_context(void);
int kbuild_cpu_create_context(void **__context, unsigned __flags);
int kbuild_cpu_destroy_context(void *__context);
int kbuild_cpu_push_context(void *__context);
int kbuild_cpu_pop_context(void **__context);
/* Replaces the top of the stack.  A null context removes it. */
int kbuild_cpu_set_context(void *__context);
/* The result is null if there is no context. */
int kbuild_cpu_current_context(void **__context);

struct kbuild_cpu_context {
    unsigned flags;
    unsigned long long id;
};
/* A null context is the current one. */
int kbuild_cpu_describe_context(struct kbuild_cpu_context *__description, void *__context);
int kbuild_cpu_set_context_flags(unsigned __flags);

int kbuild_cpu_retain_primary_context(void **__context);
int kbuild_cpu_release_primary_context(void);
int kbuild_cpu_reset_primary_context(void);
int kbuild_cpu_set_primary_flags(unsigned __flags);
int kbuild_cpu_primary_state(unsigned *__flags, int *__is_active);

/* Loads a container or an image that says how long it is, or the file with one.  Code of GPUs is an error
 * that also goes to standard error. */
int kbuild_cpu_load_image(const struct kbuild_module **__module, const void *__image);
int kbuild_cpu_load_image_file(const struct kbuild_module **__module, const char *__path);
int kbuild_cpu_find_kernel(const void **__handle, const struct kbuild_module *__module,
                           const char *__name);
/* Either address can be null. */
int kbuild_cpu_find_variable(void **__address, size_t *__bytes,
                             const struct kbuild_module *__module, const char *__name);
int kbuild_cpu_find_module(const struct kbuild_module **__module, const void *__handle);

/* Virtual memory management.  The granularity is that of NVIDIA's devices. */
#define KBUILD_CPU_VIRTUAL_GRANULARITY ((size_t)2 << 20)
/* Bits of access: reading, writing. */
#define KBUILD_CPU_ACCESS_ALL 3u

struct kbuild_cpu_physical {
    size_t bytes;
    unsigned handle_types; /* how the memory can be exported: the vendor's bits */
    int is_imported;
};

int kbuild_cpu_reserve_addresses(void **__start, size_t __bytes, size_t __alignment, void *__wish);
int kbuild_cpu_free_addresses(void *__start, size_t __bytes);
int kbuild_cpu_create_physical(unsigned long long *__handle, size_t __bytes,
                               unsigned __handle_types);
int kbuild_cpu_release_physical(unsigned long long __handle);
int kbuild_cpu_describe_physical(struct kbuild_cpu_physical *__description,
                                 unsigned long long __handle);
int kbuild_cpu_export_physical(int *__file, unsigned long long __handle);
int kbuild_cpu_import_physical(unsigned long long *__handle, int __file);
int kbuild_cpu_map_physical(void *__start, size_t __bytes, size_t __offset,
                            unsigned long long __handle);
/* Waits for work that can use the memory, as the next function does. */
int kbuild_cpu_unmap(void *__start, size_t __bytes);
int kbuild_cpu_set_access(void *__start, size_t __bytes, unsigned __access);
int kbuild_cpu_access(unsigned *__access, const void *__address);
/* Returns the handle of the memory that is mapped at the address. */
int kbuild_cpu_retain_physical(unsigned long long *__handle, const void *__address);

#ifdef __cplusplus
}
#endif
#endif
