/* NVML, NVIDIA's library that manages devices.  The device is that of the runtime API: this
 * machine's processor. */
#ifndef __nvml_nvml_h__
#define __nvml_nvml_h__

#include <kbuild/cpu_runtime.h>

#include <stdio.h>
#include <string.h>

#include "kbuild_cpu/host/cuda_version.h"
#include "kbuild_cpu/host/properties.h"
#include "kbuild_cpu/nvml/types.h"
#include "kbuild_cpu/nvml/unsupported.h"

#pragma GCC system_header

#define NVML_API_VERSION KBUILD_CUDA_VERSION
#if !defined(NVML_NO_UNVERSIONED_FUNC_DEFS)
#define nvmlInit nvmlInit_v2
#define nvmlDeviceGetPciInfo nvmlDeviceGetPciInfo_v3
#define nvmlDeviceGetCount nvmlDeviceGetCount_v2
#define nvmlDeviceGetHandleByIndex nvmlDeviceGetHandleByIndex_v2
#define nvmlDeviceGetHandleByPciBusId nvmlDeviceGetHandleByPciBusId_v2
#define nvmlDeviceGetNvLinkRemotePciInfo nvmlDeviceGetNvLinkRemotePciInfo_v2
#define nvmlDeviceGetComputeRunningProcesses nvmlDeviceGetComputeRunningProcesses_v3
#define nvmlDeviceGetGraphicsRunningProcesses nvmlDeviceGetGraphicsRunningProcesses_v3
#define nvmlDeviceGetMPSComputeRunningProcesses nvmlDeviceGetMPSComputeRunningProcesses_v3
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#if !defined(KBUILD_NVML_API)
#define KBUILD_NVML_API static inline
#endif

/* The oldest driver for the version of CUDA, with which programs compare.  Source: the release
 * notes of CUDA. */
#if KBUILD_CUDA_VERSION >= 13
#define KBUILD_NVML_DRIVER "580.65.06"
#elif KBUILD_CUDA_VERSION == 12
#define KBUILD_NVML_DRIVER "525.60.13"
#else
#define KBUILD_NVML_DRIVER "450.80.02"
#endif

/* The handle of the only device.  No program reads its memory. */
static inline nvmlDevice_t kbuild_cpu_nvml_device(void) { return (nvmlDevice_t)1; }

static inline nvmlReturn_t kbuild_cpu_check_nvml(int __is_valid) {
    if (kbuild_cpu_count_management_users(0) == 0) return NVML_ERROR_UNINITIALIZED;
    return __is_valid ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

static inline nvmlReturn_t kbuild_cpu_check_nvml_device(nvmlDevice_t __device, int __is_valid) {
    return kbuild_cpu_check_nvml(__device == kbuild_cpu_nvml_device() && __is_valid);
}

static inline nvmlReturn_t kbuild_cpu_copy_nvml_text(char *__to, unsigned int __bytes,
                                                     const char *__from) {
    if (strlen(__from) >= __bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(__to, __from, strlen(__from) + 1);
    return NVML_SUCCESS;
}

static inline nvmlReturn_t kbuild_cpu_nvml_result(int __code) {
    return __code == 0 ? NVML_SUCCESS : NVML_ERROR_UNKNOWN;
}

static inline nvmlReturn_t kbuild_cpu_read_nvml_attribute(nvmlDevice_t __device,
                                                          unsigned int *__value, int __name,
                                                          unsigned int __divisor) {
    int __number = 0;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __value != NULL);
    if (__result != NVML_SUCCESS) return __result;
    __result = kbuild_cpu_nvml_result(kbuild_cpu_device_attribute(&__number, __name, 0));
    if (__result == NVML_SUCCESS) *__value = (unsigned int)__number / __divisor;
    return __result;
}

KBUILD_NVML_API nvmlReturn_t nvmlInit_v2(void) {
    (void)kbuild_cpu_count_management_users(1);
    return NVML_SUCCESS;
}

KBUILD_NVML_API nvmlReturn_t nvmlInitWithFlags(unsigned int __flags) {
    if ((__flags & ~3U) != 0) return NVML_ERROR_INVALID_ARGUMENT;
    return nvmlInit_v2();
}

KBUILD_NVML_API nvmlReturn_t nvmlShutdown(void) {
    return kbuild_cpu_count_management_users(-1) == 0 ? NVML_ERROR_UNINITIALIZED : NVML_SUCCESS;
}

KBUILD_NVML_API const char *nvmlErrorString(nvmlReturn_t __result) {
    switch (__result) {
#define KBUILD_NVML_RESULT(name, number, text) \
    case NVML_##name: return text;
        KBUILD_NVML_RESULTS(KBUILD_NVML_RESULT)
#undef KBUILD_NVML_RESULT
    }
    return "Unknown Error";
}

KBUILD_NVML_API nvmlReturn_t nvmlSystemGetDriverVersion(char *__version, unsigned int __bytes) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml(__version != NULL);
    if (__result != NVML_SUCCESS) return __result;
    return kbuild_cpu_copy_nvml_text(__version, __bytes, KBUILD_NVML_DRIVER);
}

