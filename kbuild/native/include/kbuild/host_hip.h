/* The host API over HIP's runtime; included by kbuild.h. Streams are hipStream_t. */
#ifndef KBUILD_HOST_HIP_H
#define KBUILD_HOST_HIP_H

/* HIP's headers have to be told. */
#if !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__has_include)
#if !__has_include(<hip/hip_runtime_api.h>)
#error "no hip/hip_runtime_api.h: link the kbuild target, or add ROCm's include folder"
#endif
#endif
#include <hip/hip_runtime_api.h>
#include <kbuild/module.h>

#ifdef __cplusplus
extern "C" {
#endif

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                      hipStream_t stream);

typedef int kbuild_error_t;

static inline dim3 kbuild_to_hip(struct kbuild_dim3 extent)
{
    dim3 result;
    result.x = extent.x;
    result.y = extent.y;
    result.z = extent.z;
    return result;
}

/* Clusters, programmatic dependent launch and priorities of single launches are not HIP's. */
__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch_extended(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    if (config->cluster.x != 0 || config->programmatic_dependent_launch || config->priority != 0 ||
        config->shared_bytes > UINT32_MAX)
        return (kbuild_error_t)hipErrorNotSupported;
    return (kbuild_error_t)hipLaunchCooperativeKernel(
        kernel, kbuild_to_hip(config->grid), kbuild_to_hip(config->block), args,
        (unsigned)config->shared_bytes, (hipStream_t)config->stream);
}

/* The runtime has nothing that could be prepared. */
static inline int kbuild_launch_prepared(const void *kernel,
                                         const struct kbuild_launch_config *config, void **args,
                                         kbuild_error_t *error)
{
    (void)kernel, (void)config, (void)args, (void)error;
    return 0;
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch_unprepared(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    /* Grids of 2^31 and more, once negative, the runtime takes where blocks are small; no device
     * has them. */
    if (__builtin_expect((config->grid.x | config->grid.y | config->grid.z) > INT32_MAX, 0))
        return (kbuild_error_t)hipErrorInvalidConfiguration;
    return (kbuild_error_t)hipLaunchKernel(kernel, kbuild_to_hip(config->grid),
                                           kbuild_to_hip(config->block), args,
                                           config->shared_bytes, (hipStream_t)config->stream);
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    if (kbuild_is_extended(config))
        return kbuild_launch_extended(kernel, config, args);
    return kbuild_launch_unprepared(kernel, config, args);
}

/* For launches through a debug stub, see kbuild::launch. */
static inline kbuild_error_t kbuild_push_configuration(const struct kbuild_launch_config *config)
{
    return (kbuild_error_t)__hipPushCallConfiguration(
        kbuild_to_hip(config->grid), kbuild_to_hip(config->block), config->shared_bytes,
        (hipStream_t)config->stream);
}

/* Debug stubs have it; see kbuild/debug_stub.hpp. */
int kbuild_take_launch_result(int *result) __attribute__((weak));

/* The stub's launch leaves its error with the runtime, as `<<<>>>` does. */
static inline kbuild_error_t kbuild_take_stub_result(void)
{
    int result;
    if (kbuild_take_launch_result != 0 && kbuild_take_launch_result(&result))
        return result;
    return (kbuild_error_t)hipPeekAtLastError();
}

static inline kbuild_error_t kbuild_malloc(void **pointer, size_t bytes)
{
    return (kbuild_error_t)hipMalloc(pointer, bytes);
}

static inline kbuild_error_t kbuild_free(void *pointer)
{
    return (kbuild_error_t)hipFree(pointer);
}

static inline kbuild_error_t kbuild_memcpy(void *destination, const void *source, size_t bytes,
                                           enum kbuild_copy_direction direction)
{
    static const hipMemcpyKind kinds[] = { hipMemcpyDefault, hipMemcpyHostToDevice,
                                           hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice };
    return (kbuild_error_t)hipMemcpy(destination, source, bytes, kinds[direction]);
}

/* Every stub unit has it: how many kernel targets of the process define the variable. */
unsigned kbuild_count_definitions(const void *shadow) __attribute__((weak));

/* Of one name and several variables, none is the one that was meant. */
static inline int kbuild_is_ambiguous(const void *symbol)
{
    return kbuild_count_definitions != 0 && kbuild_count_definitions(symbol) > 1;
}

/* Device variables, by the address of what bears their name. */
static inline kbuild_error_t kbuild_get_symbol_address(void **pointer, const void *symbol)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)hipErrorInvalidSymbol;
    return (kbuild_error_t)hipGetSymbolAddress(pointer, symbol);
}

static inline kbuild_error_t kbuild_copy_to_symbol(const void *symbol, const void *source,
                                                   size_t bytes, size_t offset)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)hipErrorInvalidSymbol;
    return (kbuild_error_t)hipMemcpyToSymbol(symbol, source, bytes, offset,
                                             hipMemcpyHostToDevice);
}

static inline kbuild_error_t kbuild_copy_from_symbol(void *destination, const void *symbol,
                                                     size_t bytes, size_t offset)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)hipErrorInvalidSymbol;
    return (kbuild_error_t)hipMemcpyFromSymbol(destination, symbol, bytes, offset,
                                               hipMemcpyDeviceToHost);
}

static inline kbuild_error_t kbuild_synchronize(void)
{
    return (kbuild_error_t)hipDeviceSynchronize();
}

static inline const char *kbuild_error_message(kbuild_error_t error)
{
    int count = 0;
    /* HIP has several codes for it, and before 5.3 no texts. */
    if (error == (kbuild_error_t)hipErrorNoDevice ||
        (error == (kbuild_error_t)hipErrorInvalidDevice && hipGetDeviceCount(&count) != hipSuccess))
        return "no AMD device";
    return hipGetErrorString((hipError_t)error);
}

/* Every stub unit has it. */
const char *kbuild_explain_launch(const void *kernel, int code) __attribute__((weak));

/* What a failed launch of `kernel` is due to; valid until the thread's next call. */
static inline const char *kbuild_launch_error_message(const void *kernel, kbuild_error_t error)
{
    return kbuild_explain_launch != 0 ? kbuild_explain_launch(kernel, error)
                                      : kbuild_error_message(error);
}

#ifdef __cplusplus
}
#endif
#endif
