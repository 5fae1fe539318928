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

#ifdef __cplusplus
}
#endif
#endif
