/* How a stub unit of the CPU backend reaches its runtime; included by stub units only. */
#ifndef KBUILD_CPU_REGISTRATION_H
#define KBUILD_CPU_REGISTRATION_H

#include <kbuild/cpu_runtime.h>
#include <stdlib.h>

/* The CPU's containers have no record beside them. */
#define KBUILD_DEFINE_WRAPPER(name, data)
#define KBUILD_DEFINE_LINKED_WRAPPER(name, data, prelinked)
#define KBUILD_WRAPPER(name) 0

static struct kbuild_runtime kbuild_runtime KBUILD_RELRO = {
    kbuild_cpu_device_count, kbuild_cpu_resolve, kbuild_cpu_launch,
    kbuild_cpu_allocate,     kbuild_cpu_release, kbuild_cpu_copy,
    kbuild_cpu_synchronize,  kbuild_cpu_error_message,
};

static const struct kbuild_module *kbuild_cpu_module;

/* For the table's managed variables: a failure leaves them null. */
static inline void kbuild_initialise_managed(void)
{
    (void)kbuild_cpu_initialise_managed(kbuild_cpu_module, kbuild_initialise_managed);
}

/* Registration cannot report: a launch of an unregistered kernel says so instead.
 * `atexit` binds to the object it is called from, so that dlclose unregisters too;
 * .fini_array would run after the runtime's own clean-up in a static program. */
static inline void kbuild_register_module(const struct kbuild_module *__module,
                                          void (*__unregister)(void))
{
    kbuild_cpu_module = __module;
    if (kbuild_cpu_register(__module) == 0)
        (void)atexit(__unregister);
}

static inline void kbuild_unregister_module(const struct kbuild_module *__module)
{
    kbuild_cpu_unregister(__module);
}

/* What a debug stub does. */
static inline void kbuild_launch_from_stub(const void *__handle, void *const *__args)
{
    kbuild_cpu_launch_from_stub(__handle, __args);
}

#endif
