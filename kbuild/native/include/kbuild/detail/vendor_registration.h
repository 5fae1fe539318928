/* The part of stub units that is the same over every GPU vendor's runtime.
 *
 * The registration header of a backend (kbuild/<backend>_registration.h) defines the macros of
 * kbuild/detail/vendor_tables.h, and includes that header. Unless the unit consists of tables only, it
 * then includes kbuild/host_<backend>.h, declares the runtime's internal functions, defines these
 * macros, includes this header, and then defines the functions that are declared below:
 *
 *     KBUILD_VENDOR_ATTRIBUTE(name)       a device attribute
 *     KBUILD_VENDOR_SHARED_BYTES          the attribute for the shared memory of a block, the most
 *                                         that a kernel can opt in to
 *     KBUILD_VENDOR_REJECTS_DUPLICATES    1 if two variables cannot be registered at one address
 *
 * If the stub unit registers the result of a device link, it defines KBUILD_LINKED_OBJECTS, the list of
 * the ids of the objects, and KBUILD_LINKED_OBJECT_COUNT. */
#ifndef KBUILD_DETAIL_VENDOR_REGISTRATION_H
#define KBUILD_DETAIL_VENDOR_REGISTRATION_H

#include <kbuild/detail/launch/limits.h>
#include <kbuild/detail/launch/memory.h>
#include <kbuild/detail/module_search.h>
#include <kbuild/detail/vendor_tables.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns whether the error can mean that the artifact has no code for the device. */
static inline int kbuild_is_about_architectures(int code);

/* Writes the device's architecture; returns 0 if the runtime does not know it. */
static inline int kbuild_name_architecture(int device, char *name, size_t size);

static inline void kbuild_register_managed(void **container,
                                           const struct kbuild_variable *variable);

/* Completes the registration of a container, whose kernels and variables are registered. */
static inline void kbuild_finish_container(void **container);

/* Makes the runtime allocate the managed variables of a container. */
static inline void kbuild_initialize_container(void **container);

static int kbuild_count_devices(int *count) { return (int)KBUILD_VENDOR(GetDeviceCount)(count); }

static int kbuild_resolve_kernel(const void *handle) {
    struct KBUILD_VENDOR(FuncAttributes) attributes;
    return (int)KBUILD_VENDOR(FuncGetAttributes)(&attributes, handle);
}

/* Calls the debug stub of a kernel of this stub unit, which defines it.  Returns whether the kernel
 * has one. */
#ifdef KBUILD_HAS_DEBUG_STUBS
static int kbuild_call_stub(const void *handle, void *const *args);
#endif

static int kbuild_launch_kernel(const void *handle, const struct kbuild_launch_config *config,
                                void *const *args) {
    kbuild_error_t error;
    if (kbuild_is_extended(config)) return kbuild_launch_extended(handle, config, (void **)args);
    if (kbuild_launch_prepared(handle, config, (void **)args, &error)) return error;
#ifdef KBUILD_HAS_DEBUG_STUBS
    if (*(const void *const *)handle != 0) {
        error = kbuild_push_configuration(config);
        if (error == 0 && kbuild_call_stub(handle, args)) error = kbuild_take_stub_result();
        return error;
    }
#endif
    return kbuild_launch_unprepared(handle, config, (void **)args);
}

/* Explains a failure of the module's kernels.  If the artifact might have no code for the device,
 * the message names both.  The text is valid until the thread's next call. */
static inline const char *kbuild_explain_for_module(const struct kbuild_module *module, int code) {
    static __thread char text[512];
    char architecture[65];
    int device = 0;
    if (!kbuild_is_about_architectures(code) ||
        KBUILD_VENDOR(GetDevice)(&device) != KBUILD_VENDOR(Success) ||
        !kbuild_name_architecture(device, architecture, sizeof architecture))
        return kbuild_error_message(code);
    snprintf(text, sizeof text, "%s: the device is %s, and %.128s was built for",
             kbuild_error_message(code), architecture, module->target);
    kbuild_list_architectures(module, text, sizeof text);
    return text;
}

/* The stub unit's own module. */
static const struct kbuild_module *kbuild_own_module;

