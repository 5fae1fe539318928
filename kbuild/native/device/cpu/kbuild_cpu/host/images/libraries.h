/* Libraries: device images that a program loads.  They are the modules of the driver API. */

#include <kbuild/cpu_driver.h>

enum cudaJitOption {
    cudaJitMaxRegisters = 0,
    cudaJitThreadsPerBlock = 1,
    cudaJitWallTime = 2,
    cudaJitInfoLogBuffer = 3,
    cudaJitInfoLogBufferSizeBytes = 4,
    cudaJitErrorLogBuffer = 5,
    cudaJitErrorLogBufferSizeBytes = 6,
    cudaJitOptimizationLevel = 7,
    cudaJitFallbackStrategy = 10,
    cudaJitGenerateDebugInfo = 11,
    cudaJitLogVerbose = 12,
    cudaJitGenerateLineInfo = 13,
    cudaJitCacheMode = 14,
    cudaJitPositionIndependentCode = 30,
    cudaJitMinCtaPerSm = 31,
    cudaJitMaxThreadsPerBlock = 32,
    cudaJitOverrideDirectiveValues = 33
};
enum cudaLibraryOption {
    cudaLibraryHostUniversalFunctionAndDataTable = 0,
    cudaLibraryBinaryIsPreserved = 1
};
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUkern_st *cudaKernel_t;

/* The options are for the compiler of PTX. */
KBUILD_API(LibraryLoadData)(cudaLibrary_t *__library, const void *__code,
                            enum cudaJitOption *__options, void **__values, unsigned int __count,
                            enum cudaLibraryOption *__library_options, void **__library_values,
                            unsigned int __library_count) {
    (void)__options, (void)__values, (void)__count;
    (void)__library_options, (void)__library_values, (void)__library_count;
    KBUILD_CALL(kbuild_cpu_load_image((const struct kbuild_module **)__library, __code));
}

KBUILD_API(LibraryLoadFromFile)(cudaLibrary_t *__library, const char *__path,
                                enum cudaJitOption *__options, void **__values,
                                unsigned int __count, enum cudaLibraryOption *__library_options,
                                void **__library_values, unsigned int __library_count) {
    (void)__options, (void)__values, (void)__count;
    (void)__library_options, (void)__library_values, (void)__library_count;
    KBUILD_CALL(kbuild_cpu_load_image_file((const struct kbuild_module **)__library, __path));
}

KBUILD_API(LibraryUnload)(cudaLibrary_t __library) {
    if (__library == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_HANDLE, "the library is null"));
    kbuild_cpu_unload_images(KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library));
    KBUILD_CALL(0);
}

KBUILD_API(LibraryGetKernel)(cudaKernel_t *__kernel, cudaLibrary_t __library, const char *__name) {
    KBUILD_CALL(kbuild_cpu_find_kernel(
        (const void **)__kernel, KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library),
        __name));
}

KBUILD_API(LibraryGetGlobal)(void **__address, size_t *__bytes, cudaLibrary_t __library,
                             const char *__name) {
    KBUILD_CALL(kbuild_cpu_find_variable(
        __address, __bytes, KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library),
        __name));
}

KBUILD_API(LibraryGetManaged)(void **__address, size_t *__bytes, cudaLibrary_t __library,
                              const char *__name) {
    KBUILD_CALL(kbuild_cpu_find_variable(
        __address, __bytes, KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library),
        __name));
}

KBUILD_API(LibraryGetKernelCount)(unsigned int *__count, cudaLibrary_t __library) {
    if (__count == NULL || __library == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the count or library is null"));
    *__count =
        (unsigned)(KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library))->kernel_count;
    KBUILD_CALL(0);
}

KBUILD_API(LibraryEnumerateKernels)(cudaKernel_t *__kernels, unsigned int __count,
                                    cudaLibrary_t __library) {
    const struct kbuild_module *const __found =
        KBUILD_REINTERPRET_CAST(const struct kbuild_module *, __library);
    unsigned __i;
    if (__kernels == NULL || __found == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the kernels or library are null"));
    for (__i = 0; __i < __count && __i < __found->kernel_count; ++__i)
        __kernels[__i] = KBUILD_STATIC_CAST(
            cudaKernel_t, KBUILD_CONST_CAST(void *, __found->kernels[__i].handle));
    KBUILD_CALL(0);
}
