/* NVRTC, NVIDIA's library that compiles source text.  Images are those of the CPU backend. */
#ifndef __NVRTC_H__
#define __NVRTC_H__

#include <kbuild/cpu_rtc.h>

#include <stddef.h>
#include <string.h>

#include "kbuild_cpu/host/cuda_version.h"

#pragma GCC system_header

#if defined(__cplusplus)
extern "C" {
#endif

#if !defined(KBUILD_RTC_API)
#define KBUILD_RTC_API static inline
#endif

/* Source: nvrtc.h of CUDA 13. */
typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17,
    NVRTC_ERROR_BUSY = 18
} nvrtcResult;

typedef struct _nvrtcProgram *nvrtcProgram;

KBUILD_RTC_API const char *nvrtcGetErrorString(nvrtcResult __result) {
    static const char *const __names[] = {"NVRTC_SUCCESS",
                                          "NVRTC_ERROR_OUT_OF_MEMORY",
                                          "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                          "NVRTC_ERROR_INVALID_INPUT",
                                          "NVRTC_ERROR_INVALID_PROGRAM",
                                          "NVRTC_ERROR_INVALID_OPTION",
                                          "NVRTC_ERROR_COMPILATION",
                                          "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                          "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                          "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                          "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                          "NVRTC_ERROR_INTERNAL_ERROR",
                                          "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
                                          "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
                                          "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
                                          "NVRTC_ERROR_PCH_CREATE",
                                          "NVRTC_ERROR_CANCELLED",
                                          "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
                                          "NVRTC_ERROR_BUSY"};
    const size_t __number = (size_t)__result;
    return __number < sizeof __names / sizeof *__names ? __names[__number] : "NVRTC_ERROR unknown";
}

KBUILD_RTC_API nvrtcResult nvrtcVersion(int *__major, int *__minor) {
    if (__major == NULL || __minor == NULL) return NVRTC_ERROR_INVALID_INPUT;
    *__major = KBUILD_CUDA_VERSION;
    *__minor = KBUILD_CUDA_MINOR_VERSION;
    return NVRTC_SUCCESS;
}

/* The device has compute capability 8.0, or 9.0 if the environment says so. */
KBUILD_RTC_API nvrtcResult nvrtcGetNumSupportedArchs(int *__count) {
    if (__count == NULL) return NVRTC_ERROR_INVALID_INPUT;
    *__count = 2;
    return NVRTC_SUCCESS;
}

KBUILD_RTC_API nvrtcResult nvrtcGetSupportedArchs(int *__architectures) {
    if (__architectures == NULL) return NVRTC_ERROR_INVALID_INPUT;
    __architectures[0] = 80;
    __architectures[1] = 90;
    return NVRTC_SUCCESS;
}

static inline struct kbuild_cpu_strings kbuild_cpu_list_strings(const char *const *__items,
                                                                int __count) {
    struct kbuild_cpu_strings __list;
    __list.items = __items;
    __list.count = __count < 0 ? 0 : (size_t)__count;
    return __list;
}

KBUILD_RTC_API nvrtcResult nvrtcCreateProgram(nvrtcProgram *__program, const char *__text,
                                              const char *__name, int __count,
                                              const char *const *__headers,
                                              const char *const *__names) {
    return (nvrtcResult)kbuild_cpu_create_program((void **)__program, __text, __name,
                                                  kbuild_cpu_list_strings(__headers, __count),
                                                  kbuild_cpu_list_strings(__names, __count));
}

KBUILD_RTC_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *__program) {
    int __result;
    if (__program == NULL) return NVRTC_ERROR_INVALID_PROGRAM;
    __result = kbuild_cpu_destroy_program(*__program);
    *__program = NULL;
    return (nvrtcResult)__result;
}

KBUILD_RTC_API nvrtcResult nvrtcCompileProgram(nvrtcProgram __program, int __count,
                                               const char *const *__options) {
    return (nvrtcResult)kbuild_cpu_compile_program(__program,
                                                   kbuild_cpu_list_strings(__options, __count));
}

KBUILD_RTC_API nvrtcResult nvrtcAddNameExpression(nvrtcProgram __program,
                                                  const char *const __expression) {
    return (nvrtcResult)kbuild_cpu_add_name_expression(__program, __expression);
}

KBUILD_RTC_API nvrtcResult nvrtcGetLoweredName(nvrtcProgram __program,
                                               const char *const __expression,
                                               const char **__symbol) {
    return (nvrtcResult)kbuild_cpu_lowered_name(__symbol, __program, __expression);
}