/* See `error_message` in kbuild/module.h. */
static const char *kbuild_explain_error(int code) {
    (void)KBUILD_VENDOR(GetLastError)();
    return kbuild_own_module != 0 ? kbuild_explain_for_module(kbuild_own_module, code)
                                  : kbuild_error_message(code);
}

KBUILD_REGISTRATION_DATA struct kbuild_runtime kbuild_runtime KBUILD_RELRO = {
    kbuild_count_devices, kbuild_resolve_kernel, kbuild_launch_kernel, kbuild_malloc,
    kbuild_free,          kbuild_memcpy,         kbuild_synchronize,   kbuild_explain_error,
};

/* The runtime's handle for each container of the module.  A container that was linked into
 * another one has no wrapper, and therefore a null handle. */
static void ***kbuild_registered_containers;
static uint64_t kbuild_container_count;

/* Allocates the managed variables.  If this fails, they remain null. */
KBUILD_REGISTRATION_FUNCTION void kbuild_initialize_managed(void) {
    uint64_t index;
    for (index = 0; index < kbuild_container_count; index++)
        if (kbuild_registered_containers[index] != 0)
            kbuild_initialize_container(kbuild_registered_containers[index]);
}

static inline void kbuild_register_variable(void **container,
                                            const struct kbuild_variable *variable) {
    char *const name = (char *)variable->device_name;
    if ((variable->kind & KBUILD_VARIABLE_FOREIGN) != 0) return;
    if (kbuild_is_managed(variable, kbuild_initialize_managed))
        kbuild_register_managed(container, variable);
    else if (variable->kind != KBUILD_VARIABLE_MANAGED &&
             (!KBUILD_VENDOR_REJECTS_DUPLICATES || kbuild_count_shadows(variable->shadow) == 1))
        KBUILD_VENDOR_INTERNAL(RegisterVar)(container, (char *)variable->shadow, name, name, 0,
                                            variable->size,
                                            variable->kind == KBUILD_VARIABLE_CONSTANT, 0);
}

/* Registers the kernels and variables of a container.  The rows of both tables are in the order of
 * the containers; those before `row` and `variable` are registered. */
static inline void kbuild_register_rows(const struct kbuild_module *module, uint64_t index,
                                        void **container, uint64_t *row, uint64_t *variable) {
    kbuild_registered_containers[index] = container;
    for (; *row < module->kernel_count && module->kernels[*row].container == index; ++*row) {
        const struct kbuild_kernel *kernel = &module->kernels[*row];
        KBUILD_VENDOR_INTERNAL(RegisterFunction)(container, (const char *)kernel->handle,
                                                 (char *)kernel->device_name, kernel->device_name,
                                                 -1, 0, 0, 0, 0, 0);
    }
    for (; *variable < module->variable_count && module->variables[*variable].container == index;
         ++*variable)
        kbuild_register_variable(container, &module->variables[*variable]);
}

#ifdef KBUILD_LINKED_OBJECTS
static inline void kbuild_register_objects(void **container);
#endif

/* Prepares the registration of the module.  Returns whether there is memory for it. */
static inline int kbuild_begin_registration(const struct kbuild_module *module) {
    kbuild_own_module = module;
    kbuild_registered_containers =
        (void ***)calloc((size_t)module->container_count, sizeof *kbuild_registered_containers);
    if (kbuild_registered_containers == 0) return 0;
    kbuild_container_count = module->container_count;
    return 1;
}

KBUILD_REGISTRATION_FUNCTION void kbuild_register_containers(const struct kbuild_module *module,
                                                             void (*unregister)(void)) {
    uint64_t index, row = 0, variable = 0;
    if (!kbuild_begin_registration(module)) return;
    for (index = 0; index < module->container_count; index++) {
        void **container;
        const void *const wrapper = module->containers[index].wrapper;
        if (wrapper == 0) continue;
        container = KBUILD_VENDOR_INTERNAL(RegisterFatBinary)((void *)wrapper);
        kbuild_register_rows(module, index, container, &row, &variable);
#ifdef KBUILD_LINKED_OBJECTS
        kbuild_register_objects(container); /* linked code is one container */
#endif
        kbuild_finish_container(container);
    }
    (void)atexit(unregister);
}