KBUILD_NVML_API nvmlReturn_t nvmlSystemGetNVMLVersion(char *__version, unsigned int __bytes) {
    char __text[NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE];
    if (__version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    (void)snprintf(__text, sizeof __text, "%d." KBUILD_NVML_DRIVER, KBUILD_CUDA_VERSION);
    return kbuild_cpu_copy_nvml_text(__version, __bytes, __text);
}

KBUILD_NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *__version) {
    if (__version == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    *__version = CUDART_VERSION;
    return NVML_SUCCESS;
}

KBUILD_NVML_API nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *__version) {
    return nvmlSystemGetCudaDriverVersion_v2(__version);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *__count) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml(__count != NULL);
    if (__result == NVML_SUCCESS) *__count = 1;
    return __result;
}

static inline nvmlReturn_t kbuild_cpu_find_nvml_device(nvmlDevice_t *__device, int __exists,
                                                       nvmlReturn_t __otherwise) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml(__device != NULL);
    if (__result != NVML_SUCCESS) return __result;
    if (!__exists) return __otherwise;
    *__device = kbuild_cpu_nvml_device();
    return NVML_SUCCESS;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int __index,
                                                           nvmlDevice_t *__device) {
    return kbuild_cpu_find_nvml_device(__device, __index == 0, NVML_ERROR_INVALID_ARGUMENT);
}

/* As in cudaDeviceGetPCIBusId, all numbers are 0.  Programs leave out the domain or the function. */
KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *__id,
                                                              nvmlDevice_t *__device) {
    unsigned int __domain = 0, __bus = 1, __slot = 1;
    if (__id == NULL) return kbuild_cpu_check_nvml(0);
    if (sscanf(__id, "%x:%x:%x", &__domain, &__bus, &__slot) != 3) {
        __domain = 0;
        if (sscanf(__id, "%x:%x", &__bus, &__slot) != 2) return kbuild_cpu_check_nvml(0);
    }
    return kbuild_cpu_find_nvml_device(__device, __domain == 0 && __bus == 0 && __slot == 0,
                                       NVML_ERROR_NOT_FOUND);
}

static inline nvmlReturn_t kbuild_cpu_read_nvml_properties(struct cudaDeviceProp *__properties) {
    return kbuild_cpu_nvml_result(
        kbuild_cpu_device_properties(__properties, sizeof *__properties, 0));
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t __device, char *__text,
                                               unsigned int __bytes) {
    char __uuid[NVML_DEVICE_UUID_BUFFER_SIZE] = "GPU";
    size_t __length = 3;
    int __i;
    struct cudaDeviceProp __properties;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __text != NULL);
    if (__result == NVML_SUCCESS) __result = kbuild_cpu_read_nvml_properties(&__properties);
    if (__result != NVML_SUCCESS) return __result;
    for (__i = 0; __i < 16; ++__i) {
        const int __has_dash = __i % 2 == 0 && (__i == 0 || (__i >= 4 && __i <= 10));
        __length += (size_t)snprintf(__uuid + __length, sizeof __uuid - __length, "%s%02x",
                                     __has_dash ? "-" : "",
                                     (unsigned int)(unsigned char)__properties.uuid.bytes[__i]);
    }
    return kbuild_cpu_copy_nvml_text(__text, __bytes, __uuid);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *__uuid, nvmlDevice_t *__device) {
    char __own[NVML_DEVICE_UUID_BUFFER_SIZE];
    const nvmlReturn_t __result =
        nvmlDeviceGetUUID(kbuild_cpu_nvml_device(), __own, (unsigned int)sizeof __own);
    if (__result != NVML_SUCCESS) return __result;
    if (__uuid == NULL) return NVML_ERROR_INVALID_ARGUMENT;
    return kbuild_cpu_find_nvml_device(__device, strcmp(__uuid, __own) == 0, NVML_ERROR_NOT_FOUND);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetHandleBySerial(const char *__serial,
                                                         nvmlDevice_t *__device) {
    if (__serial == NULL) return kbuild_cpu_check_nvml(0);
    return kbuild_cpu_find_nvml_device(__device, 0, NVML_ERROR_NOT_FOUND);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t __device, unsigned int *__index) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __index != NULL);
    if (__result == NVML_SUCCESS) *__index = 0;
    return __result;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t __device, char *__name,
                                               unsigned int __bytes) {
    struct cudaDeviceProp __properties;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __name != NULL);
    if (__result == NVML_SUCCESS) __result = kbuild_cpu_read_nvml_properties(&__properties);
    if (__result != NVML_SUCCESS) return __result;
    return kbuild_cpu_copy_nvml_text(__name, __bytes, __properties.name);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t __device, nvmlPciInfo_t *__info) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __info != NULL);
    if (__result != NVML_SUCCESS) return __result;
    memset(__info, 0, sizeof *__info);
    (void)kbuild_cpu_copy_nvml_text(__info->busIdLegacy, sizeof __info->busIdLegacy,
                                    "0000:00:00.0");
    (void)kbuild_cpu_copy_nvml_text(__info->busId, sizeof __info->busId, "00000000:00:00.0");
    return NVML_SUCCESS;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t __device,
                                                     nvmlMemory_t *__memory) {
    size_t __free = 0, __total = 0;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __memory != NULL);
    if (__result != NVML_SUCCESS) return __result;
    __result = kbuild_cpu_nvml_result(kbuild_cpu_memory_info(&__free, &__total));
    if (__result != NVML_SUCCESS) return __result;
    __memory->total = __total;
    __memory->free = __free;
    __memory->used = __total - __free;
    return NVML_SUCCESS;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t __device,
                                                        nvmlMemory_v2_t *__memory) {
    nvmlMemory_t __read;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __memory != NULL);
    if (__result != NVML_SUCCESS) return __result;
    if (__memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    __result = nvmlDeviceGetMemoryInfo(__device, &__read);
    if (__result != NVML_SUCCESS) return __result;
    __memory->total = __read.total;
    __memory->reserved = 0;
    __memory->free = __read.free;
    __memory->used = __read.used;
    return NVML_SUCCESS;
}

