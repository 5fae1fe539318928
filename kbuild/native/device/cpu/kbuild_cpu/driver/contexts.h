/* Contexts. */

static inline int kbuild_cpu_create_driver_context(CUcontext *__context, unsigned __flags,
                                                   CUdevice __device) {
    void *__created = NULL;
    int __error = kbuild_cpu_check_driver(__device);
    if (__error == 0)
        __error = kbuild_cpu_create_context(__context == NULL ? NULL : &__created, __flags);
    if (__error == 0) *__context = (CUcontext)__created;
    return __error;
}

#if KBUILD_CUDA_VERSION < 13
KBUILD_DRIVER(CtxCreate)(CUcontext *__context, unsigned int __flags, CUdevice __device) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_create_driver_context(__context, __flags, __device));
}
#else
KBUILD_DRIVER(CtxCreate)(CUcontext *__context, CUctxCreateParams *__parameters,
                         unsigned int __flags, CUdevice __device) {
    if (__parameters != NULL &&
        (__parameters->numExecAffinityParams != 0 || __parameters->cigParams != NULL))
        return CUDA_ERROR_NOT_SUPPORTED;
    KBUILD_DRIVER_RETURN(kbuild_cpu_create_driver_context(__context, __flags, __device));
}
#endif

KBUILD_DRIVER(CtxDestroy)(CUcontext __context) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_destroy_context(__context));
}

KBUILD_DRIVER(CtxPushCurrent)(CUcontext __context) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_push_context(__context));
}

KBUILD_DRIVER(CtxPopCurrent)(CUcontext *__context) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_pop_context((void **)__context));
}

KBUILD_DRIVER(CtxSetCurrent)(CUcontext __context) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_set_context(__context));
}

KBUILD_DRIVER(CtxGetCurrent)(CUcontext *__context) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_current_context((void **)__context));
}

KBUILD_DRIVER(CtxGetDevice)(CUdevice *__device) {
    KBUILD_DRIVER_CALL(kbuild_cpu_store_int(__device, 0));
}

KBUILD_DRIVER(CtxGetFlags)(unsigned int *__flags) {
    struct kbuild_cpu_context __found;
    const int __error = kbuild_cpu_describe_context(__flags == NULL ? NULL : &__found, NULL);
    if (__error == 0) *__flags = __found.flags;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(CtxSetFlags)(unsigned int __flags) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_set_context_flags(__flags));
}

KBUILD_DRIVER(CtxGetId)(CUcontext __context, unsigned long long *__id) {
    struct kbuild_cpu_context __found;
    const int __error = kbuild_cpu_describe_context(__id == NULL ? NULL : &__found, __context);
    if (__error == 0) *__id = __found.id;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(CtxGetApiVersion)(CUcontext __context, unsigned int *__version) {
    struct kbuild_cpu_context __found;
    const int __error = kbuild_cpu_describe_context(__version == NULL ? NULL : &__found, __context);
    if (__error == 0) *__version = 3020; /* the vendor's for all contexts since CUDA 3.2 */
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(CtxSynchronize)(void) { KBUILD_DRIVER_CALL(cudaDeviceSynchronize()); }

KBUILD_DRIVER(CtxSetLimit)(CUlimit __limit, size_t __value) {
    KBUILD_DRIVER_CALL(cudaDeviceSetLimit((enum cudaLimit)__limit, __value));
}

KBUILD_DRIVER(CtxGetLimit)(size_t *__value, CUlimit __limit) {
    KBUILD_DRIVER_CALL(cudaDeviceGetLimit(__value, (enum cudaLimit)__limit));
}

KBUILD_DRIVER(CtxGetCacheConfig)(CUfunc_cache *__preference) {
    KBUILD_DRIVER_CALL(cudaDeviceGetCacheConfig((enum cudaFuncCache *)__preference));
}

KBUILD_DRIVER(CtxSetCacheConfig)(CUfunc_cache __preference) {
    KBUILD_DRIVER_CALL(cudaDeviceSetCacheConfig((enum cudaFuncCache)__preference));
}

KBUILD_DRIVER(CtxGetSharedMemConfig)(CUsharedconfig *__preference) {
    KBUILD_DRIVER_CALL(cudaDeviceGetSharedMemConfig((enum cudaSharedMemConfig *)__preference));
}

KBUILD_DRIVER(CtxSetSharedMemConfig)(CUsharedconfig __preference) {
    KBUILD_DRIVER_CALL(cudaDeviceSetSharedMemConfig((enum cudaSharedMemConfig)__preference));
}

KBUILD_DRIVER(CtxGetStreamPriorityRange)(int *__least, int *__greatest) {
    KBUILD_DRIVER_CALL(cudaDeviceGetStreamPriorityRange(__least, __greatest));
}

KBUILD_DRIVER(CtxResetPersistingL2Cache)(void) {
    KBUILD_DRIVER_CALL(cudaCtxResetPersistingL2Cache());
}

/* A context has no peers, because there is one device. */
KBUILD_DRIVER(CtxEnablePeerAccess)(CUcontext __peer, unsigned int __flags) {
    (void)__peer, (void)__flags;
    KBUILD_DRIVER_CALL(KBUILD_CPU_PEER_ACCESS_UNSUPPORTED);
}

KBUILD_DRIVER(CtxDisablePeerAccess)(CUcontext __peer) {
    (void)__peer;
    KBUILD_DRIVER_CALL(KBUILD_CPU_PEER_ACCESS_NOT_ENABLED);
}

KBUILD_DRIVER(DevicePrimaryCtxRetain)(CUcontext *__context, CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error
                                      : kbuild_cpu_retain_primary_context((void **)__context));
}

KBUILD_DRIVER(DevicePrimaryCtxRelease)(CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_release_primary_context());
}

KBUILD_DRIVER(DevicePrimaryCtxReset)(CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_reset_primary_context());
}

KBUILD_DRIVER(DevicePrimaryCtxSetFlags)(CUdevice __device, unsigned int __flags) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_set_primary_flags(__flags));
}

KBUILD_DRIVER(DevicePrimaryCtxGetState)(CUdevice __device, unsigned int *__flags, int *__active) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error : kbuild_cpu_primary_state(__flags, __active));
}
