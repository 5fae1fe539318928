/* Memory. */

/* A function that only needs the types of the runtime API. */
#define KBUILD_DRIVER_SAME(name, parameters, call) \
    KBUILD_DRIVER(name) parameters { KBUILD_DRIVER_CALL(call); }

KBUILD_DRIVER_SAME(MemGetInfo, (size_t *__free, size_t *__total), cudaMemGetInfo(__free, __total))
KBUILD_DRIVER_SAME(MemFree, (CUdeviceptr __address), cudaFree((void *)__address))
KBUILD_DRIVER_SAME(MemFreeHost, (void *__pointer), cudaFreeHost(__pointer))
KBUILD_DRIVER_SAME(MemHostUnregister, (void *__pointer), cudaHostUnregister(__pointer))
KBUILD_DRIVER_SAME(MemHostRegister, (void *__pointer, size_t __bytes, unsigned int __flags),
                   cudaHostRegister(__pointer, __bytes, __flags))
KBUILD_DRIVER_SAME(MemHostGetFlags, (unsigned int *__flags, void *__pointer),
                   cudaHostGetFlags(__flags, __pointer))

/* The driver API rejects empty memory. */
#define KBUILD_DRIVER_ALLOCATION(name, parameters, call) \
    KBUILD_DRIVER(name) parameters { \
        if (__result == NULL || __bytes == 0) return CUDA_ERROR_INVALID_VALUE; \
        KBUILD_DRIVER_CALL(call); \
    }

KBUILD_DRIVER_ALLOCATION(MemAlloc, (CUdeviceptr * __result, size_t __bytes),
                         cudaMalloc((void **)__result, __bytes))
KBUILD_DRIVER_ALLOCATION(MemAllocManaged,
                         (CUdeviceptr * __result, size_t __bytes, unsigned int __flags),
                         cudaMallocManaged((void **)__result, __bytes, __flags))
KBUILD_DRIVER_ALLOCATION(MemAllocHost, (void **__result, size_t __bytes),
                         cudaHostAlloc(__result, __bytes, 0))
KBUILD_DRIVER_ALLOCATION(MemHostAlloc, (void **__result, size_t __bytes, unsigned int __flags),
                         cudaHostAlloc(__result, __bytes, __flags))
KBUILD_DRIVER_ALLOCATION(MemAllocAsync, (CUdeviceptr * __result, size_t __bytes, CUstream __stream),
                         cudaMallocAsync((void **)__result, __bytes, __stream))
KBUILD_DRIVER_ALLOCATION(MemAllocFromPoolAsync,
                         (CUdeviceptr * __result, size_t __bytes, CUmemoryPool __pool,
                          CUstream __stream),
                         cudaMallocFromPoolAsync((void **)__result, __bytes, (cudaMemPool_t)__pool,
                                                 __stream))
#undef KBUILD_DRIVER_ALLOCATION

KBUILD_DRIVER_SAME(MemAllocPitch,
                   (CUdeviceptr * __result, size_t *__pitch, size_t __width, size_t __height,
                    unsigned int __element_bytes),
                   ((void)__element_bytes,
                    cudaMallocPitch((void **)__result, __pitch, __width, __height)))
KBUILD_DRIVER_SAME(MemHostGetDevicePointer,
                   (CUdeviceptr * __result, void *__pointer, unsigned int __flags),
                   cudaHostGetDevicePointer((void **)__result, __pointer, __flags))
KBUILD_DRIVER_SAME(MemFreeAsync, (CUdeviceptr __address, CUstream __stream),
                   cudaFreeAsync((void *)__address, __stream))

/* Either result can be null. */
KBUILD_DRIVER(MemGetAddressRange)(CUdeviceptr *__start, size_t *__bytes, CUdeviceptr __address) {
    void *__base = NULL;
    size_t __size = 0;
    int __error = kbuild_cpu_require_context();
    if (__error == 0) __error = kbuild_cpu_find_allocation((void *)__address, &__base, &__size);
    if (__error == 0 && __base == NULL) return CUDA_ERROR_NOT_FOUND;
    if (__error == 0 && __start != NULL) *__start = (CUdeviceptr)__base;
    if (__error == 0 && __bytes != NULL) *__bytes = __size;
    KBUILD_DRIVER_RETURN(__error);
}