/* Whether a device link registers the container of the module, and removes it. */
static int kbuild_is_linked;

/* The device link calls it with the container that it registers, when all of its objects have
 * registered. */
static inline void kbuild_register_in_linked(void **container) {
    uint64_t row = 0, variable = 0;
    if (kbuild_registered_containers != 0)
        kbuild_register_rows(kbuild_own_module, 0, container, &row, &variable);
}

/* The device link passes it an address that must not be optimized away. */
static inline void kbuild_refer(void *address) { __asm__ volatile("" : : "r"(address)); }

KBUILD_REGISTRATION_FUNCTION void kbuild_register_by_link(const struct kbuild_module *module,
                                                          void (*unregister)(void),
                                                          kbuild_link_function *link,
                                                          const char *id) {
    if (!kbuild_begin_registration(module)) return;
    kbuild_is_linked = 1;
    link(kbuild_register_in_linked, (void *)module->containers[0].wrapper, (void *)id,
         kbuild_refer);
    (void)atexit(unregister);
}

KBUILD_REGISTRATION_FUNCTION void kbuild_unregister_module(const struct kbuild_module *module) {
    uint64_t index;
    if (kbuild_registered_containers == 0) return;
    for (index = 0; !kbuild_is_linked && index < module->container_count; index++)
        if (kbuild_registered_containers[index] != 0)
            KBUILD_VENDOR_INTERNAL(UnregisterFatBinary)(kbuild_registered_containers[index]);
    free(kbuild_registered_containers);
    kbuild_registered_containers = 0;
    kbuild_container_count = 0;
}

#ifdef KBUILD_LINKED_OBJECTS
/* The objects whose device code was linked, in the order in which their constructors run. */
static struct {
    void (*add)(void **);
    const void *data;
} kbuild_objects[KBUILD_LINKED_OBJECT_COUNT];
static unsigned kbuild_object_count;
/* What the constructor of this unit registers.  `data` is the end of the list of containers that the
 * runtime links if no linked image is suitable. */
static struct {
    const struct kbuild_module *module;
    void (*unregister)(void);
    const void **data;
} kbuild_linked;

/* Registers the linked code when the constructors of all objects, and of this unit, have run. */
static inline void kbuild_register_if_complete(void) {
    unsigned index;
    if (kbuild_linked.module == 0 || kbuild_object_count != KBUILD_LINKED_OBJECT_COUNT) return;
    for (index = 0; index < kbuild_object_count; index++)
        kbuild_linked.data[index] = kbuild_objects[index].data;
    kbuild_register_module(kbuild_linked.module, kbuild_linked.unregister);
}

static inline void kbuild_register_linked_module(const struct kbuild_module *module,
                                                 void (*unregister)(void), const void **data) {
    kbuild_linked.module = module;
    kbuild_linked.unregister = unregister;
    kbuild_linked.data = data;
    kbuild_register_if_complete();
}

static inline void kbuild_register_objects(void **container) {
    unsigned index;
    for (index = 0; index < kbuild_object_count; index++) kbuild_objects[index].add(container);
}

static inline void kbuild_add_object(void (*add)(void **), const struct kbuild_wrapper *wrapper) {
    kbuild_objects[kbuild_object_count].add = add;
    kbuild_objects[kbuild_object_count++].data = wrapper->data;
    kbuild_register_if_complete();
}

/* Defines what an object refers to, and refers to the object, so that a linker takes it from its
 * archive. */
