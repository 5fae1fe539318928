/* Launches, attributes of kernels, and occupancy. */

enum { KBUILD_CPU_MOST_PARAMETERS = 1024 }; /* 4 KiB of parameters, each of at least 4 bytes */

/* Finds the arguments in the memory of an `extra` list. */
static inline int kbuild_cpu_unpack_arguments(void **__addresses, const void *__function,
                                              void **__extra) {
    char *__buffer = NULL;
    size_t __i, __offset = 0, __bytes = 0, __limit = 0;
    for (; *__extra != CU_LAUNCH_PARAM_END; __extra += 2) {
        if (*__extra == CU_LAUNCH_PARAM_BUFFER_POINTER) __buffer = (char *)__extra[1];
        if (*__extra == CU_LAUNCH_PARAM_BUFFER_SIZE) __limit = *(size_t *)__extra[1];
    }
    for (__i = 0; __i < KBUILD_CPU_MOST_PARAMETERS; ++__i) {
        const int __error = kbuild_cpu_describe_parameter(&__offset, &__bytes, __function, __i);
        if (__error == KBUILD_CPU_INVALID_VALUE) return 0; /* there are no more parameters */
        if (__error != 0) return __error;
        if (__buffer == NULL || __offset + __bytes > __limit)
            return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                   "the buffer of arguments is too small");
        __addresses[__i] = __buffer + __offset;
    }
    return 0;
}

static inline int kbuild_cpu_launch_function(const void *__function,
                                             const struct kbuild_launch_config *__config,
                                             void **__arguments, void **__extra) {
    void *__addresses[KBUILD_CPU_MOST_PARAMETERS];
    int __error = 0;
    if (__extra != NULL && __arguments == NULL) {
        __error = kbuild_cpu_unpack_arguments(__addresses, __function, __extra);
        __arguments = __addresses;
    }
    return __error != 0 ? __error : kbuild_cpu_launch_limited(__function, __config, __arguments);
}

static inline struct kbuild_launch_config kbuild_cpu_driver_config(unsigned __gx, unsigned __gy,
                                                                   unsigned __gz, unsigned __bx,
                                                                   unsigned __by, unsigned __bz,
                                                                   unsigned __shared_bytes,
                                                                   CUstream __stream) {
    dim3 __grid, __block;
    __grid.x = __gx, __grid.y = __gy, __grid.z = __gz;
    __block.x = __bx, __block.y = __by, __block.z = __bz;
    return kbuild_cpu_make_config(__grid, __block, __shared_bytes, __stream);
}

KBUILD_DRIVER(LaunchKernel)(CUfunction __function, unsigned int __gx, unsigned int __gy,
                            unsigned int __gz, unsigned int __bx, unsigned int __by,
                            unsigned int __bz, unsigned int __shared_bytes, CUstream __stream,
                            void **__arguments, void **__extra) {
    const struct kbuild_launch_config __config =
        kbuild_cpu_driver_config(__gx, __gy, __gz, __bx, __by, __bz, __shared_bytes, __stream);
    KBUILD_DRIVER_CALL(kbuild_cpu_launch_function(__function, &__config, __arguments, __extra));
}

KBUILD_DRIVER(LaunchCooperativeKernel)(CUfunction __function, unsigned int __gx, unsigned int __gy,
                                       unsigned int __gz, unsigned int __bx, unsigned int __by,
                                       unsigned int __bz, unsigned int __shared_bytes,
                                       CUstream __stream, void **__arguments) {
    struct kbuild_launch_config __config =
        kbuild_cpu_driver_config(__gx, __gy, __gz, __bx, __by, __bz, __shared_bytes, __stream);
    __config.cooperative = 1;
    KBUILD_DRIVER_CALL(kbuild_cpu_launch_function(__function, &__config, __arguments, NULL));
}