static inline nvrtcResult kbuild_cpu_measure_output(nvrtcProgram __program, size_t *__bytes,
                                                    enum kbuild_cpu_program_output __kind) {
    const char *__output;
    if (__bytes == NULL) return NVRTC_ERROR_INVALID_INPUT;
    return (nvrtcResult)kbuild_cpu_get_program_output(&__output, __bytes, __program, __kind);
}

static inline nvrtcResult kbuild_cpu_copy_output(nvrtcProgram __program, char *__result,
                                                 enum kbuild_cpu_program_output __kind) {
    const char *__output = NULL;
    size_t __bytes = 0;
    const int __code = kbuild_cpu_get_program_output(&__output, &__bytes, __program, __kind);
    if (__code == 0 && __result == NULL) return NVRTC_ERROR_INVALID_INPUT;
    if (__code == 0) memcpy(__result, __output, __bytes);
    return (nvrtcResult)__code;
}

/* The image has the places of a cubin, of LTO IR, and, as text, of PTX. */
KBUILD_RTC_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram __program, size_t *__bytes) {
    return kbuild_cpu_measure_output(__program, __bytes, KBUILD_CPU_OUTPUT_IMAGE);
}

KBUILD_RTC_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram __program, char *__result) {
    return kbuild_cpu_copy_output(__program, __result, KBUILD_CPU_OUTPUT_IMAGE);
}

KBUILD_RTC_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram __program, size_t *__bytes) {
    return kbuild_cpu_measure_output(__program, __bytes, KBUILD_CPU_OUTPUT_TEXT);
}

KBUILD_RTC_API nvrtcResult nvrtcGetPTX(nvrtcProgram __program, char *__result) {
    return kbuild_cpu_copy_output(__program, __result, KBUILD_CPU_OUTPUT_TEXT);
}

KBUILD_RTC_API nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram __program, size_t *__bytes) {
    return kbuild_cpu_measure_output(__program, __bytes, KBUILD_CPU_OUTPUT_LINKABLE);
}

KBUILD_RTC_API nvrtcResult nvrtcGetLTOIR(nvrtcProgram __program, char *__result) {
    return kbuild_cpu_copy_output(__program, __result, KBUILD_CPU_OUTPUT_LINKABLE);
}

KBUILD_RTC_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram __program, size_t *__bytes) {
    const char *__log;
    if (__bytes == NULL) return NVRTC_ERROR_INVALID_INPUT;
    return (nvrtcResult)kbuild_cpu_program_log(&__log, __bytes, __program);
}

KBUILD_RTC_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram __program, char *__result) {
    const char *__log = NULL;
    size_t __bytes = 0;
    const int __code = kbuild_cpu_program_log(&__log, &__bytes, __program);
    if (__code == 0 && __result == NULL) return NVRTC_ERROR_INVALID_INPUT;
    if (__code == 0) memcpy(__result, __log, __bytes);
    return (nvrtcResult)__code;
}

/* There is no code for OptiX. */
KBUILD_RTC_API nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram __program, size_t *__bytes) {
    (void)__program, (void)__bytes;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

KBUILD_RTC_API nvrtcResult nvrtcGetOptiXIR(nvrtcProgram __program, char *__result) {
    (void)__program, (void)__result;
    return NVRTC_ERROR_INVALID_PROGRAM;
}

#undef KBUILD_RTC_API

#if defined(__cplusplus)
}

/* The name of a type, for expressions such as "kernel<" + name + ">". */
#if !defined(NVRTC_GET_TYPE_NAME) || NVRTC_GET_TYPE_NAME
#include <cxxabi.h>
#include <stdlib.h>

#include <string>
#include <typeinfo>

namespace kbuild_cpu {
template <class __T>
struct named_type {};
}  // namespace kbuild_cpu

template <class __T>
static inline nvrtcResult nvrtcGetTypeName(std::string *__result) {
    const std::string __start = "kbuild_cpu::named_type<";
    char *const __name =
        abi::__cxa_demangle(typeid(kbuild_cpu::named_type<__T>).name(), NULL, NULL, NULL);
    if (__name == NULL) return NVRTC_ERROR_INTERNAL_ERROR;
    const std::string __text = __name;
    free(__name);
    *__result = __text.substr(__start.size(), __text.rfind('>') - __start.size());
    return NVRTC_SUCCESS;
}
#endif
#endif

#endif