/* The vendor's types of memory: host 1, and device 2, also for managed memory. */
static inline int kbuild_cpu_pointer_attribute(void *__data, CUpointer_attribute __number,
                                               CUdeviceptr __address) {
    struct kbuild_cpu_pointer __found;
    void *__base = NULL;
    size_t __bytes = 0;
    int __is_known;
    int __error = kbuild_cpu_describe_pointer(&__found, (const void *)__address);
    if (__error == 0)
        __error = kbuild_cpu_find_allocation((const void *)__address, &__base, &__bytes);
    if (__error != 0) return __error;
    __is_known = __found.kind != KBUILD_CPU_MEMORY_UNKNOWN;
    if (__data == NULL || !__is_known)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the address is not in memory of CUDA");
    switch (__number) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return kbuild_cpu_current_context((void **)__data);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)__data =
            __found.kind >= KBUILD_CPU_MEMORY_HOST ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return 0;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)__data = __address; return 0;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (__found.kind == KBUILD_CPU_MEMORY_DEVICE)
            return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the host cannot use the memory");
        *(void **)__data = (void *)__address;
        return 0;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *(unsigned *)__data = __found.kind == KBUILD_CPU_MEMORY_MANAGED;
        return 0;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)__data = 0; return 0;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *(CUdeviceptr *)__data = (CUdeviceptr)__base;
        return 0;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)__data = __bytes; return 0;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned *)__data = 1; return 0;
    default:
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend does not support this attribute of pointers");
    }
}

KBUILD_DRIVER_SAME(PointerGetAttribute,
                   (void *__data, CUpointer_attribute __number, CUdeviceptr __address),
                   kbuild_cpu_pointer_attribute(__data, __number, __address))

