/* Allocations, and questions about pointers. */

/* So that the address of a call is in the line of the program, which reports of the runtime name. */
#define KBUILD_NOT_INLINED __attribute__((noinline))

/* Fails if the stream does not exist. */
static inline int kbuild_cpu_check_stream(void *__stream) {
    struct kbuild_cpu_stream __found;
    return kbuild_cpu_describe_stream(&__found, KBUILD_STREAM(__stream));
}

/* Waits for work that was queued in the default stream, unless that failed. */
static inline KBUILD_VENDOR(Error_t) kbuild_cpu_finish(KBUILD_VENDOR(Error_t) __error) {
    if (__error != KBUILD_VENDOR(Success)) return __error;
    KBUILD_CALL(kbuild_cpu_synchronize_stream(KBUILD_STREAM(NULL)));
}

KBUILD_NOT_INLINED KBUILD_API(Malloc)(void **__pointer, size_t __bytes) {
    KBUILD_CALL(kbuild_cpu_allocate(__pointer, __bytes));
}

KBUILD_API(Free)(void *__pointer) { KBUILD_CALL(kbuild_cpu_release(__pointer)); }

KBUILD_NOT_INLINED KBUILD_API(MallocManaged)(void **__pointer, size_t __bytes,
                                             unsigned int __flags
                                                 KBUILD_DEFAULT(KBUILD_VENDOR(MemAttachGlobal))) {
    if (__flags != KBUILD_VENDOR(MemAttachGlobal) &&__flags != KBUILD_VENDOR(MemAttachHost))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "managed memory needs one flag: global or host"));
    KBUILD_CALL(kbuild_cpu_allocate_kind(__pointer, __bytes, KBUILD_CPU_MEMORY_MANAGED, __flags));
}

KBUILD_NOT_INLINED KBUILD_API(HostAlloc)(void **__pointer, size_t __bytes, unsigned int __flags) {
    if (__flags > (KBUILD_VENDOR(HostAllocPortable) | KBUILD_VENDOR(HostAllocMapped) |
                   KBUILD_VENDOR(HostAllocWriteCombined)))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags of host memory"));
    KBUILD_CALL(kbuild_cpu_allocate_kind(__pointer, __bytes, KBUILD_CPU_MEMORY_HOST, __flags));
}

KBUILD_NOT_INLINED KBUILD_API(MallocHost)(void **__pointer, size_t __bytes) {
    return KBUILD_VENDOR(HostAlloc)(__pointer, __bytes, KBUILD_VENDOR(HostAllocDefault));
}

KBUILD_API(FreeHost)(void *__pointer) { KBUILD_CALL(kbuild_cpu_release_host(__pointer)); }

KBUILD_API(HostRegister)(void *__pointer, size_t __bytes, unsigned int __flags) {
    KBUILD_CALL(kbuild_cpu_register_host(__pointer, __bytes, __flags));
}

KBUILD_API(HostUnregister)(void *__pointer) { KBUILD_CALL(kbuild_cpu_unregister_host(__pointer)); }

KBUILD_API(HostGetDevicePointer)(void **__device, void *__host, unsigned int __flags) {
    struct kbuild_cpu_pointer __description;
    if (__device == NULL || __flags != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "the result is a null pointer, or the flags are not 0"));
    *__device = __host;
    KBUILD_CALL(kbuild_cpu_describe_host(&__description, __host));
}

KBUILD_API(HostGetFlags)(unsigned int *__flags, void *__host) {
    struct kbuild_cpu_pointer __description;
    const int __error = kbuild_cpu_describe_host(&__description, __host);
    if (__error == 0 && __flags != NULL) *__flags = __description.flags;
    KBUILD_CALL(__error);
}

KBUILD_NOT_INLINED KBUILD_API(MallocPitch)(void **__pointer, size_t *__pitch, size_t __width,
                                           size_t __height) {
    KBUILD_CALL(kbuild_cpu_allocate_pitched(__pointer, __pitch, __width, __height));
}

