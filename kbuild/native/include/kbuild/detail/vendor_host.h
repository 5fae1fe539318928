/* The part of the host API that is the same over every GPU vendor's runtime.
 *
 * The vendors' C APIs differ mainly in the prefix of their names.  The host header of a backend
 * (kbuild/host_<backend>.h) defines these macros, includes this header, and then defines the
 * functions that are declared below:
 *
 *     KBUILD_VENDOR(name)             a function or type of the runtime: name with its prefix
 *     KBUILD_VENDOR_INTERNAL(name)    the same for functions that only compilers call
 *     KBUILD_VENDOR_AMBIGUOUS_SYMBOL  the error for a variable that several targets define */
#ifndef KBUILD_DETAIL_VENDOR_HOST_H
#define KBUILD_DETAIL_VENDOR_HOST_H

#include <kbuild/detail/launch/entry.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int kbuild_error_t;

/* Launches with attributes that `kbuild_launch_unprepared` cannot pass on. */
__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_extended(
    const void *kernel, const struct kbuild_launch_config *config, void **args);

/* Takes a faster path, if the backend has one for this kernel.  Returns 0 if it does not;
 * otherwise returns 1 and sets `error` to the outcome of the launch. */
__attribute__((always_inline)) static inline int kbuild_launch_prepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args,
    kbuild_error_t *error);

/* Launches through the runtime with grid, block, shared bytes, and stream only. */
__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_unprepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args);

static inline const char *kbuild_error_message(kbuild_error_t error);

static inline struct dim3 kbuild_to_dim3(struct kbuild_dim3 extent) {
    struct dim3 result;
    result.x = extent.x;
    result.y = extent.y;
    result.z = extent.z;
    return result;
}

/* Launches through the debug stub.  The parameters are numbers because a pointer to the configuration
 * would make compilers keep it in memory for all launches. */
__attribute__((cold, noinline, unused)) static kbuild_error_t kbuild_launch_stub(
    const void *kernel, void **args, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
    uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t shared_bytes, void *stream) {
    const struct kbuild_launch_config config = {{grid_x, grid_y, grid_z},
                                                {block_x, block_y, block_z},
                                                shared_bytes,
                                                stream,
                                                {0, 0, 0},
                                                0,
                                                0,
                                                0};
    return kbuild_launch_in_module(kernel, &config, args);
}

/* The label keeps a copy of this function apart from the linkable one. */
static inline kbuild_error_t kbuild_launch(const void *kernel,
                                           const struct kbuild_launch_config *config,
                                           void **args) __asm__("kbuild_launch_inline");

__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch(
    const void *kernel, const struct kbuild_launch_config *config, void **args) {
    kbuild_error_t error;
    /* This test comes before anything that synchronizes.  A compiler that knows the configuration
     * then sees that no other code has access to it, and keeps it in registers. */
    if (kbuild_is_extended(config)) return kbuild_launch_extended(kernel, config, args);
    if (kbuild_launch_prepared(kernel, config, args, &error)) return error;
    if (kbuild_has_debug_stub(kernel))
        return kbuild_launch_stub(kernel, args, config->grid.x, config->grid.y, config->grid.z,
                                  config->block.x, config->block.y, config->block.z,
                                  config->shared_bytes, config->stream);
    return kbuild_launch_unprepared(kernel, config, args);
}

/* Keeps a configuration that the runtime did not take, and takes a kept one, returning whether there
 * is one.  Debug stubs define them; see kbuild/debug_stub.hpp. */
void kbuild_keep_configuration(const struct kbuild_launch_config *config) KBUILD_STUB_UNIT_FUNCTION;
int kbuild_take_kept_configuration(struct kbuild_launch_config *config) KBUILD_STUB_UNIT_FUNCTION;

/* For launches through a debug stub; see kbuild::launch.  Without a device, HIP takes no configuration.
 * The stub then receives it without the runtime, and its launch fails with the runtime's error. */
static inline kbuild_error_t kbuild_push_configuration(const struct kbuild_launch_config *config) {
    const kbuild_error_t error = (kbuild_error_t)KBUILD_VENDOR_INTERNAL(PushCallConfiguration)(
        kbuild_to_dim3(config->grid), kbuild_to_dim3(config->block), config->shared_bytes,
        (KBUILD_VENDOR(Stream_t))config->stream);
    if (error == 0 || kbuild_keep_configuration == 0) return error;
    kbuild_keep_configuration(config);
    return 0;
}

