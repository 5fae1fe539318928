/* The types of the runtime API that only serve functions that the backend does not have.  Programs
 * can declare handles.  A variable of a structure is an error that names it. */

typedef struct CUexternalMemory_st *cudaExternalMemory_t;
typedef struct CUexternalSemaphore_st *cudaExternalSemaphore_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct cudaGraphicsResource *cudaGraphicsResource_t;

#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define KBUILD_CPU_UNAVAILABLE(name) \
    __attribute__((unavailable("kbuild: the cpu backend does not support " name)))
#endif
#endif
#if !defined(KBUILD_CPU_UNAVAILABLE)
#define KBUILD_CPU_UNAVAILABLE(name)
#endif

#define KBUILD_CPU_UNSUPPORTED_TYPE(name) \
    struct KBUILD_CPU_UNAVAILABLE("cuda" #name) cuda##name { \
        char unsupported; \
    };

KBUILD_CPU_UNSUPPORTED_TYPE(ResourceViewDesc)
KBUILD_CPU_UNSUPPORTED_TYPE(MemcpyAttributes)
KBUILD_CPU_UNSUPPORTED_TYPE(ExternalMemoryHandleDesc)
KBUILD_CPU_UNSUPPORTED_TYPE(ExternalMemoryBufferDesc)
KBUILD_CPU_UNSUPPORTED_TYPE(ExternalSemaphoreHandleDesc)
KBUILD_CPU_UNSUPPORTED_TYPE(ExternalSemaphoreSignalParams)
KBUILD_CPU_UNSUPPORTED_TYPE(ExternalSemaphoreWaitParams)

#undef KBUILD_CPU_UNSUPPORTED_TYPE
#undef KBUILD_CPU_UNAVAILABLE
