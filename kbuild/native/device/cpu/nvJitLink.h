/* nvJitLink, NVIDIA's library that links device code.  Its inputs are those of cuLinkAddData. */
#ifndef nvJitLink_INCLUDED
#define nvJitLink_INCLUDED

#include <kbuild/cpu_rtc.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <kbuild/detail/cpu_errors.h>

#include "kbuild_cpu/host/cuda_version.h"

#pragma GCC system_header

#if defined(__cplusplus)
extern "C" {
#endif

#if !defined(KBUILD_JIT_LINK_API)
#define KBUILD_JIT_LINK_API static inline
#endif

/* Source: nvJitLink.h of CUDA 13. */
typedef enum {
    NVJITLINK_SUCCESS = 0,
    NVJITLINK_ERROR_UNRECOGNIZED_OPTION,
    NVJITLINK_ERROR_MISSING_ARCH,
    NVJITLINK_ERROR_INVALID_INPUT,
    NVJITLINK_ERROR_PTX_COMPILE,
    NVJITLINK_ERROR_NVVM_COMPILE,
    NVJITLINK_ERROR_INTERNAL,
    NVJITLINK_ERROR_THREADPOOL,
    NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
    NVJITLINK_ERROR_FINALIZE,
    NVJITLINK_ERROR_NULL_INPUT,
    NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS,
    NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
    NVJITLINK_ERROR_ARCH_MISMATCH,
    NVJITLINK_ERROR_OUTDATED_LIBRARY,
    NVJITLINK_ERROR_MISSING_FATBIN,
    NVJITLINK_ERROR_UNRECOGNIZED_ARCH,
    NVJITLINK_ERROR_UNSUPPORTED_ARCH,
    NVJITLINK_ERROR_LTO_NOT_ENABLED
} nvJitLinkResult;

typedef enum {
    NVJITLINK_INPUT_NONE = 0,
    NVJITLINK_INPUT_CUBIN = 1,
    NVJITLINK_INPUT_PTX,
    NVJITLINK_INPUT_LTOIR,
    NVJITLINK_INPUT_FATBIN,
    NVJITLINK_INPUT_OBJECT,
    NVJITLINK_INPUT_LIBRARY,
    NVJITLINK_INPUT_INDEX,
    NVJITLINK_INPUT_ANY = 10
} nvJitLinkInputType;

typedef struct nvJitLink *nvJitLinkHandle;

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkVersion(unsigned int *__major, unsigned int *__minor) {
    if (__major == NULL || __minor == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    *__major = KBUILD_CUDA_VERSION;
    *__minor = KBUILD_CUDA_MINOR_VERSION;
    return NVJITLINK_SUCCESS;
}

static inline nvJitLinkResult kbuild_cpu_jit_link_result(int __code) {
    switch (__code) {
    case 0: return NVJITLINK_SUCCESS;
    case KBUILD_CPU_INVALID_PTX: return NVJITLINK_ERROR_PTX_COMPILE;
    case KBUILD_CPU_NO_IMAGE_FOR_MACHINE: return NVJITLINK_ERROR_ARCH_MISMATCH;
    case KBUILD_CPU_FILE_NOT_FOUND:
    case KBUILD_CPU_INVALID_VALUE: return NVJITLINK_ERROR_INVALID_INPUT;
    case KBUILD_CPU_INVALID_IMAGE: return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    default: return NVJITLINK_ERROR_INTERNAL;
    }
}

/* The options are for code of GPUs, but the vendor's library also needs the architecture. */
KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *__handle, uint32_t __count,
                                                    const char **__options) {
    const struct kbuild_cpu_jit_options __none = {0, NULL, NULL};
    uint32_t __i;
    int __has_arch = 0;
    if (__handle == NULL || (__count != 0 && __options == NULL)) return NVJITLINK_ERROR_NULL_INPUT;
    for (__i = 0; __i < __count; ++__i) {
        if (__options[__i] == NULL || __options[__i][0] != '-')
            return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
        if (strncmp(__options[__i], "-arch=", 6) == 0) __has_arch = 1;
    }
    if (!__has_arch) return NVJITLINK_ERROR_MISSING_ARCH;
    return kbuild_cpu_jit_link_result(kbuild_cpu_create_link((void **)__handle, __none));
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *__handle) {
    if (__handle == NULL || *__handle == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    kbuild_cpu_destroy_link(*__handle);
    *__handle = NULL;
    return NVJITLINK_SUCCESS;
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle __handle,
                                                     nvJitLinkInputType __type, const void *__data,
                                                     size_t __bytes, const char *__name) {
    if (__handle == NULL || __data == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    if (__type == NVJITLINK_INPUT_NONE) return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    return kbuild_cpu_jit_link_result(kbuild_cpu_add_to_link(__handle, __data, __bytes, __name));
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle __handle,
                                                     nvJitLinkInputType __type,
                                                     const char *__path) {
    if (__handle == NULL || __path == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    if (__type == NVJITLINK_INPUT_NONE) return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
    return kbuild_cpu_jit_link_result(kbuild_cpu_add_file_to_link(__handle, __path));
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle __handle) {
    int __code;
    if (__handle == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    __code = kbuild_cpu_complete_link(__handle);
    return __code == KBUILD_CPU_INVALID_IMAGE ? NVJITLINK_ERROR_FINALIZE
                                              : kbuild_cpu_jit_link_result(__code);
}

static inline nvJitLinkResult kbuild_cpu_find_linked(const char **__output, size_t *__bytes,
                                                     nvJitLinkHandle __handle, int __is_text) {
    int __code;
    if (__handle == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    __code = __is_text ? kbuild_cpu_get_linked_text(__output, __bytes, __handle)
                       : kbuild_cpu_get_linked_image(__output, __bytes, __handle);
    return __code == 0 ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INTERNAL;
}

static inline nvJitLinkResult kbuild_cpu_measure_linked(nvJitLinkHandle __handle, size_t *__bytes,
                                                        int __is_text) {
    const char *__output = NULL;
    if (__bytes == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    return kbuild_cpu_find_linked(&__output, __bytes, __handle, __is_text);
}

static inline nvJitLinkResult kbuild_cpu_copy_linked(nvJitLinkHandle __handle, void *__result,
                                                     int __is_text) {
    const char *__output = NULL;
    size_t __bytes = 0;
    const nvJitLinkResult __code = kbuild_cpu_find_linked(&__output, &__bytes, __handle, __is_text);
    if (__result == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    if (__code == NVJITLINK_SUCCESS) memcpy(__result, __output, __bytes);
    return __code;
}

/* The linked image has the places of a cubin, of LTO IR, and, as text, of PTX. */
KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle __handle,
                                                                size_t *__bytes) {
    return kbuild_cpu_measure_linked(__handle, __bytes, 0);
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle __handle,
                                                            void *__result) {
    return kbuild_cpu_copy_linked(__handle, __result, 0);
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle __handle,
                                                                size_t *__bytes) {
    return kbuild_cpu_measure_linked(__handle, __bytes, 0);
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedLTOIR(nvJitLinkHandle __handle,
                                                            void *__result) {
    return kbuild_cpu_copy_linked(__handle, __result, 0);
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle __handle,
                                                              size_t *__bytes) {
    return kbuild_cpu_measure_linked(__handle, __bytes, 1);
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle __handle,
                                                          char *__result) {
    return kbuild_cpu_copy_linked(__handle, __result, 1);
}

/* All messages are errors. */
KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle __handle,
                                                             size_t *__bytes) {
    const char *__log;
    if (__handle == NULL || __bytes == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    kbuild_cpu_get_link_log(&__log, __bytes, __handle);
    return NVJITLINK_SUCCESS;
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle __handle, char *__result) {
    const char *__log = NULL;
    size_t __bytes = 0;
    if (__handle == NULL || __result == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    kbuild_cpu_get_link_log(&__log, &__bytes, __handle);
    memcpy(__result, __log, __bytes);
    return NVJITLINK_SUCCESS;
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle __handle,
                                                            size_t *__bytes) {
    if (__handle == NULL || __bytes == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    *__bytes = 1;
    return NVJITLINK_SUCCESS;
}

KBUILD_JIT_LINK_API nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle __handle, char *__result) {
    if (__handle == NULL || __result == NULL) return NVJITLINK_ERROR_NULL_INPUT;
    *__result = 0;
    return NVJITLINK_SUCCESS;
}

#undef KBUILD_JIT_LINK_API

#if defined(__cplusplus)
}
#endif

#endif
