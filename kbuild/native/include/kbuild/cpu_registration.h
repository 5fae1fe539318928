/* Connects stub units of the CPU backend to its runtime; included by stub units only. */
#ifndef KBUILD_CPU_REGISTRATION_H
#define KBUILD_CPU_REGISTRATION_H

#include <kbuild/detail/link_names.h>
#include <kbuild/detail/registration.h>

/* The CPU backend's containers need no wrapper record. */
#define KBUILD_DEFINE_WRAPPER(name, data)
#define KBUILD_DEFINE_LINKED_WRAPPER(name, data, prelinked)
#define KBUILD_WRAPPER(name) 0

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the module.  A failure cannot be reported here; instead, launches of its kernels fail
 * with an error.
 *
 * `atexit` belongs to the object that calls it, so that dlclose unregisters the module as well.  In
 * a static program, .fini_array would run after the runtime's own cleanup. */
KBUILD_REGISTRATION_FUNCTION void kbuild_register_containers(const struct kbuild_module *__module,
                                                             void (*__unregister)(void));

/* Uses the module that a device link registers, with the kernels of this stub unit. */
KBUILD_REGISTRATION_FUNCTION void kbuild_use_module(const struct kbuild_module *__module);

#ifdef KBUILD_LINK_ID
/* A device link of any object of this program refers to this variable, and defines this function.
 * Thus, a linker that takes the device link takes the object from its archive, too. */
extern const char KBUILD_LINKED_OBJECT(KBUILD_LINK_ID) __attribute__((visibility("hidden")));
const char KBUILD_LINKED_OBJECT(KBUILD_LINK_ID) = 0;
const struct kbuild_module *KBUILD_LINK_FUNCTION(KBUILD_LINK_ID)(
    const struct kbuild_module *__module);
#endif

static inline void kbuild_register_module(const struct kbuild_module *__module,
                                          void (*__unregister)(void)) {
#ifdef KBUILD_LINK_ID
    (void)__unregister; /* the device link removes all of its kernels together */
    kbuild_use_module(KBUILD_LINK_FUNCTION(KBUILD_LINK_ID)(__module));
#else
    kbuild_register_containers(__module, __unregister);
#endif
}

#ifdef __cplusplus
}
#endif

#ifndef KBUILD_ONLY_TABLES
#include <kbuild/host_cpu.h>
#include <kbuild/detail/launch/limits.h>
#include <kbuild/detail/launch/memory.h>
#include <kbuild/detail/module_search.h>
#include <stdlib.h>

#ifdef KBUILD_HAS_DEBUG_STUBS
/* Calls the debug stub of a kernel of this stub unit, which defines it.  Returns whether the kernel
 * has one. */
static int kbuild_call_stub(const void *__handle, void *const *__args);

static int kbuild_launch_kernel(const void *__handle, const struct kbuild_launch_config *__config,
                                void *const *__args) {
    int __error;
    if (kbuild_is_extended(__config) || *(const void *const *)__handle == 0)
        return kbuild_cpu_launch(__handle, __config, __args);
    __error = kbuild_push_configuration(__config);
    if (__error == 0 && kbuild_call_stub(__handle, __args)) __error = kbuild_take_stub_result();
    return __error;
}
#else
#define kbuild_launch_kernel kbuild_cpu_launch
#endif

/* See `error_message` in kbuild/module.h. */
static const char *kbuild_explain_error(int __code) {
    (void)kbuild_cpu_take_error();
    return kbuild_cpu_error_message(__code);
}

KBUILD_REGISTRATION_DATA struct kbuild_runtime kbuild_runtime KBUILD_RELRO = {
    kbuild_cpu_device_count, kbuild_cpu_resolve, kbuild_launch_kernel,   kbuild_cpu_allocate,
    kbuild_cpu_release,      kbuild_cpu_copy,    kbuild_cpu_synchronize, kbuild_explain_error,
};

/* The module with the kernels of this stub unit.  If the device code waits for a device link, it is
 * the module of the linked code. */