KBUILD_NOT_INLINED KBUILD_API(Malloc3D)(struct KBUILD_VENDOR(PitchedPtr) *__pointer,
                                        struct KBUILD_VENDOR(Extent) __extent) {
    if (__pointer == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    __pointer->xsize = __extent.width;
    __pointer->ysize = __extent.height;
    KBUILD_CALL(kbuild_cpu_allocate_pitched(&__pointer->ptr, &__pointer->pitch, __extent.width,
                                            __extent.height * __extent.depth));
}

KBUILD_API(MemGetInfo)(size_t *__free, size_t *__total) {
    KBUILD_CALL(kbuild_cpu_memory_info(__free, __total));
}

KBUILD_API(PointerGetAttributes)(struct KBUILD_VENDOR(PointerAttributes) *__attributes,
                                 const void *__pointer) {
    static const struct KBUILD_VENDOR(PointerAttributes) __none = {
        KBUILD_VENDOR(MemoryTypeUnregistered),
        cudaInvalidDeviceId,
        NULL,
        NULL,
        {0, 0, 0, 0, 0, 0, 0, 0}};
    static const enum KBUILD_VENDOR(MemoryType) __types[] = {
        KBUILD_VENDOR(MemoryTypeUnregistered), KBUILD_VENDOR(MemoryTypeDevice),
        KBUILD_VENDOR(MemoryTypeManaged), KBUILD_VENDOR(MemoryTypeHost),
        KBUILD_VENDOR(MemoryTypeHost)};
    struct kbuild_cpu_pointer __found;
    const int __error = kbuild_cpu_describe_pointer(&__found, __pointer);
    if (__error == 0 && __attributes == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    if (__error == 0) {
        void *__address = KBUILD_CONST_CAST(void *, __pointer);
        *__attributes = __none;
        __attributes->type = __types[__found.kind];
        __attributes->hostPointer = __found.kind == KBUILD_CPU_MEMORY_DEVICE ? NULL : __address;
        if (__found.kind != KBUILD_CPU_MEMORY_UNKNOWN) {
            __attributes->device = 0;
            __attributes->devicePointer = __address;
        }
    }
    KBUILD_CALL(__error);
}

/* The memory is in one place, so that advice has no effect. */

static inline int kbuild_cpu_check_range(const void *__pointer, size_t __bytes) {
    struct kbuild_cpu_pointer __description;
    void *__base = NULL;
    size_t __size = 0;
    int __error = kbuild_cpu_describe_pointer(&__description, __pointer);
    if (__error == 0) __error = kbuild_cpu_find_allocation(__pointer, &__base, &__size);
    if (__error == 0 &&
        (__description.kind != KBUILD_CPU_MEMORY_MANAGED || __bytes == 0 || __bytes > __size))
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the range is not in managed memory");
    return __error;
}

KBUILD_API(MemPrefetchAsync)(const void *__pointer, size_t __bytes,
                             struct KBUILD_VENDOR(MemLocation) __location, unsigned int __flags,
                             KBUILD_VENDOR(Stream_t) __stream KBUILD_DEFAULT(NULL)) {
    const int __error = kbuild_cpu_check_stream(__stream);
    (void)__location;
    if (__error == 0 && __flags != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_check_range(__pointer, __bytes));
}

KBUILD_API(MemAdvise)(const void *__pointer, size_t __bytes,
                      enum KBUILD_VENDOR(MemoryAdvise) __advice,
                      struct KBUILD_VENDOR(MemLocation) __location) {
    (void)__location;
    if (__advice < KBUILD_VENDOR(MemAdviseSetReadMostly) ||
        __advice > KBUILD_VENDOR(MemAdviseUnsetAccessedBy))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown advice"));
    KBUILD_CALL(kbuild_cpu_check_range(__pointer, __bytes));
}
