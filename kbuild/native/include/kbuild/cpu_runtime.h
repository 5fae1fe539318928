/* The CPU backend's device runtime, libkbuild_cpu, with one registry per process.
 *
 * Launches are synchronous: when kbuild_cpu_launch returns, the kernel has run.  Every function is
 * thread-safe and returns a kbuild_cpu_error.  The numbers are those of the corresponding CUDA
 * errors, so that logs of both backends look the same. */
#ifndef KBUILD_CPU_RUNTIME_H
#define KBUILD_CPU_RUNTIME_H

#include <kbuild/module.h>

#ifdef __cplusplus
extern "C" {
#endif

enum kbuild_cpu_error {
    KBUILD_CPU_SUCCESS = 0,
    KBUILD_CPU_INVALID_VALUE = 1,
    KBUILD_CPU_OUT_OF_MEMORY = 2,
    KBUILD_CPU_INVALID_CONFIGURATION = 9,
    KBUILD_CPU_INVALID_SYMBOL = 13,
    KBUILD_CPU_INVALID_KERNEL = 98,
    KBUILD_CPU_INVALID_IMAGE = 200,
    KBUILD_CPU_NO_IMAGE_FOR_MACHINE = 209,
    KBUILD_CPU_KERNEL_NOT_FOUND = 500,
    KBUILD_CPU_NOT_SUPPORTED = 801
};

int kbuild_cpu_register(const struct kbuild_module *__module);
void kbuild_cpu_unregister(const struct kbuild_module *__module);

int kbuild_cpu_device_count(int *__count);
int kbuild_cpu_resolve(const void *__handle);
int kbuild_cpu_launch(const void *__handle, const struct kbuild_launch_config *__config,
                      void *const *__args);

/* A launch through a debug stub.  The caller pushes the configuration and calls the stub with the
 * kernel's arguments.  The stub can read the configuration, and uses it for the launch.  Then the
 * caller takes the result.  Each thread has one slot. */
int kbuild_cpu_push_configuration(const struct kbuild_launch_config *__config);
int kbuild_cpu_read_configuration(struct kbuild_launch_config *__config);
int kbuild_cpu_launch_from_stub(const void *__handle, void *const *__args);
int kbuild_cpu_take_stub_result(void);

/* Device variables.  `__symbol` is the address of the host variable with the same name. */
int kbuild_cpu_get_symbol_address(void **__pointer, const void *__symbol);
int kbuild_cpu_copy_to_symbol(const void *__symbol, const void *__source, size_t __bytes,
                              size_t __offset);
int kbuild_cpu_copy_from_symbol(void *__destination, const void *__symbol, size_t __bytes,
                                size_t __offset);
/* Sets `data` in the shadows of the module's managed variables.  Skips symbols whose `initialize`
 * is not `__initialize`, because they belong to the program. */
int kbuild_cpu_initialise_managed(const struct kbuild_module *__module, void (*__initialize)(void));

int kbuild_cpu_allocate(void **__pointer, size_t __bytes);
int kbuild_cpu_release(void *__pointer);
/* Finds the allocation by kbuild_cpu_allocate that contains the address.  Sets a null base if
 * there is none. */
int kbuild_cpu_find_allocation(const void *__pointer, void **__base, size_t *__bytes);
int kbuild_cpu_copy(void *__destination, const void *__source, size_t __bytes,
                    enum kbuild_copy_direction __direction);
int kbuild_cpu_synchronize(void);
const char *kbuild_cpu_error_message(int __code);

#ifdef __cplusplus
}
#endif
#endif
