/* The module descriptor: what an artifact with kernels tells whoever opens it.
 *
 * A stub unit defines one `kbuild_module_<target>` per kernel target.  The layout is
 * frozen: tests/abi checks every offset, and KBUILD_MODULE_ABI changes when it does.
 * The kernel table itself (names, types, image hashes) is serialized once, as the JSON
 * text that `record` points to; the ELF note `.note.kbuild` carries the same bytes.
 */
#ifndef KBUILD_MODULE_H
#define KBUILD_MODULE_H

#include <stddef.h>
#include <stdint.h>

#define KBUILD_MODULE_ABI 1

/* For data that only relocation writes.  What bears it must not be const: gcc would make
 * the section read-only for the const and writable for the rest, and refuse. */
#define KBUILD_RELRO __attribute__((section(".data.rel.ro")))

struct kbuild_dim3 {
    uint32_t x, y, z;
};

/* One launch.  `cluster` of {0,0,0} means none, `priority` 0 that of the stream. */
struct kbuild_launch_config {
    struct kbuild_dim3 grid;
    struct kbuild_dim3 block;
    size_t shared_bytes;
    void *stream;
    struct kbuild_dim3 cluster;
    uint32_t cooperative;
    uint32_t programmatic_dependent_launch;
    int32_t priority;
};

/* Whether a launch has more than grid, block, shared bytes and stream: all that a pushed
 * configuration holds, and that runtimes' plainest launches take. */
static inline int kbuild_is_extended(const struct kbuild_launch_config *__config)
{
    return __config->cluster.x != 0 || __config->cooperative ||
           __config->programmatic_dependent_launch || __config->priority != 0;
}

struct kbuild_param {
    uint32_t offset;
    uint32_t size;
};

/* One kernel.  `handle` is the identity that launches pass: the address of the global
 * variable bearing the kernel's name, whose content is the debug stub or null. */
struct kbuild_kernel {
    const void *handle;
    const char *device_name;
    const struct kbuild_param *params;
    uint32_t param_count;
    uint32_t container;
};

/* One container: the device images of one source. `wrapper` is the vendor's wrapper
 * record where the backend has one, else null. */
struct kbuild_container {
    const void *data;
    uint64_t size;
    const void *wrapper;
};

enum kbuild_variable_kind {
    KBUILD_VARIABLE_DEVICE = 0,
    KBUILD_VARIABLE_CONSTANT = 1,
    KBUILD_VARIABLE_MANAGED = 2
};

/* One device variable.  `shadow` is the identity that copies to and from the device take:
 * the address of a host variable bearing its name, whose content means nothing.  That of a
 * managed variable is a struct kbuild_managed. */
struct kbuild_variable {
    void *shadow;
    const char *device_name;
    uint64_t size;
    uint32_t container;
    uint32_t kind; /* enum kbuild_variable_kind */
};

/* Where a managed variable is: null until `initialize` was called.  `initial` is what it holds
 * at first, for runtimes that ask the host for it. */
struct kbuild_managed {
    void *data;
    void (*initialize)(void);
    const void *initial;
};

/* Whether the name still is the shadow's: a program may have a variable of its own of the
 * name of a static one in device code, which images do not tell from others, and nothing
 * may be written there. */
static inline int kbuild_is_managed(const struct kbuild_variable *__variable,
                                    void (*__initialize)(void))
{
    return __variable->kind == KBUILD_VARIABLE_MANAGED &&
           ((const struct kbuild_managed *)__variable->shadow)->initialize == __initialize;
}

/* The memory of a managed variable, on the host and on the device; null where there is no
 * device, or the variable is not a managed one.  `variable` is the address of what bears its
 * name. */
static inline void *kbuild_managed_data(const void *__variable)
{
    const struct kbuild_managed *__managed = (const struct kbuild_managed *)__variable;
    /* The host's declaration of the name says nothing of what lies there. */
    __asm__("" : "+r"(__managed) : : "memory");
    if (__managed->data == 0) {
        if (__managed->initialize == 0) /* another variable's shadow, which holds nothing */
            return 0;
        __managed->initialize();
        __asm__("" : : : "memory");
    }
    return __managed->data;
}

enum kbuild_copy_direction {
    KBUILD_COPY_TO_DEVICE = 1,
    KBUILD_COPY_TO_HOST = 2,
    KBUILD_COPY_ON_DEVICE = 3
};

/* The runtime the artifact itself is linked to.  Every function returns 0 or the
 * runtime's own error code; `error_message` explains a code of the calling thread's last
 * failure, and never returns null. `resolve` finds the kernel's image and loads it. */
struct kbuild_runtime {
    int (*device_count)(int *__count);
    int (*resolve)(const void *__handle);
    int (*launch)(const void *__handle, const struct kbuild_launch_config *__config,
                  void *const *__args);
    int (*allocate)(void **__pointer, size_t __bytes);
    int (*release)(void *__pointer);
    int (*copy)(void *__destination, const void *__source, size_t __bytes,
                enum kbuild_copy_direction __direction);
    int (*synchronize)(void);
    const char *(*error_message)(int __code);
};

struct kbuild_module {
    uint32_t abi;
    uint32_t size; /* sizeof(struct kbuild_module) of the artifact's kbuild */
    const char *target;
    const char *backend;
    const char *record; /* JSON, record_size bytes, not NUL-terminated */
    uint64_t record_size;
    const struct kbuild_kernel *kernels; /* in the order of their containers */
    uint64_t kernel_count;
    const struct kbuild_container *containers;
    uint64_t container_count;
    const struct kbuild_runtime *runtime;
    /* Since here, only where `size` reaches so far. */
    const struct kbuild_variable *variables; /* likewise */
    uint64_t variable_count;
};

/* `.note.kbuild`: owner "kbuild", type KBUILD_NOTE_TYPE.  The description starts with
 * this header; the record (JSON) follows at once.  The three distances are relative to
 * the address of the field itself, so that the note needs no run-time relocation. */
#define KBUILD_NOTE_TYPE 1
#define KBUILD_NOTE_VERSION 1
struct kbuild_note_header {
    uint32_t version;
    uint32_t header_size;
    int64_t descriptor;  /* to struct kbuild_module */
    int64_t constructor; /* to the function that registers */
    int64_t unregister;  /* to the function that unregisters */
    uint64_t record_size;
};

#endif
