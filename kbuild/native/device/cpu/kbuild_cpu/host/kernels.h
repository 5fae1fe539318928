/* Launches, kernel attributes, and occupancy.  A kernel is the address of its handle. */

static inline struct kbuild_launch_config kbuild_cpu_make_config(dim3 __grid, dim3 __block,
                                                                 size_t __shared_bytes,
                                                                 void *__stream) {
    struct kbuild_launch_config __config;
    __config.grid.x = __grid.x;
    __config.grid.y = __grid.y;
    __config.grid.z = __grid.z;
    __config.block.x = __block.x;
    __config.block.y = __block.y;
    __config.block.z = __block.z;
    __config.shared_bytes = __shared_bytes;
    __config.stream = KBUILD_STREAM(__stream);
    __config.cluster.x = __config.cluster.y = __config.cluster.z = 0;
    __config.cooperative = 0;
    __config.programmatic_dependent_launch = 0;
    __config.priority = 0;
    return __config;
}

KBUILD_API(LaunchKernel)(const void *__kernel, dim3 __grid, dim3 __block, void **__arguments,
                         size_t __shared_bytes, KBUILD_VENDOR(Stream_t) __stream) {
    const struct kbuild_launch_config __config =
        kbuild_cpu_make_config(__grid, __block, __shared_bytes, __stream);
    KBUILD_CALL(kbuild_cpu_launch_limited(__kernel, &__config, __arguments));
}

KBUILD_API(LaunchCooperativeKernel)(const void *__kernel, dim3 __grid, dim3 __block,
                                    void **__arguments, size_t __shared_bytes,
                                    KBUILD_VENDOR(Stream_t) __stream) {
    struct kbuild_launch_config __config =
        kbuild_cpu_make_config(__grid, __block, __shared_bytes, __stream);
    __config.cooperative = 1;
    KBUILD_CALL(kbuild_cpu_launch_limited(__kernel, &__config, __arguments));
}

/* Copies an attribute to the configuration.  Ignores those that only affect performance. */
static inline int kbuild_cpu_apply_attribute(struct kbuild_launch_config *__config,
                                             const KBUILD_VENDOR(LaunchAttribute) *__source) {
    switch (__source->id) {
    case KBUILD_VENDOR(LaunchAttributeCooperative):
        __config->cooperative = __source->val.cooperative != 0;
        return 0;
    case KBUILD_VENDOR(LaunchAttributeClusterDimension):
        __config->cluster.x = __source->val.clusterDim.x;
        __config->cluster.y = __source->val.clusterDim.y;
        __config->cluster.z = __source->val.clusterDim.z;
        return 0;
    case KBUILD_VENDOR(LaunchAttributeProgrammaticStreamSerialization):
        __config->programmatic_dependent_launch =
            __source->val.programmaticStreamSerializationAllowed != 0;
        return 0;
    case KBUILD_VENDOR(LaunchAttributePriority):
        __config->priority = __source->val.priority;
        return 0;
    case KBUILD_VENDOR(LaunchAttributeProgrammaticEvent):
    case KBUILD_VENDOR(LaunchAttributeLaunchCompletionEvent):
    case KBUILD_VENDOR(LaunchAttributeDeviceUpdatableKernelNode):
        return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                               "the cpu backend does not support events or graphs in launches");
    default: return 0;
    }
}

/* Reads an attribute from a configuration. */
static inline void kbuild_cpu_read_attribute(KBUILD_VENDOR(LaunchAttributeValue) *__value,
                                             const struct kbuild_launch_config *__config,
                                             KBUILD_VENDOR(LaunchAttributeID) __number) {
    for (size_t __i = 0; __i < sizeof __value->pad; ++__i) __value->pad[__i] = 0;
    switch (__number) {
    case KBUILD_VENDOR(LaunchAttributeCooperative):
        __value->cooperative = __config->cooperative;
        return;
    case KBUILD_VENDOR(LaunchAttributeClusterDimension):
        __value->clusterDim.x = __config->cluster.x;
        __value->clusterDim.y = __config->cluster.y;
        __value->clusterDim.z = __config->cluster.z;
        return;
    case KBUILD_VENDOR(LaunchAttributePriority): __value->priority = __config->priority; return;
    default: return;
    }
}

KBUILD_API(LaunchKernelExC)(const KBUILD_VENDOR(LaunchConfig_t) *__request, const void *__kernel,
                            void **__arguments) {
    struct kbuild_launch_config __config;
    int __error = 0;
    if (__request == NULL)
        KBUILD_CALL(kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                    "the launch configuration is a null pointer"));
    __config = kbuild_cpu_make_config(__request->gridDim, __request->blockDim,
                                      __request->dynamicSmemBytes, __request->stream);
    for (unsigned __i = 0; __error == 0 && __i < __request->numAttrs; ++__i)
        __error = kbuild_cpu_apply_attribute(&__config, &__request->attrs[__i]);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_launch_limited(__kernel, &__config, __arguments));
}