/* Debug stubs define it; see kbuild/debug_stub.hpp. */
int kbuild_take_launch_result(int *result) KBUILD_STUB_UNIT_FUNCTION;

/* Returns the error of the launch that a debug stub just made.  A stub that kbuild did not
 * generate leaves it with the runtime, as `<<<>>>` does. */
static inline kbuild_error_t kbuild_take_stub_result(void) {
    int result;
    if (kbuild_take_launch_result != 0 && kbuild_take_launch_result(&result)) return result;
    return (kbuild_error_t)KBUILD_VENDOR(PeekAtLastError)();
}

static inline kbuild_error_t kbuild_malloc(void **pointer, size_t bytes) {
    return (kbuild_error_t)KBUILD_VENDOR(Malloc)(pointer, bytes);
}

static inline kbuild_error_t kbuild_free(void *pointer) {
    return (kbuild_error_t)KBUILD_VENDOR(Free)(pointer);
}

static inline kbuild_error_t kbuild_memcpy(void *destination, const void *source, size_t bytes,
                                           enum kbuild_copy_direction direction) {
    static const enum KBUILD_VENDOR(MemcpyKind) kinds[] = {
        KBUILD_VENDOR(MemcpyDefault),
        KBUILD_VENDOR(MemcpyHostToDevice),
        KBUILD_VENDOR(MemcpyDeviceToHost),
        KBUILD_VENDOR(MemcpyDeviceToDevice),
    };
    return (kbuild_error_t)KBUILD_VENDOR(Memcpy)(destination, source, bytes, kinds[direction]);
}

/* Returns how many device variables in the process have this shadow. */
unsigned kbuild_count_definitions(const void *shadow) KBUILD_STUB_UNIT_FUNCTION;

/* Returns whether several variables have the name, so that nobody can tell which one is meant. */
static inline int kbuild_is_ambiguous(const void *symbol) {
    return kbuild_count_definitions != 0 && kbuild_count_definitions(symbol) > 1;
}

/* Device variables.  `symbol` is the address of the host variable of the same name. */
static inline kbuild_error_t kbuild_get_symbol_address(void **pointer, const void *symbol) {
    if (kbuild_is_ambiguous(symbol)) return (kbuild_error_t)KBUILD_VENDOR_AMBIGUOUS_SYMBOL;
    return (kbuild_error_t)KBUILD_VENDOR(GetSymbolAddress)(pointer, symbol);
}

static inline kbuild_error_t kbuild_copy_to_symbol(const void *symbol, const void *source,
                                                   size_t bytes, size_t offset) {
    if (kbuild_is_ambiguous(symbol)) return (kbuild_error_t)KBUILD_VENDOR_AMBIGUOUS_SYMBOL;
    return (kbuild_error_t)KBUILD_VENDOR(MemcpyToSymbol)(symbol, source, bytes, offset,
                                                         KBUILD_VENDOR(MemcpyHostToDevice));
}

static inline kbuild_error_t kbuild_copy_from_symbol(void *destination, const void *symbol,
                                                     size_t bytes, size_t offset) {
    if (kbuild_is_ambiguous(symbol)) return (kbuild_error_t)KBUILD_VENDOR_AMBIGUOUS_SYMBOL;
    return (kbuild_error_t)KBUILD_VENDOR(MemcpyFromSymbol)(destination, symbol, bytes, offset,
                                                           KBUILD_VENDOR(MemcpyDeviceToHost));
}

static inline kbuild_error_t kbuild_synchronize(void) {
    return (kbuild_error_t)KBUILD_VENDOR(DeviceSynchronize)();
}

/* Returns a message for an error of a launch of `kernel`. */
const char *kbuild_explain_launch(const void *kernel, int code) KBUILD_STUB_UNIT_FUNCTION;

/* Explains why a launch of `kernel` failed.  The text is valid until the thread's next call. */
static inline const char *kbuild_launch_error_message(const void *kernel, kbuild_error_t error) {
    return kbuild_explain_launch != 0 ? kbuild_explain_launch(kernel, error)
                                      : kbuild_error_message(error);
}

#ifdef __cplusplus
}
#endif
#endif