/* In MHz, from attributes in kHz. */
KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t __device, nvmlClockType_t __type,
                                                    unsigned int *__clock) {
    const int __name = __type == NVML_CLOCK_MEM ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate;
    if (__type == NVML_CLOCK_VIDEO) {
        const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __clock != NULL);
        return __result == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : __result;
    }
    if ((unsigned int)__type >= NVML_CLOCK_COUNT) return kbuild_cpu_check_nvml(0);
    return kbuild_cpu_read_nvml_attribute(__device, __clock, __name, 1000);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t __device,
                                                       nvmlClockType_t __type,
                                                       unsigned int *__clock) {
    return nvmlDeviceGetClockInfo(__device, __type, __clock);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t __device,
                                                         unsigned int *__width) {
    return kbuild_cpu_read_nvml_attribute(__device, __width, cudaDevAttrGlobalMemoryBusWidth, 1);
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t __device, int *__major,
                                                                int *__minor) {
    unsigned int __numbers[2];
    nvmlReturn_t __result =
        kbuild_cpu_check_nvml_device(__device, __major != NULL && __minor != NULL);
    if (__result == NVML_SUCCESS)
        __result = kbuild_cpu_read_nvml_attribute(__device, &__numbers[0],
                                                  cudaDevAttrComputeCapabilityMajor, 1);
    if (__result == NVML_SUCCESS)
        __result = kbuild_cpu_read_nvml_attribute(__device, &__numbers[1],
                                                  cudaDevAttrComputeCapabilityMinor, 1);
    if (__result != NVML_SUCCESS) return __result;
    *__major = (int)__numbers[0];
    *__minor = (int)__numbers[1];
    return NVML_SUCCESS;
}

/* That of the compute capability: 8.0, or 9.0 if the environment says so. */
KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t __device,
                                                       nvmlDeviceArchitecture_t *__architecture) {
    unsigned int __major = 0;
    nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __architecture != NULL);
    if (__result == NVML_SUCCESS)
        __result = kbuild_cpu_read_nvml_attribute(__device, &__major,
                                                  cudaDevAttrComputeCapabilityMajor, 1);
    if (__result == NVML_SUCCESS)
        *__architecture = __major == 9 ? NVML_DEVICE_ARCH_HOPPER : NVML_DEVICE_ARCH_AMPERE;
    return __result;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t __device, nvmlBrandType_t *__brand) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __brand != NULL);
    if (__result == NVML_SUCCESS) *__brand = NVML_BRAND_UNKNOWN;
    return __result;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t __device,
                                                      nvmlComputeMode_t *__mode) {
    const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, __mode != NULL);
    if (__result == NVML_SUCCESS) *__mode = NVML_COMPUTEMODE_DEFAULT;
    return __result;
}

KBUILD_NVML_API nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t __device,
                                                         unsigned int *__is_mig) {
    return nvmlDeviceGetIndex(__device, __is_mig);
}

#define KBUILD_NVML_REJECT(name, ...) \
    KBUILD_NVML_API nvmlReturn_t nvmlDevice##name(KBUILD_NVML_DEVICE __VA_OPT__(, ) __VA_ARGS__) { \
        const nvmlReturn_t __result = kbuild_cpu_check_nvml_device(__device, 1); \
        return __result == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : __result; \
    }
KBUILD_NVML_UNSUPPORTED(KBUILD_NVML_REJECT)
#undef KBUILD_NVML_REJECT
#undef KBUILD_NVML_UNSUPPORTED
#undef KBUILD_NVML_DEVICE
#undef KBUILD_NVML_NUMBER
#undef KBUILD_NVML_TEXT
#undef KBUILD_NVML_RESULTS
#undef KBUILD_NVML_DRIVER
#undef KBUILD_NVML_API

#if defined(__cplusplus)
}
#endif

#endif