KBUILD_DRIVER(LaunchKernelEx)(const CUlaunchConfig *__request, CUfunction __function,
                              void **__arguments, void **__extra) {
    struct kbuild_launch_config __config;
    int __error = 0;
    unsigned __i;
    if (__request == NULL) return CUDA_ERROR_INVALID_VALUE;
    __config = kbuild_cpu_driver_config(
        __request->gridDimX, __request->gridDimY, __request->gridDimZ, __request->blockDimX,
        __request->blockDimY, __request->blockDimZ, __request->sharedMemBytes, __request->hStream);
    for (__i = 0; __error == 0 && __i < __request->numAttrs; ++__i) {
        cudaLaunchAttribute __attribute_of_launch;
        __attribute_of_launch.id = (cudaLaunchAttributeID)__request->attrs[__i].id;
        __attribute_of_launch.val = __request->attrs[__i].value;
        __error = kbuild_cpu_apply_attribute(&__config, &__attribute_of_launch);
    }
    KBUILD_DRIVER_CALL(
        __error != 0 ? __error
                     : kbuild_cpu_launch_function(__function, &__config, __arguments, __extra));
}

KBUILD_DRIVER(LaunchHostFunc)(CUstream __stream, CUhostFn __function, void *__data) {
    KBUILD_DRIVER_CALL(cudaLaunchHostFunc(__stream, __function, __data));
}

static inline int kbuild_cpu_function_attribute(int *__value, CUfunction_attribute __number,
                                                const void *__function) {
    struct cudaFuncAttributes __found;
    int __error = (int)cudaFuncGetAttributes(&__found, __function);
    if (__error == 0 && __value == NULL)
        return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "the result is a null pointer");
    if (__error != 0) return __error;
    switch (__number) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *__value = __found.maxThreadsPerBlock; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *__value = (int)__found.sharedSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *__value = (int)__found.constSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *__value = (int)__found.localSizeBytes; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *__value = __found.numRegs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *__value = __found.ptxVersion; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *__value = __found.binaryVersion; break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *__value = __found.cacheModeCA; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *__value = __found.maxDynamicSharedSizeBytes;
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *__value = __found.preferredShmemCarveout;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *__value = 0; break;
    default: return kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown attribute of a kernel");
    }
    return 0;
}

KBUILD_DRIVER(FuncGetAttribute)(int *__value, CUfunction_attribute __number,
                                CUfunction __function) {
    KBUILD_DRIVER_CALL(kbuild_cpu_function_attribute(__value, __number, __function));
}

KBUILD_DRIVER(FuncSetAttribute)(CUfunction __function, CUfunction_attribute __number, int __value) {
    KBUILD_DRIVER_CALL(kbuild_cpu_set_function_attribute(__function, (int)__number, __value));
}

KBUILD_DRIVER(KernelGetAttribute)(int *__value, CUfunction_attribute __number, CUkernel __kernel,
                                  CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0 ? __error
                                      : kbuild_cpu_function_attribute(__value, __number, __kernel));
}

KBUILD_DRIVER(KernelSetAttribute)(CUfunction_attribute __number, int __value, CUkernel __kernel,
                                  CUdevice __device) {
    const int __error = kbuild_cpu_check_driver(__device);
    KBUILD_DRIVER_RETURN(__error != 0
                             ? __error
                             : kbuild_cpu_set_function_attribute(__kernel, (int)__number, __value));
}

KBUILD_DRIVER(FuncSetCacheConfig)(CUfunction __function, CUfunc_cache __preference) {
    (void)__preference;
    KBUILD_DRIVER_CALL(kbuild_cpu_resolve(__function));
}

KBUILD_DRIVER(FuncSetSharedMemConfig)(CUfunction __function, CUsharedconfig __preference) {
    (void)__preference;
    KBUILD_DRIVER_CALL(kbuild_cpu_resolve(__function));
}

KBUILD_DRIVER(KernelSetCacheConfig)(CUkernel __kernel, CUfunc_cache __preference,
                                    CUdevice __device) {
    (void)__preference, (void)__device;
    KBUILD_DRIVER_RETURN(kbuild_cpu_resolve(__kernel));
}

KBUILD_DRIVER(FuncGetName)(const char **__name, CUfunction __function) {
    KBUILD_DRIVER_RETURN(cudaFuncGetName(__name, (const void *)__function));
}

KBUILD_DRIVER(KernelGetName)(const char **__name, CUkernel __kernel) {
    KBUILD_DRIVER_RETURN(cudaFuncGetName(__name, (const void *)__kernel));
}

