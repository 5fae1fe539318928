/* The host API over HIP's runtime; included by kbuild.h.  Streams are hipStream_t. */
#if !defined(KBUILD_HOST_HIP_H) && defined(KBUILD_HOST_BACKEND)
#error \
    "this file already uses kbuild's host API for another backend: launch the kernels of each backend in a separate source file, and include <target>_kernels.hpp or <target>_kernels.h before kbuild's headers"
#elif !defined(KBUILD_HOST_HIP_H)
#define KBUILD_HOST_HIP_H
#define KBUILD_HOST_BACKEND "hip"

/* HIP's headers do not choose a platform themselves. */
#if !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__has_include)
#if !__has_include(<hip/hip_runtime_api.h>)
#error "hip/hip_runtime_api.h not found: link the kbuild target, or add ROCm's include directory"
#endif
#endif
#include <hip/hip_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                      hipStream_t stream);
#ifdef __cplusplus
}
#endif

#define KBUILD_VENDOR(name) hip##name
#define KBUILD_VENDOR_INTERNAL(name) __hip##name
#define KBUILD_VENDOR_AMBIGUOUS_SYMBOL hipErrorInvalidSymbol
#include <kbuild/detail/vendor_host.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* HIP does not support clusters, programmatic dependent launch, or priorities of launches. */
__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_extended(
    const void *kernel, const struct kbuild_launch_config *config, void **args) {
    if (config->cluster.x != 0 || config->programmatic_dependent_launch || config->priority != 0 ||
        config->shared_bytes > UINT32_MAX)
        return (kbuild_error_t)hipErrorNotSupported;
    return (kbuild_error_t)hipLaunchCooperativeKernel(
        kernel, kbuild_to_dim3(config->grid), kbuild_to_dim3(config->block), args,
        (unsigned)config->shared_bytes, (hipStream_t)config->stream);
}

/* HIP's runtime has no faster path. */
__attribute__((always_inline)) static inline int kbuild_launch_prepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args,
    kbuild_error_t *error) {
    (void)kernel, (void)config, (void)args, (void)error;
    return 0;
}

__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_unprepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args) {
    /* If blocks are small, the runtime accepts grids of 2^31 and more, such as converted negative
     * numbers.  No device supports them. */
    if (__builtin_expect((config->grid.x | config->grid.y | config->grid.z) > INT32_MAX, 0))
        return (kbuild_error_t)hipErrorInvalidConfiguration;
    return (kbuild_error_t)hipLaunchKernel(kernel, kbuild_to_dim3(config->grid),
                                           kbuild_to_dim3(config->block), args,
                                           config->shared_bytes, (hipStream_t)config->stream);
}

static inline const char *kbuild_error_message(kbuild_error_t error) {
    int count = 0;
    /* HIP has several error codes for a missing device, and no texts for them before 5.3. */
    if (error == (kbuild_error_t)hipErrorNoDevice ||
        (error == (kbuild_error_t)hipErrorInvalidDevice && hipGetDeviceCount(&count) != hipSuccess))
        return "no AMD device";
    return hipGetErrorString((hipError_t)error);
}

#ifdef __cplusplus
}
#endif
#endif
