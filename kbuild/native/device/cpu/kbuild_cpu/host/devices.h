/* Devices: there is one, number 0. */

KBUILD_API(GetDeviceCount)(int *__count) { KBUILD_CALL(kbuild_cpu_device_count(__count)); }

KBUILD_API(SetDevice)(int __device) { KBUILD_CALL(kbuild_cpu_set_device(__device)); }

KBUILD_API(InitDevice)(int __device, unsigned int __device_flags, unsigned int __flags) {
    const int __error = kbuild_cpu_set_device(__device);
    if (__error == 0 && (__flags & KBUILD_VENDOR(InitDeviceFlagsAreValid)) != 0)
        KBUILD_CALL(kbuild_cpu_set_device_flags(__device_flags));
    KBUILD_CALL(__error);
}

/* Stores a result that is always the same. */
static inline int kbuild_cpu_store_int(int *__result, int __value) {
    if (__result == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer");
    *__result = __value;
    return 0;
}

KBUILD_API(GetDevice)(int *__device) { KBUILD_CALL(kbuild_cpu_store_int(__device, 0)); }

KBUILD_API(SetValidDevices)(int *__devices, int __count) {
    int __error = __count < 0 || (__count > 0 && __devices == NULL)
                      ? kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the list of devices is invalid")
                      : 0;
    for (int __i = 0; __error == 0 && __i < __count; ++__i)
        __error = kbuild_cpu_set_device(__devices[__i]);
    KBUILD_CALL(__error);
}

#if KBUILD_CUDA_VERSION < 13
static inline enum cudaError kbuild_cpu_add_properties(struct cudaDeviceProp *__properties,
                                                       int __device);
#endif
KBUILD_API(GetDeviceProperties)(struct cudaDeviceProp *__properties, int __device) {
    const int __error = kbuild_cpu_device_properties(__properties, sizeof *__properties, __device);
#if KBUILD_CUDA_VERSION < 13
    if (__error == 0) return kbuild_cpu_add_properties(__properties, __device);
#endif
    KBUILD_CALL(__error);
}

KBUILD_API(DeviceGetAttribute)(int *__value, enum cudaDeviceAttr __attribute_number, int __device) {
    KBUILD_CALL(kbuild_cpu_device_attribute(__value, KBUILD_STATIC_CAST(int, __attribute_number),
                                            __device));
}

KBUILD_API(ChooseDevice)(int *__device, const struct cudaDeviceProp *__properties) {
    if (__properties == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the properties are a null pointer"));
    KBUILD_CALL(kbuild_cpu_store_int(__device, 0));
}

KBUILD_API(DeviceSynchronize)(void) { KBUILD_CALL(kbuild_cpu_synchronize()); }

KBUILD_API(DeviceReset)(void) { KBUILD_CALL(kbuild_cpu_reset_device()); }

KBUILD_API(SetDeviceFlags)(unsigned int __flags) {
    KBUILD_CALL(kbuild_cpu_set_device_flags(__flags));
}

KBUILD_API(GetDeviceFlags)(unsigned int *__flags) { KBUILD_CALL(kbuild_cpu_device_flags(__flags)); }

KBUILD_API(DeviceSetLimit)(enum KBUILD_VENDOR(Limit) __limit, size_t __value) {
    KBUILD_CALL(kbuild_cpu_set_limit(KBUILD_STATIC_CAST(int, __limit), __value));
}

KBUILD_API(DeviceGetLimit)(size_t *__value, enum KBUILD_VENDOR(Limit) __limit) {
    KBUILD_CALL(kbuild_cpu_limit(__value, KBUILD_STATIC_CAST(int, __limit)));
}

KBUILD_API(DriverGetVersion)(int *__version) {
    KBUILD_CALL(kbuild_cpu_store_int(__version, CUDART_VERSION));
}

KBUILD_API(RuntimeGetVersion)(int *__version) {
    KBUILD_CALL(kbuild_cpu_store_int(__version, CUDART_VERSION));
}

/* A processor divides its caches itself, so that preferences have no effect. */

KBUILD_API(DeviceSetCacheConfig)(enum KBUILD_VENDOR(FuncCache) __preference) {
    (void)__preference;
    return KBUILD_VENDOR(Success);
}

KBUILD_API(DeviceGetCacheConfig)(enum KBUILD_VENDOR(FuncCache) *__preference) {
    if (__preference == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    *__preference = KBUILD_VENDOR(FuncCachePreferNone);
    return KBUILD_VENDOR(Success);
}

KBUILD_API(DeviceSetSharedMemConfig)(enum KBUILD_VENDOR(SharedMemConfig) __preference) {
    (void)__preference;
    return KBUILD_VENDOR(Success);
}

KBUILD_API(DeviceGetSharedMemConfig)(enum KBUILD_VENDOR(SharedMemConfig) *__preference) {
    if (__preference == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer"));
    *__preference = KBUILD_VENDOR(SharedMemBankSizeFourByte);
    return KBUILD_VENDOR(Success);
}

KBUILD_API(CtxResetPersistingL2Cache)(void) { return KBUILD_VENDOR(Success); }

/* The priority decides which of the operations that can begin is the next one. */

KBUILD_API(DeviceGetStreamPriorityRange)(int *__least, int *__greatest) {
    if (__least != NULL) *__least = 0;
    if (__greatest != NULL) *__greatest = -5;
    return KBUILD_VENDOR(Success);
}

/* The device is not on a PCI bus.  Its name is that of a device with all numbers 0. */

KBUILD_API(DeviceGetPCIBusId)(char *__name, int __size, int __device) {
    static const char __id[] = "0000:00:00.0";
    const int __error = kbuild_cpu_set_device(__device);
    if (__error != 0) KBUILD_CALL(__error);
    if (__name == NULL || __size < KBUILD_STATIC_CAST(int, sizeof __id))
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the buffer is too small"));
    for (size_t __i = 0; __i < sizeof __id; ++__i) __name[__i] = __id[__i];
    return KBUILD_VENDOR(Success);
}

KBUILD_API(DeviceGetByPCIBusId)(int *__device, const char *__name) {
    static const char __id[] = "0000:00:00.0";
    size_t __i = 0;
    while (__name != NULL && __i < sizeof __id && __name[__i] == __id[__i]) ++__i;
    if (__i != sizeof __id)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "there is no device of this name"));
    KBUILD_CALL(kbuild_cpu_store_int(__device, 0));
}

/* No device has peers. */

KBUILD_API(DeviceCanAccessPeer)(int *__can, int __device, int __peer) {
    int __error = kbuild_cpu_set_device(__device);
    if (__error == 0) __error = kbuild_cpu_set_device(__peer);
    KBUILD_CALL(__error != 0 ? __error : kbuild_cpu_store_int(__can, 0));
}

KBUILD_API(DeviceEnablePeerAccess)(int __peer, unsigned int __flags) {
    const int __error = kbuild_cpu_set_device(__peer);
    if (__error == 0 && __flags != 0)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the flags are not 0"));
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_fail(KBUILD_CPU_PEER_ACCESS_UNSUPPORTED,
                                               "a device has no peer access to itself"));
}

KBUILD_API(DeviceDisablePeerAccess)(int __peer) {
    const int __error = kbuild_cpu_set_device(__peer);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_fail(KBUILD_CPU_PEER_ACCESS_NOT_ENABLED,
                                               "a device has no peer access to itself"));
}

KBUILD_API(DeviceGetP2PAttribute)(int *__value, enum KBUILD_VENDOR(DeviceP2PAttr) __number,
                                  int __source, int __destination) {
    (void)__value, (void)__number, (void)__source, (void)__destination;
    KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_DEVICE, "the cpu backend has one device, 0"));
}
