/* What CUDA 13 removed. */

#if KBUILD_CUDA_VERSION < 13

KBUILD_API(ThreadSynchronize)(void) { return KBUILD_VENDOR(DeviceSynchronize)(); }
KBUILD_API(ThreadExit)(void) { return KBUILD_VENDOR(DeviceReset)(); }
KBUILD_API(ThreadSetLimit)(enum KBUILD_VENDOR(Limit) __limit, size_t __value) {
    return KBUILD_VENDOR(DeviceSetLimit)(__limit, __value);
}
KBUILD_API(ThreadGetLimit)(size_t *__value, enum KBUILD_VENDOR(Limit) __limit) {
    return KBUILD_VENDOR(DeviceGetLimit)(__value, __limit);
}
KBUILD_API(ThreadSetCacheConfig)(enum KBUILD_VENDOR(FuncCache) __preference) {
    return KBUILD_VENDOR(DeviceSetCacheConfig)(__preference);
}
KBUILD_API(ThreadGetCacheConfig)(enum KBUILD_VENDOR(FuncCache) *__preference) {
    return KBUILD_VENDOR(DeviceGetCacheConfig)(__preference);
}

/* The properties that are only attributes now. */
static inline enum cudaError kbuild_cpu_add_properties(struct cudaDeviceProp *__properties,
                                                       int __device) {
    const struct {
        int *value;
        int attribute;
    } __members[] = {
        {&__properties->clockRate, cudaDevAttrClockRate},
        {&__properties->memoryClockRate, cudaDevAttrMemoryClockRate},
        {&__properties->deviceOverlap, cudaDevAttrGpuOverlap},
        {&__properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout},
        {&__properties->computeMode, cudaDevAttrComputeMode},
        {&__properties->maxTexture1DLinear, cudaDevAttrMaxTexture1DLinearWidth},
        {&__properties->singleToDoublePrecisionPerfRatio,
         cudaDevAttrSingleToDoublePrecisionPerfRatio},
    };
    size_t __i;
    int __error = 0;
    for (__i = 0; __i < sizeof __members / sizeof *__members && __error == 0; ++__i)
        __error =
            kbuild_cpu_device_attribute(__members[__i].value, __members[__i].attribute, __device);
    KBUILD_CALL(__error);
}

/* The names that CUDA 12 gave to the forms of CUDA 13. */

KBUILD_API(GetDeviceProperties_v2)(struct cudaDeviceProp *__properties, int __device) {
    return KBUILD_VENDOR(GetDeviceProperties)(__properties, __device);
}

KBUILD_API(MemAdvise_v2)(const void *__pointer, size_t __bytes,
                         enum KBUILD_VENDOR(MemoryAdvise) __advice,
                         struct KBUILD_VENDOR(MemLocation) __location) {
    return KBUILD_VENDOR(MemAdvise)(__pointer, __bytes, __advice, __location);
}

KBUILD_API(MemPrefetchAsync_v2)(const void *__pointer, size_t __bytes,
                                struct KBUILD_VENDOR(MemLocation) __location, unsigned int __flags,
                                KBUILD_VENDOR(Stream_t) __stream) {
    return KBUILD_VENDOR(MemPrefetchAsync)(__pointer, __bytes, __location, __flags, __stream);
}

#endif