KBUILD_DRIVER(FuncGetParamInfo)(CUfunction __function, size_t __index, size_t *__offset,
                                size_t *__bytes) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_describe_parameter(__offset, __bytes, __function, __index));
}

KBUILD_DRIVER(KernelGetParamInfo)(CUkernel __kernel, size_t __index, size_t *__offset,
                                  size_t *__bytes) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_describe_parameter(__offset, __bytes, __kernel, __index));
}

KBUILD_DRIVER(FuncIsLoaded)(CUfunctionLoadingState *__state, CUfunction __function) {
    const int __error = kbuild_cpu_resolve(__function);
    if (__error == 0 && __state != NULL) *__state = CU_FUNCTION_LOADING_STATE_LOADED;
    KBUILD_DRIVER_RETURN(__error);
}

KBUILD_DRIVER(FuncLoad)(CUfunction __function) {
    KBUILD_DRIVER_RETURN(kbuild_cpu_resolve(__function));
}

KBUILD_DRIVER(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *__blocks,
                                                                  CUfunction __function,
                                                                  int __threads,
                                                                  size_t __shared_bytes,
                                                                  unsigned int __flags) {
    KBUILD_DRIVER_CALL(
        kbuild_cpu_occupancy(__blocks, __function, __threads, __shared_bytes, __flags));
}

KBUILD_DRIVER(OccupancyMaxActiveBlocksPerMultiprocessor)(int *__blocks, CUfunction __function,
                                                         int __threads, size_t __shared_bytes) {
    KBUILD_DRIVER_CALL(kbuild_cpu_occupancy(__blocks, __function, __threads, __shared_bytes, 0));
}

KBUILD_DRIVER(OccupancyAvailableDynamicSMemPerBlock)(size_t *__bytes, CUfunction __function,
                                                     int __blocks, int __threads) {
    KBUILD_DRIVER_CALL(kbuild_cpu_available_shared_bytes(__bytes, __function, __blocks, __threads));
}

/* As the function of the runtime API, which is a template: tries all multiples of the warp size, and the
 * limit. */
KBUILD_DRIVER(OccupancyMaxPotentialBlockSizeWithFlags)(int *__least_grid, int *__block,
                                                       CUfunction __function,
                                                       CUoccupancyB2DSize __bytes_of_block,
                                                       size_t __shared_bytes, int __limit,
                                                       unsigned int __flags) {
    struct kbuild_cpu_function __found;
    int __cores = 0, __most_threads = 0, __rounded;
    int __error = kbuild_cpu_require_context();
    if (__error == 0) __error = kbuild_cpu_describe_function(&__found, __function);
    if (__error == 0)
        __error =
            kbuild_cpu_device_attribute(&__cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    if (__error != 0) KBUILD_DRIVER_RETURN(__error);
    if (__least_grid == NULL || __block == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (__limit <= 0 || __limit > __found.threads_per_block) __limit = __found.threads_per_block;
    *__least_grid = *__block = 0;
    for (__rounded = (__limit + 31) / 32 * 32; __rounded > 0; __rounded -= 32) {
        const int __threads = __rounded < __limit ? __rounded : __limit;
        const size_t __bytes =
            __bytes_of_block != NULL ? __bytes_of_block(__threads) : __shared_bytes;
        int __blocks = 0;
        __error = kbuild_cpu_occupancy(&__blocks, __function, __threads, __bytes, __flags);
        if (__error != 0) KBUILD_DRIVER_RETURN(__error);
        if (__blocks * __threads <= __most_threads) continue;
        __most_threads = __blocks * __threads;
        *__block = __threads;
        *__least_grid = __blocks * __cores;
    }
    return CUDA_SUCCESS;
}

KBUILD_DRIVER(OccupancyMaxPotentialBlockSize)(int *__least_grid, int *__block,
                                              CUfunction __function,
                                              CUoccupancyB2DSize __bytes_of_block,
                                              size_t __shared_bytes, int __limit) {
    return cuOccupancyMaxPotentialBlockSizeWithFlags(__least_grid, __block, __function,
                                                     __bytes_of_block, __shared_bytes, __limit, 0);
}
