/* The CPU backend's device runtime, libkbuild_cpu, with one registry per process.
 *
 * Launches and copies are synchronous: when a function returns, its work is done.  Every function
 * is thread-safe and returns a kbuild_cpu_error.  The numbers are those of the corresponding CUDA
 * errors, so that logs of both backends look the same. */
#ifndef KBUILD_CPU_RUNTIME_H
#define KBUILD_CPU_RUNTIME_H

#include <kbuild/detail/cpu_errors.h>
#include <kbuild/module.h>

#ifdef __cplusplus
extern "C" {
#endif

int kbuild_cpu_register(const struct kbuild_module *__module);
void kbuild_cpu_unregister(const struct kbuild_module *__module);

/* Copies and registers images that belong to no artifact: a container, or one image that was built
 * for this machine.  The descriptor lists their kernels.  It is valid until
 * kbuild_cpu_unload_images, which waits for launches. */
int kbuild_cpu_load_images(const struct kbuild_module **__module, const void *__images,
                           size_t __bytes);
void kbuild_cpu_unload_images(const struct kbuild_module *__module);

int kbuild_cpu_resolve(const void *__handle);
int kbuild_cpu_launch(const void *__handle, const struct kbuild_launch_config *__config,
                      void *const *__args);
/* Launches as `<<<>>>` does: more than 48 KiB of dynamic shared memory is an error, unless
 * kbuild_cpu_set_function_attribute raised the kernel's limit. */
int kbuild_cpu_launch_limited(const void *__handle, const struct kbuild_launch_config *__config,
                              void *const *__args);

/* A launch through a debug stub.  The caller pushes the configuration and calls the stub with the
 * kernel's arguments.  The stub can read the configuration, and uses it for the launch.  Then the
 * caller takes the result.  Each thread has one slot. */
int kbuild_cpu_push_configuration(const struct kbuild_launch_config *__config);
int kbuild_cpu_read_configuration(struct kbuild_launch_config *__config);
int kbuild_cpu_launch_from_stub(const void *__handle, void *const *__args);
int kbuild_cpu_take_stub_result(void);

/* Attributes of kernels, with the vendor's numbers. */
struct kbuild_cpu_function {
    const char *symbol;
    size_t static_shared_bytes;
    size_t dynamic_shared_limit;
    int shared_carveout;
    int threads_per_block;
    int registers;
    int version; /* ten times the compute capability */
};
int kbuild_cpu_describe_function(struct kbuild_cpu_function *__function, const void *__handle);
int kbuild_cpu_set_function_attribute(const void *__handle, int __number, int __value);
/* Sets the number of blocks that a core runs at the same time. */
int kbuild_cpu_occupancy(int *__blocks, const void *__handle, int __threads, size_t __shared_bytes,
                         unsigned __flags);
int kbuild_cpu_available_shared_bytes(size_t *__bytes, const void *__handle, int __blocks,
                                      int __threads);

/* Device variables.  `__symbol` is the address of the host variable with the same name. */
int kbuild_cpu_get_symbol_address(void **__pointer, const void *__symbol);
int kbuild_cpu_get_symbol_size(size_t *__bytes, const void *__symbol);
int kbuild_cpu_copy_to_symbol(const void *__symbol, const void *__source, size_t __bytes,
                              size_t __offset);
int kbuild_cpu_copy_from_symbol(void *__destination, const void *__symbol, size_t __bytes,
                                size_t __offset);
/* Sets `data` in the shadows of the module's managed variables.  Skips symbols whose `initialize`
 * is not `__initialize`, because they belong to the program. */
int kbuild_cpu_initialise_managed(const struct kbuild_module *__module, void (*__initialize)(void));

int kbuild_cpu_allocate(void **__pointer, size_t __bytes);
int kbuild_cpu_release(void *__pointer);
/* Finds the allocation or registered memory that contains the address.  Sets a null base if there
 * is none. */
int kbuild_cpu_find_allocation(const void *__pointer, void **__base, size_t *__bytes);
int kbuild_cpu_copy(void *__destination, const void *__source, size_t __bytes,
                    enum kbuild_copy_direction __direction);

enum kbuild_cpu_memory_kind {
    KBUILD_CPU_MEMORY_UNKNOWN = 0,
    KBUILD_CPU_MEMORY_DEVICE = 1,
    KBUILD_CPU_MEMORY_MANAGED = 2,
    KBUILD_CPU_MEMORY_HOST = 3,      /* page-locked, in the vendor's words */
    KBUILD_CPU_MEMORY_REGISTERED = 4 /* host memory that the program allocated by other means */
};

/* `__flags` are the vendor's, and are only kept. */
int kbuild_cpu_allocate_kind(void **__pointer, size_t __bytes, enum kbuild_cpu_memory_kind __kind,
                             unsigned __flags);
int kbuild_cpu_allocate_pitched(void **__pointer, size_t *__pitch, size_t __width, size_t __rows);
int kbuild_cpu_release_host(void *__pointer);
int kbuild_cpu_register_host(void *__pointer, size_t __bytes, unsigned __flags);
int kbuild_cpu_unregister_host(void *__pointer);

struct kbuild_cpu_pointer {
    enum kbuild_cpu_memory_kind kind;
    unsigned flags;
};
int kbuild_cpu_describe_pointer(struct kbuild_cpu_pointer *__description, const void *__pointer);
/* Like kbuild_cpu_describe_pointer, but fails if the address is not in page-locked memory. */
int kbuild_cpu_describe_host(struct kbuild_cpu_pointer *__description, const void *__pointer);

/* The vendor's directions of copies. */
enum kbuild_cpu_copy_kind {
    KBUILD_CPU_COPY_HOST_TO_HOST = 0,
    KBUILD_CPU_COPY_HOST_TO_DEVICE = 1,
    KBUILD_CPU_COPY_DEVICE_TO_HOST = 2,
    KBUILD_CPU_COPY_DEVICE_TO_DEVICE = 3,
    KBUILD_CPU_COPY_DEFAULT = 4
};

/* Rows that are `pitch` bytes apart, in slices of `rows` rows. */
struct kbuild_cpu_area {
    void *start;
    size_t pitch;
    size_t rows;
};

/* A copy of `depth` slices of `height` rows of `width` bytes. */
struct kbuild_cpu_area_copy {
    struct kbuild_cpu_area to;
    struct kbuild_cpu_area from;
    size_t width, height, depth;
    unsigned kind;
};
int kbuild_cpu_copy_area(const struct kbuild_cpu_area_copy *__copy, void *__stream);

struct kbuild_cpu_area_fill {
    struct kbuild_cpu_area to;
    size_t width, height, depth;
    int byte;
};
int kbuild_cpu_fill_area(const struct kbuild_cpu_area_fill *__fill, void *__stream);
/* Arrays, which textures and surfaces read.  The numbers of kinds and flags are the vendor's. */
struct kbuild_cpu_array {
    int channel_bits[4]; /* of each channel, or 0 */
    unsigned kind;
    size_t width, height, depth; /* in elements; 0 for a dimension that does not exist */
    unsigned flags;
    unsigned levels; /* of a mipmapped array; 1 for other arrays */
};
int kbuild_cpu_create_array(void **__array, const struct kbuild_cpu_array *__description);
int kbuild_cpu_destroy_array(void *__array);
int kbuild_cpu_describe_array(struct kbuild_cpu_array *__description, const void *__array);
int kbuild_cpu_create_mipmapped_array(void **__array, const struct kbuild_cpu_array *__description);
int kbuild_cpu_destroy_mipmapped_array(void *__array);
int kbuild_cpu_get_array_level(void **__level, const void *__mipmapped_array, unsigned __level_number);
/* Finds the part of an array for a copy of `__copy->depth` slices of `__copy->height` rows of
 * `__copy->width` bytes, which starts at a byte, row, and slice of the array. */
int kbuild_cpu_find_in_array(struct kbuild_cpu_area *__area, const void *__array, size_t __byte,
                             size_t __row, size_t __slice,
                             const struct kbuild_cpu_area_copy *__copy);

/* Textures and surfaces.  The arguments are the vendor's structures. */
int kbuild_cpu_create_texture(unsigned long long *__texture, const void *__resource,
                              const void *__sampling);
int kbuild_cpu_destroy_texture(unsigned long long __texture);
/* Either address can be null. */
int kbuild_cpu_describe_texture(void *__resource, void *__sampling, unsigned long long __texture);
int kbuild_cpu_create_surface(unsigned long long *__surface, const void *__resource);
int kbuild_cpu_destroy_surface(unsigned long long __surface);
int kbuild_cpu_describe_surface(void *__resource, unsigned long long __surface);

/* Either address can be null. */
int kbuild_cpu_memory_info(size_t *__free, size_t *__total);

/* Streams and events.  The handles 0, 1, and 2 are default streams. */
struct kbuild_cpu_stream {
    unsigned flags;
    int priority;
    unsigned long long id;
};
int kbuild_cpu_create_stream(void **__stream, unsigned __flags, int __priority);
int kbuild_cpu_destroy_stream(void *__stream);
int kbuild_cpu_synchronize_stream(void *__stream);
int kbuild_cpu_describe_stream(struct kbuild_cpu_stream *__description, void *__stream);
int kbuild_cpu_create_event(void **__event, unsigned __flags);
int kbuild_cpu_destroy_event(void *__event);
int kbuild_cpu_record_event(void *__event, void *__stream);
int kbuild_cpu_synchronize_event(void *__event);
int kbuild_cpu_wait_for_event(void *__stream, void *__event);
int kbuild_cpu_elapsed_time(float *__milliseconds, void *__start, void *__end);

/* The device, and its properties. */
int kbuild_cpu_device_count(int *__count);
int kbuild_cpu_set_device(int __device);
/* Writes a cudaDeviceProp of at most `__bytes` bytes. */
int kbuild_cpu_device_properties(void *__properties, size_t __bytes, int __device);
int kbuild_cpu_device_attribute(int *__value, int __number, int __device);
int kbuild_cpu_set_device_flags(unsigned __flags);
int kbuild_cpu_device_flags(unsigned *__flags);
int kbuild_cpu_set_limit(int __limit, size_t __value);
int kbuild_cpu_limit(size_t *__value, int __limit);
/* Releases all memory, streams, and events, and resets limits and attributes.  Does not repair a
 * device that a kernel broke: from then on, calls fail with KBUILD_CPU_DEVICE_UNAVAILABLE. */
int kbuild_cpu_reset_device(void);
int kbuild_cpu_synchronize(void);

/* Errors.  Each thread has a last error, which remains until it is taken.  After a kernel has failed
 * an assertion or has trapped, every call that uses the device fails with the same error, until the
 * device is reset. */
int kbuild_cpu_fail(int __code, const char *__detail); /* sets it, and returns the code */
int kbuild_cpu_peek_error(void);
int kbuild_cpu_take_error(void);
const char *kbuild_cpu_error_name(int __code);
const char *kbuild_cpu_error_text(int __code);
/* Returns the detailed text of the thread's last failure if it has this code. */
const char *kbuild_cpu_error_message(int __code);

#ifdef __cplusplus
}
#endif
#endif
