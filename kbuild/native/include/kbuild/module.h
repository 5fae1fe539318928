/* The module descriptor: what an artifact with kernels tells whoever opens it.
 *
 * A stub unit defines one `kbuild_module_<target>` per kernel target.  The layout is
 * frozen: tests/abi checks every offset, and KBUILD_MODULE_ABI changes when it does.
 * The kernel table itself (names, types, image hashes) is serialised once, as the JSON
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

/* One launch.  `cluster` of {0,0,0} means none. */
struct kbuild_launch_config {
    struct kbuild_dim3 grid;
    struct kbuild_dim3 block;
    size_t shared_bytes;
    void *stream;
    struct kbuild_dim3 cluster;
    uint32_t cooperative;
    uint32_t programmatic_dependent_launch;
};

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
    const struct kbuild_kernel *kernels;
    uint64_t kernel_count;
    const struct kbuild_container *containers;
    uint64_t container_count;
    const struct kbuild_runtime *runtime;
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
