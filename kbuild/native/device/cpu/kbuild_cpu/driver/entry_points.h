/* Functions by name. */

#include "function_list.h"

/* All versions and flags have the same functions, except of the one whose name has two signatures.  Source:
 * cudaTypedefs.h of CUDA 13. */
KBUILD_DRIVER(GetProcAddress)(const char *__name, void **__function, int __version,
                              cuuint64_t __flags, CUdriverProcAddressQueryResult *__status) {
    static const struct {
        const char *name;
        void *function;
    } __rows[] = {
#define KBUILD_DRIVER_ROW(name) {"cu" #name, (void *)&cu##name},
        KBUILD_CPU_DRIVER_FUNCTIONS(KBUILD_DRIVER_ROW)
#undef KBUILD_DRIVER_ROW
    };
    size_t __i, __j;
    (void)__flags;
    if (__name == NULL || __function == NULL) return CUDA_ERROR_INVALID_VALUE;
    *__function = NULL;
    for (__i = 0; __i < sizeof __rows / sizeof *__rows; ++__i) {
        for (__j = 0; __name[__j] != 0 && __name[__j] == __rows[__i].name[__j];) ++__j;
        if (__name[__j] == __rows[__i].name[__j]) *__function = __rows[__i].function;
    }
    if (*__function == (void *)&cuStreamGetCtx && __version >= 12050)
        *__function = (void *)&cuStreamGetCtx_v2;
    if (__status != NULL)
        *__status = *__function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
                                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *__function != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* The functions of the runtime API for the same purpose.  Their names are macros, because the runtime API
 * alone, without this header, has no functions of the driver. */
enum cudaDriverEntryPointQueryResult {
    cudaDriverEntryPointSuccess = 0,
    cudaDriverEntryPointSymbolNotFound = 1,
    cudaDriverEntryPointVersionNotSufficent = 2
};
#define cudaEnableDefault 0x0
#define cudaEnableLegacyStream 0x1
#define cudaEnablePerThreadDefaultStream 0x2
#if defined(__cplusplus)
#define KBUILD_NO_RESULT = NULL
#else
#define KBUILD_NO_RESULT
#endif
#define cudaGetDriverEntryPoint kbuild_cpu_get_driver_entry_point
#define cudaGetDriverEntryPointByVersion kbuild_cpu_get_driver_entry_point_by_version

/* As the vendor's, returns a function that does not exist as a result, and not as an error. */
KBUILD_DRIVER_API cudaError_t cudaGetDriverEntryPointByVersion(
    const char *__name, void **__function, unsigned int __version, unsigned long long __flags,
    enum cudaDriverEntryPointQueryResult *__result KBUILD_NO_RESULT) {
    CUdriverProcAddressQueryResult __status = CU_GET_PROC_ADDRESS_SUCCESS;
    if (__name == NULL || __function == NULL) return cudaErrorInvalidValue;
    (void)cuGetProcAddress(__name, __function, (int)__version, __flags, &__status);
    if (__result != NULL)
        *__result = __status == CU_GET_PROC_ADDRESS_SUCCESS ? cudaDriverEntryPointSuccess
                                                            : cudaDriverEntryPointSymbolNotFound;
    return __result == NULL && *__function == NULL ? cudaErrorSymbolNotFound : cudaSuccess;
}

KBUILD_DRIVER_API cudaError_t
cudaGetDriverEntryPoint(const char *__name, void **__function, unsigned long long __flags,
                        enum cudaDriverEntryPointQueryResult *__result KBUILD_NO_RESULT) {
    return cudaGetDriverEntryPointByVersion(__name, __function, CUDART_VERSION, __flags, __result);
}
#undef KBUILD_NO_RESULT
