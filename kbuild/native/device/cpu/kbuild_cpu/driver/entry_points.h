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
