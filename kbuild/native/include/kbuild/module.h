/* The module descriptor, which describes an artifact's kernels to programs that load it.
 *
 * The stub unit of each kernel target defines one descriptor, `kbuild_module_<target>`.  The
 * layout is frozen: tests/tools/native checks every offset, and a change needs a new KBUILD_MODULE_ABI.
 * `record` points to the kernel table (names, types, image hashes) as JSON text.  The ELF note
 * `.note.kbuild` contains the same bytes. */
#ifndef KBUILD_MODULE_H
#define KBUILD_MODULE_H

#include <kbuild/detail/integers.h>
#include <stddef.h>

#define KBUILD_MODULE_ABI 1

/* For data that only relocations write.  The data must not be const: gcc rejects a section that
 * contains both const and non-const data. */
#define KBUILD_RELRO __attribute__((section(".data.rel.ro")))

struct kbuild_dim3 {
    kbuild_uint32 x, y, z;
};

/* One launch.  A `cluster` of {0,0,0} means no clusters, and a `priority` of 0 the stream's own. */
struct kbuild_launch_config {
    struct kbuild_dim3 grid;
    struct kbuild_dim3 block;
    size_t shared_bytes;
    void *stream;
    struct kbuild_dim3 cluster;
    kbuild_uint32 cooperative;
    kbuild_uint32 programmatic_dependent_launch;
    kbuild_int32 priority;
};

/* Returns whether a launch has attributes beyond grid, block, shared bytes, and stream.  A pushed
 * configuration and the simplest launch functions of the runtimes have room only for those four. */
static inline int kbuild_is_extended(const struct kbuild_launch_config *__config) {
    return __config->cluster.x != 0 || __config->cooperative ||
           __config->programmatic_dependent_launch || __config->priority != 0;
}

struct kbuild_param {
    kbuild_uint32 offset;
    kbuild_uint32 size;
};

/* A flag of `container`: `handle` points to a slot with the address of the handle.  A linker can keep
 * another file's handle of an instance of a template.  The constructor clears the flag before it
 * registers the module. */
#define KBUILD_KERNEL_INDIRECT 0x80000000u

/* One kernel.  Launches identify it by its `handle`: the address of the global variable with the
 * kernel's name.  That variable contains the address of the debug stub, or null.  The one of an
 * explicit instance of a template contains code, which reports that the kernel was called. */
struct kbuild_kernel {
    const void *handle;
    const char *device_name;
    const struct kbuild_param *params;
    kbuild_uint32 param_count;
    kbuild_uint32 container; /* possibly with the flag */
};

/* One container: the device images of one source.  `wrapper` is the vendor's wrapper record, or
 * null if the backend has none. */
struct kbuild_container {
    const void *data;
    kbuild_uint64 size;
    const void *wrapper;
};

enum kbuild_variable_kind {
    KBUILD_VARIABLE_DEVICE = 0,
    KBUILD_VARIABLE_CONSTANT = 1,
    KBUILD_VARIABLE_MANAGED = 2
};

/* A flag of `kind`: `shadow` points to a slot with the address of the shadow.  The linker can discard
 * what a host text defines if another file defines the same, but not the slot.  The constructor
 * clears the flag before it registers the module. */
#define KBUILD_VARIABLE_INDIRECT 0x80000000u
/* A flag of `kind` that the constructor sets: another loaded file provides the shadow, which is the
 * one that host code names.  Only the row of that file identifies the variable. */
#define KBUILD_VARIABLE_FOREIGN 0x40000000u

/* One device variable.  Copies to and from the device identify it by its `shadow`: the address of a
 * host variable with the same name.  The content of the shadow has no meaning, except that the
 * shadow of a managed variable is a struct kbuild_managed. */
struct kbuild_variable {
    void *shadow;
    const char *device_name;
    kbuild_uint64 size;
    kbuild_uint32 container;
    kbuild_uint32 kind; /* enum kbuild_variable_kind, possibly with flags */
};

/* Returns the shadow, also before the constructor has run. */
static inline void *kbuild_find_shadow(const struct kbuild_variable *__variable) {
    return (__variable->kind & KBUILD_VARIABLE_INDIRECT) != 0 ? *(void **)__variable->shadow
                                                              : __variable->shadow;
}

/* The shadow of a managed variable.  `data` is the variable's address, or null before `initialize`
 * is called.  `initial` is the initial content, for runtimes that need it from the host. */
struct kbuild_managed {
    void *data;
    void (*initialize)(void);
    const void *initial;
};

/* Returns whether the symbol still is the shadow of a managed variable.  A program can define its
 * own variable with the name of a static device variable.  Images do not tell which device
 * variables are static, so this check prevents writes to the program's variable. */
static inline int kbuild_is_managed(const struct kbuild_variable *__variable,
                                    void (*__initialize)(void)) {
    return __variable->kind == KBUILD_VARIABLE_MANAGED &&
           ((const struct kbuild_managed *)__variable->shadow)->initialize == __initialize;
}

/* Returns the address of a managed variable, which is the same on the host and on the device.
 * Returns null if there is no device or the variable is not managed.  `variable` is the address of
 * the host variable with the same name. */
static inline void *kbuild_managed_data(const void *__variable) {
    const struct kbuild_managed *__managed = (const struct kbuild_managed *)__variable;
    /* The host declares the name with the variable's type, not with that of the shadow. */
    __asm__("" : "+r"(__managed) : : "memory");
    if (__managed->data == 0) {
        if (__managed->initialize == 0) /* the shadow of a variable that is not managed */
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

/* The runtime that the artifact is linked to.  Every function returns 0 or an error code of that
 * runtime.  `error_message` explains the code of the calling thread's last failure, and never
 * returns null.  It also takes the error from the runtime, which would otherwise report it to the next
 * library of the process that asks, such as PyTorch.  `resolve` finds and loads the kernel's image. */
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
    kbuild_uint32 abi;
    kbuild_uint32 size; /* sizeof(struct kbuild_module) when the artifact was built */
    const char *target;
    const char *backend;
    const char *record; /* JSON, record_size bytes, not NUL-terminated */
    kbuild_uint64 record_size;
    const struct kbuild_kernel *kernels; /* in the order of their containers */
    kbuild_uint64 kernel_count;
    const struct kbuild_container *containers;
    kbuild_uint64 container_count;
    const struct kbuild_runtime *runtime;
    /* Descriptors of older versions end here; check `size` before reading the following members. */
    const struct kbuild_variable *variables; /* in the order of their containers */
    kbuild_uint64 variable_count;
};

/* The note `.note.kbuild`: owner "kbuild", type KBUILD_NOTE_TYPE.  Its description starts with this
 * header, which the record (JSON) follows immediately.  The three distances are relative to the
 * address of the field itself, so that the note needs no relocation at run time. */
#define KBUILD_NOTE_TYPE 1
#define KBUILD_NOTE_VERSION 1
struct kbuild_note_header {
    kbuild_uint32 version;
    kbuild_uint32 header_size;
    kbuild_int64 descriptor;  /* to struct kbuild_module */
    kbuild_int64 constructor; /* to the function that registers the module */
    kbuild_int64 unregister;  /* to the function that unregisters the module */
    kbuild_uint64 record_size;
};

#endif
