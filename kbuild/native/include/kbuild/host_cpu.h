/* The host API over the CPU backend's runtime; included by kbuild.h. */
#if !defined(KBUILD_HOST_CPU_H) && defined(KBUILD_HOST_BACKEND)
#error \
    "this file already uses kbuild's host API for another backend: launch the kernels of each backend in a separate source file, and include <target>_kernels.hpp or <target>_kernels.h before kbuild's headers"
#elif !defined(KBUILD_HOST_CPU_H)
#define KBUILD_HOST_CPU_H
#define KBUILD_HOST_BACKEND "cpu"

#include <kbuild/cpu_runtime.h>
#include <kbuild/detail/launch/entry.h>

typedef int kbuild_error_t;

/* The label keeps a copy of this function apart from the linkable one. */
static inline kbuild_error_t kbuild_launch(const void *__kernel,
                                           const struct kbuild_launch_config *__config,
                                           void **__args) __asm__("kbuild_launch_inline");

static inline kbuild_error_t kbuild_launch(const void *__kernel,
                                           const struct kbuild_launch_config *__config,
                                           void **__args) {
    if (kbuild_has_debug_stub(__kernel) && !kbuild_is_extended(__config))
        return kbuild_launch_in_module(__kernel, __config, __args);
    return kbuild_cpu_launch(__kernel, __config, __args);
}

/* The parts of a launch that GPU backends separate; see kbuild/detail/vendor_host.h. */
static inline kbuild_error_t kbuild_launch_extended(const void *__kernel,
                                                    const struct kbuild_launch_config *__config,
                                                    void **__args) {
    return kbuild_cpu_launch(__kernel, __config, __args);
}

static inline int kbuild_launch_prepared(const void *__kernel,
                                         const struct kbuild_launch_config *__config, void **__args,
                                         kbuild_error_t *__error) {
    (void)__kernel, (void)__config, (void)__args, (void)__error;
    return 0;
}

static inline kbuild_error_t kbuild_launch_unprepared(const void *__kernel,
                                                      const struct kbuild_launch_config *__config,
                                                      void **__args) {
    return kbuild_cpu_launch(__kernel, __config, __args);
}

/* For launches through a debug stub; see kbuild::launch. */
static inline kbuild_error_t kbuild_push_configuration(
    const struct kbuild_launch_config *__config) {
    return kbuild_cpu_push_configuration(__config);
}

static inline kbuild_error_t kbuild_take_stub_result(void) { return kbuild_cpu_take_stub_result(); }

static inline kbuild_error_t kbuild_malloc(void **__pointer, size_t __bytes) {
    return kbuild_cpu_allocate(__pointer, __bytes);
}

static inline kbuild_error_t kbuild_free(void *__pointer) { return kbuild_cpu_release(__pointer); }

static inline kbuild_error_t kbuild_memcpy(void *__destination, const void *__source,
                                           size_t __bytes, enum kbuild_copy_direction __direction) {
    return kbuild_cpu_copy(__destination, __source, __bytes, __direction);
}

/* Device variables.  `symbol` is the address of the host variable of the same name. */
static inline kbuild_error_t kbuild_get_symbol_address(void **__pointer, const void *__symbol) {
    return kbuild_cpu_get_symbol_address(__pointer, __symbol);
}

static inline kbuild_error_t kbuild_copy_to_symbol(const void *__symbol, const void *__source,
                                                   size_t __bytes, size_t __offset) {
    return kbuild_cpu_copy_to_symbol(__symbol, __source, __bytes, __offset);
}

static inline kbuild_error_t kbuild_copy_from_symbol(void *__destination, const void *__symbol,
                                                     size_t __bytes, size_t __offset) {
    return kbuild_cpu_copy_from_symbol(__destination, __symbol, __bytes, __offset);
}

static inline kbuild_error_t kbuild_synchronize(void) { return kbuild_cpu_synchronize(); }

static inline const char *kbuild_error_message(kbuild_error_t __error) {
    return kbuild_cpu_error_message(__error);
}

/* Explains why a launch of `kernel` failed.  The text is valid until the thread's next call. */
static inline const char *kbuild_launch_error_message(const void *__kernel,
                                                      kbuild_error_t __error) {
    (void)__kernel;
    return kbuild_cpu_error_message(__error);
}

#endif