KBUILD_API(FuncGetAttributes)(struct KBUILD_VENDOR(FuncAttributes) *__attributes,
                              const void *__kernel) {
    static const struct KBUILD_VENDOR(FuncAttributes) __empty = {
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
    struct kbuild_cpu_function __found;
    const int __error =
        kbuild_cpu_describe_function(__attributes == NULL ? NULL : &__found, __kernel);
    if (__error == 0) {
        *__attributes = __empty;
        __attributes->sharedSizeBytes = __found.static_shared_bytes;
        __attributes->maxThreadsPerBlock = __found.threads_per_block;
        __attributes->numRegs = __found.registers;
        __attributes->ptxVersion = __attributes->binaryVersion = __found.version;
        __attributes->maxDynamicSharedSizeBytes =
            KBUILD_STATIC_CAST(int, __found.dynamic_shared_limit);
        __attributes->preferredShmemCarveout = __found.shared_carveout;
    }
    KBUILD_CALL(__error);
}

KBUILD_API(FuncSetAttribute)(const void *__kernel, enum KBUILD_VENDOR(FuncAttribute) __number,
                             int __value) {
    KBUILD_CALL(
        kbuild_cpu_set_function_attribute(__kernel, KBUILD_STATIC_CAST(int, __number), __value));
}

KBUILD_API(FuncGetName)(const char **__name, const void *__kernel) {
    struct kbuild_cpu_function __found;
    const int __error = kbuild_cpu_describe_function(__name == NULL ? NULL : &__found, __kernel);
    if (__error == 0) *__name = __found.symbol;
    KBUILD_CALL(__error);
}

/* The functions that take the address of a kernel also take its handle, so both are the same. */
KBUILD_API(GetKernel)(KBUILD_VENDOR(Kernel_t) *__result, const void *__kernel) {
    int __error = __result == NULL ? kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE,
                                                     "the address for the result is a null pointer")
                                   : kbuild_cpu_resolve(__kernel);
    /* Other functions call this an invalid handle. */
    if (__error == KBUILD_CPU_INVALID_HANDLE)
        __error =
            kbuild_cpu_fail(KBUILD_CPU_INVALID_KERNEL, "no kernel is registered at the address");
    if (__error == 0)
        *__result =
            KBUILD_REINTERPRET_CAST(KBUILD_VENDOR(Kernel_t), KBUILD_CONST_CAST(void *, __kernel));
    KBUILD_CALL(__error);
}

/* The address for the size can be null. */
KBUILD_API(FuncGetParamInfo)(const void *__kernel, size_t __index, size_t *__offset,
                             size_t *__bytes) {
    KBUILD_CALL(kbuild_cpu_describe_parameter(__offset, __bytes, __kernel, __index));
}

KBUILD_API(FuncSetCacheConfig)(const void *__kernel, enum KBUILD_VENDOR(FuncCache) __preference) {
    (void)__preference;
    KBUILD_CALL(kbuild_cpu_resolve(__kernel));
}

KBUILD_API(FuncSetSharedMemConfig)(const void *__kernel,
                                   enum KBUILD_VENDOR(SharedMemConfig) __preference) {
    (void)__preference;
    KBUILD_CALL(kbuild_cpu_resolve(__kernel));
}

KBUILD_API(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *__blocks, const void *__kernel,
                                                               int __threads, size_t __shared_bytes,
                                                               unsigned int __flags) {
    KBUILD_CALL(kbuild_cpu_occupancy(__blocks, __kernel, __threads, __shared_bytes, __flags));
}

KBUILD_API(OccupancyMaxActiveBlocksPerMultiprocessor)(int *__blocks, const void *__kernel,
                                                      int __threads, size_t __shared_bytes) {
    KBUILD_CALL(kbuild_cpu_occupancy(__blocks, __kernel, __threads, __shared_bytes, 0));
}

KBUILD_API(OccupancyAvailableDynamicSMemPerBlock)(size_t *__bytes, const void *__kernel,
                                                  int __blocks, int __threads) {
    KBUILD_CALL(kbuild_cpu_available_shared_bytes(__bytes, __kernel, __blocks, __threads));
}

/* Clusters. */

static inline unsigned kbuild_cpu_count_cluster(const KBUILD_VENDOR(LaunchConfig_t) *__config) {
    unsigned __blocks = 1;
    for (unsigned __i = 0; __i < __config->numAttrs; ++__i) {
        const KBUILD_VENDOR(LaunchAttributeValue) *const __value = &__config->attrs[__i].val;
        if (__config->attrs[__i].id == KBUILD_VENDOR(LaunchAttributeClusterDimension))
            __blocks = __value->clusterDim.x * __value->clusterDim.y * __value->clusterDim.z;
    }
    return __blocks == 0 ? 1 : __blocks;
}

KBUILD_API(OccupancyMaxPotentialClusterSize)(int *__size, const void *__kernel,
                                             const KBUILD_VENDOR(LaunchConfig_t) *__config) {
    struct kbuild_cpu_function __function;
    const int __error = kbuild_cpu_describe_function(&__function, __kernel);
    (void)__config;
    if (__error == 0) *__size = __function.most_cluster_blocks;
    KBUILD_CALL(__error);
}

/* 16 is the attribute for the number of multiprocessors. */
KBUILD_API(OccupancyMaxActiveClusters)(int *__count, const void *__kernel,
                                       const KBUILD_VENDOR(LaunchConfig_t) *__config) {
    const unsigned __threads = __config->blockDim.x * __config->blockDim.y * __config->blockDim.z;
    int __cores = 0;
    int __error = kbuild_cpu_device_attribute(&__cores, 16, 0);
    if (__error == 0)
        __error =
            kbuild_cpu_occupancy(__count, __kernel, (int)__threads, __config->dynamicSmemBytes, 0);
    if (__error == 0) *__count = *__count * __cores / (int)kbuild_cpu_count_cluster(__config);
    KBUILD_CALL(__error);
}