/* Attributes that memory does not have are 0. */
KBUILD_DRIVER(PointerGetAttributes)(unsigned int __count, CUpointer_attribute *__numbers,
                                    void **__data, CUdeviceptr __address) {
    unsigned __i;
    int __error = kbuild_cpu_require_context();
    if (__error != 0) KBUILD_DRIVER_RETURN(__error);
    if (__numbers == NULL || __data == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (__i = 0; __i < __count; ++__i) {
        if (kbuild_cpu_pointer_attribute(__data[__i], __numbers[__i], __address) == 0) continue;
        kbuild_cpu_take_error();
        if (__numbers[__i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE ||
            __numbers[__i] == CU_POINTER_ATTRIBUTE_IS_MANAGED)
            *(unsigned *)__data[__i] = 0;
        else if (__numbers[__i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
            *(int *)__data[__i] = CU_DEVICE_INVALID;
        else
            *(void **)__data[__i] = NULL;
    }
    return CUDA_SUCCESS;
}

static inline struct cudaMemLocation kbuild_cpu_runtime_location(CUmemLocation __location) {
    struct cudaMemLocation __result;
    __result.type = (enum cudaMemLocationType)__location.type;
    __result.id = __location.id;
    return __result;
}

#if KBUILD_CUDA_VERSION < 13
static inline CUmemLocation kbuild_cpu_driver_location(CUdevice __device) {
    CUmemLocation __result;
    __result.type =
        __device == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
    __result.id = __device;
    return __result;
}
KBUILD_DRIVER_SAME(
    MemPrefetchAsync, (CUdeviceptr __address, size_t __bytes, CUdevice __device, CUstream __stream),
    cudaMemPrefetchAsync((const void *)__address, __bytes,
                         kbuild_cpu_runtime_location(kbuild_cpu_driver_location(__device)), 0,
                         __stream))
KBUILD_DRIVER_SAME(MemAdvise,
                   (CUdeviceptr __address, size_t __bytes, CUmem_advise __advice,
                    CUdevice __device),
                   cudaMemAdvise((const void *)__address, __bytes, (enum cudaMemoryAdvise)__advice,
                                 kbuild_cpu_runtime_location(kbuild_cpu_driver_location(__device))))
#else
KBUILD_DRIVER_SAME(MemPrefetchAsync,
                   (CUdeviceptr __address, size_t __bytes, CUmemLocation __location,
                    unsigned int __flags, CUstream __stream),
                   cudaMemPrefetchAsync((const void *)__address, __bytes,
                                        kbuild_cpu_runtime_location(__location), __flags, __stream))
KBUILD_DRIVER_SAME(MemAdvise,
                   (CUdeviceptr __address, size_t __bytes, CUmem_advise __advice,
                    CUmemLocation __location),
                   cudaMemAdvise((const void *)__address, __bytes, (enum cudaMemoryAdvise)__advice,
                                 kbuild_cpu_runtime_location(__location)))
#endif

/* Pools.  The structures have the layout of the runtime's. */

KBUILD_DRIVER_SAME(MemPoolCreate, (CUmemoryPool * __pool, const CUmemPoolProps *__properties),
                   cudaMemPoolCreate((cudaMemPool_t *)__pool,
                                     (const struct cudaMemPoolProps *)__properties))
KBUILD_DRIVER_SAME(MemPoolDestroy, (CUmemoryPool __pool), cudaMemPoolDestroy((cudaMemPool_t)__pool))
KBUILD_DRIVER_SAME(MemPoolTrimTo, (CUmemoryPool __pool, size_t __kept_bytes),
                   cudaMemPoolTrimTo((cudaMemPool_t)__pool, __kept_bytes))
KBUILD_DRIVER_SAME(MemPoolSetAttribute,
                   (CUmemoryPool __pool, CUmemPool_attribute __number, void *__value),
                   cudaMemPoolSetAttribute((cudaMemPool_t)__pool, (enum cudaMemPoolAttr)__number,
                                           __value))
KBUILD_DRIVER_SAME(MemPoolGetAttribute,
                   (CUmemoryPool __pool, CUmemPool_attribute __number, void *__value),
                   cudaMemPoolGetAttribute((cudaMemPool_t)__pool, (enum cudaMemPoolAttr)__number,
                                           __value))
KBUILD_DRIVER_SAME(MemPoolSetAccess,
                   (CUmemoryPool __pool, const CUmemAccessDesc *__descriptions, size_t __count),
                   cudaMemPoolSetAccess((cudaMemPool_t)__pool,
                                        (const struct cudaMemAccessDesc *)__descriptions, __count))
KBUILD_DRIVER_SAME(MemPoolGetAccess,
                   (CUmemAccess_flags * __flags, CUmemoryPool __pool, CUmemLocation *__location),
                   cudaMemPoolGetAccess((enum cudaMemAccessFlags *)__flags, (cudaMemPool_t)__pool,
                                        (struct cudaMemLocation *)__location))
KBUILD_DRIVER_SAME(MemGetDefaultMemPool,
                   (CUmemoryPool * __pool, CUmemLocation *__location, CUmemAllocationType __type),
                   cudaMemGetDefaultMemPool((cudaMemPool_t *)__pool,
                                            (struct cudaMemLocation *)__location,
                                            (enum cudaMemAllocationType)__type))
KBUILD_DRIVER_SAME(MemGetMemPool,
                   (CUmemoryPool * __pool, CUmemLocation *__location, CUmemAllocationType __type),
                   cudaMemGetMemPool((cudaMemPool_t *)__pool, (struct cudaMemLocation *)__location,
                                     (enum cudaMemAllocationType)__type))
KBUILD_DRIVER_SAME(MemSetMemPool,
                   (CUmemLocation * __location, CUmemAllocationType __type, CUmemoryPool __pool),
                   cudaMemSetMemPool((struct cudaMemLocation *)__location,
                                     (enum cudaMemAllocationType)__type, (cudaMemPool_t)__pool))

/* Memory and events of other processes. */

KBUILD_DRIVER_SAME(IpcGetEventHandle, (CUipcEventHandle * __handle, CUevent __event),
                   cudaIpcGetEventHandle(__handle, __event))
KBUILD_DRIVER_SAME(IpcOpenEventHandle, (CUevent * __event, CUipcEventHandle __handle),
                   cudaIpcOpenEventHandle(__event, __handle))
KBUILD_DRIVER_SAME(IpcGetMemHandle, (CUipcMemHandle * __handle, CUdeviceptr __address),
                   cudaIpcGetMemHandle(__handle, (void *)__address))
KBUILD_DRIVER_SAME(IpcOpenMemHandle,
                   (CUdeviceptr * __address, CUipcMemHandle __handle, unsigned int __flags),
                   cudaIpcOpenMemHandle((void **)__address, __handle, __flags))
KBUILD_DRIVER_SAME(IpcCloseMemHandle, (CUdeviceptr __address),
                   cudaIpcCloseMemHandle((void *)__address))
