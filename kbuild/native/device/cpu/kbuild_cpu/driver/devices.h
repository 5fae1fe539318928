/* Initialization, errors, and devices. */

KBUILD_DRIVER(Init)(unsigned int __flags) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_initialize_driver(__flags));
}

KBUILD_DRIVER(GetErrorName)(CUresult __error, const char **__name) {
    static const struct {
        int number;
        const char *name;
    } __rows[] = {
#define KBUILD_DRIVER_ERROR(name, number) {number, #name},
        KBUILD_CPU_DRIVER_ERRORS(KBUILD_DRIVER_ERROR)
#undef KBUILD_DRIVER_ERROR
    };
    size_t __i;
    if (__name == NULL) return CUDA_ERROR_INVALID_VALUE;
    *__name = NULL;
    for (__i = 0; __i < sizeof __rows / sizeof *__rows; ++__i)
        if (__rows[__i].number == (int)__error) *__name = __rows[__i].name;
    return *__name == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

KBUILD_DRIVER(GetErrorString)(CUresult __error, const char **__text) {
    const CUresult __found = cuGetErrorName(__error, __text);
    if (__found == CUDA_SUCCESS) *__text = kbuild_cpu_error_text((int)__error);
    return __found;
}

KBUILD_DRIVER(DriverGetVersion)(int *__version) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_store_int(__version, CUDART_VERSION));
}

/* Fails unless the driver is initialized and the device exists. */
static inline int kbuild_cpu_check_driver(CUdevice __device) {
    void *__context;
    struct cudaDeviceProp __properties;
    const int __error = kbuild_cpu_current_context(&__context);
    return __error != 0 ? __error : kbuild_cpu_device_properties(&__properties, 1, __device);
}

KBUILD_DRIVER(DeviceGetCount)(int *__count) {
    const int __error = kbuild_cpu_check_driver(0);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_device_count(__count));
}

KBUILD_DRIVER(DeviceGet)(CUdevice *__device, int __number) {
    const int __error = kbuild_cpu_check_driver(__number);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_store_int(__device, __number));
}

static inline int kbuild_cpu_driver_properties(struct cudaDeviceProp *__properties,
                                               CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    return __error != 0
               ? __error
               : kbuild_cpu_device_properties(__properties, sizeof *__properties, __device);
}

KBUILD_DRIVER(DeviceGetName)(char *__name, int __bytes, CUdevice __device) {
    struct cudaDeviceProp __properties;
    const int __error = kbuild_cpu_driver_properties(&__properties, __device);
    int __i = 0;
    if (__error != 0) KBUILD_DRIVER_RETURN(__error);
    if (__name == NULL || __bytes <= 0) return CUDA_ERROR_INVALID_VALUE;
    for (; __i < __bytes - 1 && __properties.name[__i] != 0; ++__i)
        __name[__i] = __properties.name[__i];
    __name[__i] = 0;
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(DeviceGetUuid)(CUuuid *__uuid, CUdevice __device) {
    struct cudaDeviceProp __properties;
    const int __error = kbuild_cpu_driver_properties(&__properties, __device);
    if (__error == 0 && __uuid == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) *__uuid = __properties.uuid;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(DeviceTotalMem)(size_t *__bytes, CUdevice __device) {
    struct cudaDeviceProp __properties;
    const int __error = kbuild_cpu_driver_properties(&__properties, __device);
    if (__error == 0 && __bytes == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) *__bytes = __properties.totalGlobalMem;
    KBUILD_DRIVER_RETURN(__error);
}

/* What the runtime API has no attribute for, the device does not have. */
KBUILD_DRIVER(DeviceGetAttribute)(int *__value, CUdevice_attribute __number, CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    if (__error != 0) KBUILD_DRIVER_RETURN(__error);
    if (__value == NULL || (int)__number < 1 || (int)__number >= CU_DEVICE_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (__number == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED ||
        __number == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) {
        *__value = 1;
    } else if (kbuild_cpu_device_attribute(__value, (int)__number, __device) != 0) {
        kbuild_cpu_take_error();
        *__value = 0;
    }
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(DeviceComputeCapability)(int *__major, int *__minor, CUdevice __device) {
    struct cudaDeviceProp __properties;
    const int __error = kbuild_cpu_driver_properties(&__properties, __device);
    if (__error == 0 && (__major == NULL || __minor == NULL)) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) {
        *__major = __properties.major;
        *__minor = __properties.minor;
    }
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(DeviceGetProperties)(CUdevprop *__result, CUdevice __device) {
    struct cudaDeviceProp __found;
    const int __error = kbuild_cpu_driver_properties(&__found, __device);
    int __i;
    if (__error == 0 && __result == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__error == 0) {
        __result->maxThreadsPerBlock = __found.maxThreadsPerBlock;
        for (__i = 0; __i < 3; ++__i) {
            __result->maxThreadsDim[__i] = __found.maxThreadsDim[__i];
            __result->maxGridSize[__i] = __found.maxGridSize[__i];
        }
        __result->sharedMemPerBlock = (int)__found.sharedMemPerBlock;
        __result->totalConstantMemory = (int)__found.totalConstMem;
        __result->SIMDWidth = __found.warpSize;
        __result->memPitch = (int)__found.memPitch;
        __result->regsPerBlock = __found.regsPerBlock;
        __result->textureAlign = (int)__found.textureAlignment;
        return cuDeviceGetAttribute(&__result->clockRate, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, __device);
    }
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(DeviceGetPCIBusId)(char *__name, int __bytes, CUdevice __device) {
    KBUILD_DRIVER_RETURN(cudaDeviceGetPCIBusId(__name, __bytes, __device));
}

KBUILD_DRIVER(DeviceGetByPCIBusId)(CUdevice *__device, const char *__name) {
    KBUILD_DRIVER_RETURN(cudaDeviceGetByPCIBusId(__device, __name));
}

KBUILD_DRIVER(DeviceCanAccessPeer)(int *__can, CUdevice __device, CUdevice __peer) {
    KBUILD_DRIVER_RETURN(cudaDeviceCanAccessPeer(__can, __device, __peer));
}

KBUILD_DRIVER(DeviceGetP2PAttribute)(int *__value, CUdevice_P2PAttribute __number,
                                     CUdevice __source, CUdevice __destination) {
    KBUILD_DRIVER_RETURN(cudaDeviceGetP2PAttribute(__value, (enum cudaDeviceP2PAttr)__number,
                                                   __source, __destination));
}

KBUILD_DRIVER(DeviceGetDefaultMemPool)(CUmemoryPool *__pool, CUdevice __device) {
    KBUILD_DRIVER_RETURN(cudaDeviceGetDefaultMemPool((cudaMemPool_t *)__pool, __device));
}

KBUILD_DRIVER(DeviceGetMemPool)(CUmemoryPool *__pool, CUdevice __device) {
    KBUILD_DRIVER_RETURN(cudaDeviceGetMemPool((cudaMemPool_t *)__pool, __device));
}

KBUILD_DRIVER(DeviceSetMemPool)(CUdevice __device, CUmemoryPool __pool) {
    KBUILD_DRIVER_RETURN(cudaDeviceSetMemPool(__device, (cudaMemPool_t)__pool));
}

KBUILD_DRIVER(DeviceGraphMemTrim)(CUdevice __device) {
    KBUILD_DRIVER_RETURN(cudaDeviceGraphMemTrim(__device));
}

KBUILD_DRIVER(ProfilerStart)(void) { return CUDA_SUCCESS; }
KBUILD_DRIVER(ProfilerStop)(void) { return CUDA_SUCCESS; }