#define KBUILD_DEFINE_LINKED_OBJECT(id) \
    extern const struct kbuild_wrapper __fatbinwrap##id; \
    void KBUILD_VENDOR_LINK_FUNCTION(id)(void (*add)(void **), void *wrapper, void *name, \
                                         void (*refer)(void *)) \
        __attribute__((visibility("hidden"))); \
    void KBUILD_VENDOR_LINK_FUNCTION(id)(void (*add)(void **), void *wrapper, void *name, \
                                         void (*refer)(void *)) { \
        (void)wrapper, (void)name, (void)refer; \
        kbuild_add_object(add, &__fatbinwrap##id); \
    }
KBUILD_LINKED_OBJECTS(KBUILD_DEFINE_LINKED_OBJECT)
#endif

/* These two search all modules of the process.  Every stub unit defines them in the same way, so
 * it does not matter whose definition the linker keeps.  See kbuild/detail/vendor_host.h. */
const char *kbuild_explain_launch(const void *kernel, int code) {
    const struct kbuild_module *const module =
        kbuild_is_about_architectures(code) ? kbuild_find_module(kernel) : 0;
    return module != 0 ? kbuild_explain_for_module(module, code) : kbuild_error_message(code);
}

unsigned kbuild_count_definitions(const void *shadow) { return kbuild_count_shadows(shadow); }

/* The rest of this file serves debug stubs; see kbuild/debug_stub.hpp. */

static inline int kbuild_take_configuration(struct kbuild_launch_config *config) {
    struct dim3 grid, block;
    KBUILD_VENDOR(Stream_t) stream;
    const int error = (int)KBUILD_VENDOR_INTERNAL(PopCallConfiguration)(
        &grid, &block, &config->shared_bytes, &stream);
    if (error != 0 && kbuild_take_kept_configuration != 0 && kbuild_take_kept_configuration(config))
        return 0;
    config->grid.x = grid.x;
    config->grid.y = grid.y;
    config->grid.z = grid.z;
    config->block.x = block.x;
    config->block.y = block.y;
    config->block.z = block.z;
    config->stream = (void *)stream;
    return error;
}

/* Records that a kernel was called.  Returns whether the caller had pushed a configuration. */
static inline int kbuild_discard_configuration(void) {
    struct kbuild_launch_config config, none;
    const int is_pushed = kbuild_take_configuration(&config) == 0;
    memset(&none, 0, sizeof none);
    if (KBUILD_VENDOR(PeekAtLastError)() == KBUILD_VENDOR(Success))
        (void)kbuild_launch_unprepared(0, &none, 0); /* of no kernel */
    return is_pushed;
}

#include <kbuild/detail/instances.h>

/* Returns an attribute of the current device, or 0 if the runtime does not know it. */
static inline uint32_t kbuild_read_attribute(kbuild_vendor_attribute attribute) {
    int device = 0, value = 0;
    if (KBUILD_VENDOR(GetDevice)(&device) != KBUILD_VENDOR(Success) ||
        KBUILD_VENDOR(DeviceGetAttribute)(&value, attribute, device) != KBUILD_VENDOR(Success))
        return 0;
    return (uint32_t)value;
}

static inline int kbuild_find_device(void) {
    int device;
    return KBUILD_VENDOR(GetDevice)(&device) == KBUILD_VENDOR(Success) ? device : -1;
}

static inline int kbuild_find_limits(const void *handle, struct kbuild_launch_limits *limits) {
    struct KBUILD_VENDOR(FuncAttributes) kernel;
    const int error = (int)KBUILD_VENDOR(FuncGetAttributes)(&kernel, handle);
    if (error != 0) return error;
    limits->grid.x = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxGridDimX));
    limits->grid.y = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxGridDimY));
    limits->grid.z = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxGridDimZ));
    limits->block.x = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxBlockDimX));
    limits->block.y = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxBlockDimY));
    limits->block.z = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxBlockDimZ));
    limits->device_threads = kbuild_read_attribute(KBUILD_VENDOR_ATTRIBUTE(MaxThreadsPerBlock));
    limits->kernel_threads = (uint32_t)kernel.maxThreadsPerBlock;
    limits->device_shared_bytes = kbuild_read_attribute(KBUILD_VENDOR_SHARED_BYTES);
    limits->static_shared_bytes = kernel.sharedSizeBytes;
    return 0;
}

/* As the vendors' own stubs do, this passes the handle to the runtime. */
static inline int kbuild_launch_from_stub(const void *handle,
                                          const struct kbuild_launch_config *config,
                                          void *const *args) {
    return kbuild_launch_unprepared(handle, config, (void **)args);
}

static inline int kbuild_synchronize_stream(void *stream) {
    return (int)KBUILD_VENDOR(StreamSynchronize)((KBUILD_VENDOR(Stream_t))stream);
}

#ifdef __cplusplus
}
#endif
#endif
