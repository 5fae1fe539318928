/* The host API over the CPU backend's runtime; included by kbuild.h. */
#ifndef KBUILD_HOST_CPU_H
#define KBUILD_HOST_CPU_H

#include <kbuild/cpu_runtime.h>

typedef int kbuild_error_t;

static inline kbuild_error_t kbuild_launch(const void *kernel,
                                           const struct kbuild_launch_config *config, void **args)
{
    return kbuild_cpu_launch(kernel, config, args);
}

/* For launches through a debug stub, see kbuild::launch. */
static inline kbuild_error_t kbuild_push_configuration(const struct kbuild_launch_config *config)
{
    return kbuild_cpu_push_configuration(config);
}

static inline kbuild_error_t kbuild_take_stub_result(void)
{
    return kbuild_cpu_take_stub_result();
}

static inline kbuild_error_t kbuild_malloc(void **pointer, size_t bytes)
{
    return kbuild_cpu_allocate(pointer, bytes);
}

static inline kbuild_error_t kbuild_free(void *pointer)
{
    return kbuild_cpu_release(pointer);
}

static inline kbuild_error_t kbuild_memcpy(void *destination, const void *source, size_t bytes,
                                           enum kbuild_copy_direction direction)
{
    return kbuild_cpu_copy(destination, source, bytes, direction);
}

static inline kbuild_error_t kbuild_synchronize(void)
{
    return kbuild_cpu_synchronize();
}

static inline const char *kbuild_error_message(kbuild_error_t error)
{
    return kbuild_cpu_error_message(error);
}

#endif