static const struct kbuild_module *kbuild_cpu_module;

/* Records that a kernel was called.  Returns whether the caller had pushed a configuration. */
static inline int kbuild_discard_configuration(void) {
    struct kbuild_launch_config __config;
    const int __is_pushed = kbuild_cpu_read_configuration(&__config) == 0;
    if (__is_pushed)
        (void)kbuild_cpu_launch_from_stub(0, 0);
    else
        (void)kbuild_cpu_fail(KBUILD_CPU_MISSING_CONFIGURATION,
                              "a kernel was called like a function; launch it");
    return __is_pushed;
}

#include <kbuild/detail/instances.h>

/* Allocates the managed variables.  If this fails, they remain null. */
KBUILD_REGISTRATION_FUNCTION void kbuild_initialize_managed(void) {
    (void)kbuild_cpu_initialize_managed(kbuild_cpu_module, kbuild_initialize_managed);
}

KBUILD_REGISTRATION_FUNCTION void kbuild_use_module(const struct kbuild_module *__module) {
    kbuild_cpu_module = __module;
}

KBUILD_REGISTRATION_FUNCTION void kbuild_register_containers(const struct kbuild_module *__module,
                                                             void (*__unregister)(void)) {
    kbuild_use_module(__module);
    if (kbuild_cpu_register(__module) == 0) (void)atexit(__unregister);
}

KBUILD_REGISTRATION_FUNCTION void kbuild_unregister_module(const struct kbuild_module *__module) {
    kbuild_cpu_unregister(__module);
}

#ifdef KBUILD_LINKED_OBJECTS
#include <kbuild/detail/linked_module.h>
#endif

/* The rest of this file serves debug stubs; see kbuild/debug_stub.hpp.  It reports no limits,
 * because the runtime's own error messages name them. */
static inline int kbuild_take_configuration(struct kbuild_launch_config *__config) {
    const int __error = kbuild_cpu_read_configuration(__config);
    return __error == 0 ? 0 : kbuild_cpu_launch_from_stub(0, 0);
}

static inline int kbuild_find_device(void) { return 0; }

static inline int kbuild_find_limits(const void *__handle, struct kbuild_launch_limits *__limits) {
    (void)__limits;
    return kbuild_cpu_resolve(__handle);
}

static inline int kbuild_is_host_memory(const void *__pointer) {
    (void)__pointer;
    return 0;
}

static inline int kbuild_launch_from_stub(const void *__handle,
                                          const struct kbuild_launch_config *__config,
                                          void *const *__args) {
    (void)__config;
    return kbuild_cpu_launch_from_stub(__handle, __args);
}

/* The functions below serve captures of launches; see kbuild/detail/capture/plan.hpp. */

static inline void kbuild_find_memory(const void *__pointer, struct kbuild_memory *__memory) {
    void *__base = 0;
    size_t __bytes = 0;
    if (kbuild_cpu_find_allocation(__pointer, &__base, &__bytes) != 0 || __base == 0) return;
    __memory->__base = __base;
    __memory->__bytes = __bytes;
    __memory->__kind = KBUILD_MEMORY_DEVICE;
}

static inline const char *kbuild_begin_reading(void *__stream, int *__state) {
    struct kbuild_cpu_capture __capture;
    int __error = kbuild_cpu_describe_capture(&__capture, __stream);
    (void)__state;
    if (__error == 0 && __capture.status != 0) return "launches are being captured in a graph";
    if (__error == 0) __error = kbuild_cpu_synchronize_stream(__stream);
    return __error == 0 ? 0 : kbuild_cpu_error_message(__error);
}

static inline void kbuild_end_reading(int __state) { (void)__state; }

static inline int kbuild_synchronize_stream(void *__stream) {
    return kbuild_cpu_synchronize_stream(__stream);
}

static inline void kbuild_describe_device(char *__device, size_t __device_size, char *__driver,
                                          size_t __driver_size) {
    (void)__device, (void)__device_size, (void)__driver, (void)__driver_size;
}

#endif
#endif
