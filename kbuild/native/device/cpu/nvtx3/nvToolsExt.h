/* NVTX, with which programs annotate what profilers show.  Without a profiler, NVIDIA's functions do nothing,
 * as these do.  Source of the names and layouts: nvtx3/nvToolsExt.h of NVTX 3. */
#ifndef KBUILD_CPU_NVTX3_NVTOOLSEXT_H
#define KBUILD_CPU_NVTX3_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#pragma GCC system_header

#if defined(__cplusplus)
extern "C" {
#endif

#define NVTX_VERSION 3
#define NVTX_SUCCESS 0
#define NVTX_FAIL 1
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)(sizeof(nvtxEventAttributes_t)))

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
    NVTX_MESSAGE_UNKNOWN = 0,
    NVTX_MESSAGE_TYPE_ASCII = 1,
    NVTX_MESSAGE_TYPE_UNICODE = 2,
    NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN = 0,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
    NVTX_PAYLOAD_TYPE_INT64 = 2,
    NVTX_PAYLOAD_TYPE_DOUBLE = 3,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
    NVTX_PAYLOAD_TYPE_INT32 = 5,
    NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st nvtxDomainRegistration;
typedef nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st nvtxStringRegistration;
typedef nvtxStringRegistration *nvtxStringHandle_t;
typedef struct nvtxResourceRegistration_st nvtxResourceRegistration;
typedef nvtxResourceRegistration *nvtxResourceHandle_t;

typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
    uint16_t version;
    uint16_t size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType;
    int32_t reserved0;
    union payload_t {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef struct nvtxEventAttributes_v2 nvtxEventAttributes_t;

/* X(result, name, parameters, value).  All names of functions with a value of 0 for pointers and numbers. */
#define KBUILD_CPU_NVTX_FUNCTIONS(X) \
    X(void, InitializeReserved, (const void *__reserved), ) \
    X(void, MarkEx, (const nvtxEventAttributes_t *__event), ) \
    X(void, MarkA, (const char *__message), ) \
    X(void, MarkW, (const wchar_t *__message), ) \
    X(nvtxRangeId_t, RangeStartEx, (const nvtxEventAttributes_t *__event), 0) \
    X(nvtxRangeId_t, RangeStartA, (const char *__message), 0) \
    X(nvtxRangeId_t, RangeStartW, (const wchar_t *__message), 0) \
    X(void, RangeEnd, (nvtxRangeId_t __range), ) \
    X(int, RangePushEx, (const nvtxEventAttributes_t *__event), NVTX_NO_PUSH_POP_TRACKING) \
    X(int, RangePushA, (const char *__message), NVTX_NO_PUSH_POP_TRACKING) \
    X(int, RangePushW, (const wchar_t *__message), NVTX_NO_PUSH_POP_TRACKING) \
    X(int, RangePop, (void), NVTX_NO_PUSH_POP_TRACKING) \
    X(void, NameCategoryA, (uint32_t __category, const char *__name), ) \
    X(void, NameCategoryW, (uint32_t __category, const wchar_t *__name), ) \
    X(void, NameOsThreadA, (uint32_t __id, const char *__name), ) \
    X(void, NameOsThreadW, (uint32_t __id, const wchar_t *__name), ) \
    X(nvtxDomainHandle_t, DomainCreateA, (const char *__name), NULL) \
    X(nvtxDomainHandle_t, DomainCreateW, (const wchar_t *__name), NULL) \
    X(void, DomainDestroy, (nvtxDomainHandle_t __domain), ) \
    X(void, DomainMarkEx, (nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event), ) \
    X(nvtxRangeId_t, DomainRangeStartEx, \
      (nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event), 0) \
    X(void, DomainRangeEnd, (nvtxDomainHandle_t __domain, nvtxRangeId_t __range), ) \
    X(int, DomainRangePushEx, (nvtxDomainHandle_t __domain, const nvtxEventAttributes_t *__event), \
      NVTX_NO_PUSH_POP_TRACKING) \
    X(int, DomainRangePop, (nvtxDomainHandle_t __domain), NVTX_NO_PUSH_POP_TRACKING) \
    X(void, DomainNameCategoryA, \
      (nvtxDomainHandle_t __domain, uint32_t __category, const char *__name), ) \
    X(void, DomainNameCategoryW, \
      (nvtxDomainHandle_t __domain, uint32_t __category, const wchar_t *__name), ) \
    X(nvtxStringHandle_t, DomainRegisterStringA, \
      (nvtxDomainHandle_t __domain, const char *__text), NULL) \
    X(nvtxStringHandle_t, DomainRegisterStringW, \
      (nvtxDomainHandle_t __domain, const wchar_t *__text), NULL) \
    X(void, DomainResourceDestroy, (nvtxResourceHandle_t __resource), )

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define KBUILD_CPU_NVTX_FUNCTION(result, name, parameters, value) \
    static inline result nvtx##name parameters { return value; }
KBUILD_CPU_NVTX_FUNCTIONS(KBUILD_CPU_NVTX_FUNCTION)
#undef KBUILD_CPU_NVTX_FUNCTION
#undef KBUILD_CPU_NVTX_FUNCTIONS
#pragma GCC diagnostic pop

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxRangePush nvtxRangePushW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#define nvtxDomainRegisterString nvtxDomainRegisterStringW
#define nvtxDomainNameCategory nvtxDomainNameCategoryW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxRangePush nvtxRangePushA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#define nvtxDomainNameCategory nvtxDomainNameCategoryA
#endif

#if defined(__cplusplus)
}
#endif

#endif
