/* Virtual memory management: memory of the device that a program maps at addresses itself.  It needs no
 * context. */

#define KBUILD_DRIVER_MAPPED_CALL(call) \
    do { \
        const int __missing = kbuild_cpu_check_driver(0); \
        KBUILD_DRIVER_RETURN(__missing != 0 ? __missing : (call)); \
    } while (0)
#define KBUILD_DRIVER_MAPPED(name, parameters, call) \
    KBUILD_DRIVER(name) parameters { KBUILD_DRIVER_MAPPED_CALL(call); }

/* Memory is of the device, and is not compressed. */
static inline CUresult kbuild_cpu_check_allocation(const CUmemAllocationProp *__properties) {
    const int __missing = kbuild_cpu_check_driver(0);
    if (__missing != 0) KBUILD_DRIVER_RETURN(__missing);
    if (__properties == NULL || __properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    if (__properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return __properties->location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    return CUDA_ERROR_NOT_SUPPORTED;
}

KBUILD_DRIVER(MemGetAllocationGranularity)(size_t *__granularity,
                                           const CUmemAllocationProp *__properties,
                                           CUmemAllocationGranularity_flags __option) {
    const CUresult __problem = kbuild_cpu_check_allocation(__properties);
    if (__problem != CUDA_SUCCESS) return __problem;
    if (__granularity == NULL || (unsigned)__option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return CUDA_ERROR_INVALID_VALUE;
    *__granularity = KBUILD_CPU_VIRTUAL_GRANULARITY;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(MemCreate)(CUmemGenericAllocationHandle *__handle, size_t __bytes,
                         const CUmemAllocationProp *__properties, unsigned long long __flags) {
    const CUresult __problem = kbuild_cpu_check_allocation(__properties);
    if (__problem != CUDA_SUCCESS) return __problem;
    if (__flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if ((__properties->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
        return CUDA_ERROR_NOT_SUPPORTED;
    KBUILD_DRIVER_RETURN(kbuild_cpu_create_physical(__handle, __bytes,
                                                    (unsigned)__properties->requestedHandleTypes));
}

KBUILD_DRIVER(MemAddressReserve)(CUdeviceptr *__start, size_t __bytes, size_t __alignment,
                                 CUdeviceptr __wish, unsigned long long __flags) {
    if (__flags != 0) return CUDA_ERROR_INVALID_VALUE;
    KBUILD_DRIVER_MAPPED_CALL(
        kbuild_cpu_reserve_addresses((void **)__start, __bytes, __alignment, (void *)__wish));
}
KBUILD_DRIVER_MAPPED(MemAddressFree, (CUdeviceptr __start, size_t __bytes),
                     kbuild_cpu_free_addresses((void *)__start, __bytes))
KBUILD_DRIVER_MAPPED(MemRelease, (CUmemGenericAllocationHandle __handle),
                     kbuild_cpu_release_physical(__handle))
KBUILD_DRIVER(MemMap)(CUdeviceptr __start, size_t __bytes, size_t __offset,
                      CUmemGenericAllocationHandle __handle, unsigned long long __flags) {
    if (__flags != 0) return CUDA_ERROR_INVALID_VALUE;
    KBUILD_DRIVER_MAPPED_CALL(
        kbuild_cpu_map_physical((void *)__start, __bytes, __offset, __handle));
}
KBUILD_DRIVER_MAPPED(MemUnmap, (CUdeviceptr __start, size_t __bytes),
                     kbuild_cpu_unmap((void *)__start, __bytes))
KBUILD_DRIVER_MAPPED(MemRetainAllocationHandle,
                     (CUmemGenericAllocationHandle * __handle, void *__address),
                     kbuild_cpu_retain_physical(__handle, __address))

/* The host cannot use memory of the device. */
KBUILD_DRIVER(MemSetAccess)(CUdeviceptr __start, size_t __bytes, const CUmemAccessDesc *__all,
                            size_t __count) {
    size_t __i;
    int __error = kbuild_cpu_check_driver(0);
    if (__error == 0 && (__all == NULL || __count == 0)) return CUDA_ERROR_INVALID_VALUE;
    for (__i = 0; __error == 0 && __i < __count; ++__i) {
        const unsigned __access = (unsigned)__all[__i].flags;
        if (__all[__i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (__all[__i].location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
        if (__access > KBUILD_CPU_ACCESS_ALL || __access == 2) return CUDA_ERROR_INVALID_VALUE;
        __error = kbuild_cpu_set_access((void *)__start, __bytes, __access);
    }
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(MemGetAccess)(unsigned long long *__flags, const CUmemLocation *__location,
                            CUdeviceptr __address) {
    unsigned __access = 0;
    int __error = kbuild_cpu_check_driver(0);
    if (__error == 0 && (__flags == NULL || __location == NULL)) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) __error = kbuild_cpu_access(&__access, (const void *)__address);
    if (__error == 0)
        *__flags = __location->type == CU_MEM_LOCATION_TYPE_DEVICE && __location->id == 0
                       ? __access
                       : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(MemGetAllocationPropertiesFromHandle)(CUmemAllocationProp *__properties,
                                                    CUmemGenericAllocationHandle __handle) {
    struct kbuild_cpu_physical __found;
    int __error = kbuild_cpu_check_driver(0);
    if (__error == 0 && __properties == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) __error = kbuild_cpu_describe_physical(&__found, __handle);
    if (__error == 0) {
        __builtin_memset(__properties, 0, sizeof *__properties);
        __properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
        __properties->requestedHandleTypes = (CUmemAllocationHandleType)__found.handle_types;
        __properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    }
    KBUILD_DRIVER_RETURN(__error);
}

/* Memory of other processes: a file descriptor, which the program passes on, as a number in the pointer when it
 * comes back. */
KBUILD_DRIVER(MemExportToShareableHandle)(void *__result, CUmemGenericAllocationHandle __handle,
                                          CUmemAllocationHandleType __type,
                                          unsigned long long __flags) {
    if (__flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (__type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    KBUILD_DRIVER_MAPPED_CALL(kbuild_cpu_export_physical((int *)__result, __handle));
}
KBUILD_DRIVER(MemImportFromShareableHandle)(CUmemGenericAllocationHandle *__handle, void *__file,
                                            CUmemAllocationHandleType __type) {
    if (__type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
    KBUILD_DRIVER_MAPPED_CALL(kbuild_cpu_import_physical(__handle, (int)(uintptr_t)__file));
}
#undef KBUILD_DRIVER_MAPPED
#undef KBUILD_DRIVER_MAPPED_CALL
