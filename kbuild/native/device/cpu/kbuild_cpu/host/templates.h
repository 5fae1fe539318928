/* The forms of the host API that only C++ has: typed pointers, kernels, and device variables. */

template <class __T>
KBUILD_NOT_INLINED KBUILD_API(Malloc)(__T **__pointer, size_t __bytes) {
    return KBUILD_VENDOR(Malloc)((void **)__pointer, __bytes);
}

template <class __T>
KBUILD_NOT_INLINED KBUILD_API(MallocManaged)(
    __T **__pointer, size_t __bytes, unsigned int __flags = KBUILD_VENDOR(MemAttachGlobal)) {
    return KBUILD_VENDOR(MallocManaged)((void **)__pointer, __bytes, __flags);
}

template <class __T>
KBUILD_NOT_INLINED KBUILD_API(HostAlloc)(__T **__pointer, size_t __bytes, unsigned int __flags) {
    return KBUILD_VENDOR(HostAlloc)((void **)__pointer, __bytes, __flags);
}

KBUILD_NOT_INLINED KBUILD_API(MallocHost)(void **__pointer, size_t __bytes, unsigned int __flags) {
    return KBUILD_VENDOR(HostAlloc)(__pointer, __bytes, __flags);
}

template <class __T>
KBUILD_NOT_INLINED KBUILD_API(MallocHost)(__T **__pointer, size_t __bytes,
                                          unsigned int __flags = 0) {
    return KBUILD_VENDOR(HostAlloc)((void **)__pointer, __bytes, __flags);
}

template <class __T>
KBUILD_API(HostGetDevicePointer)(__T **__device, void *__host, unsigned int __flags) {
    return KBUILD_VENDOR(HostGetDevicePointer)((void **)__device, __host, __flags);
}

template <class __T>
KBUILD_NOT_INLINED KBUILD_API(MallocPitch)(__T **__pointer, size_t *__pitch, size_t __width,
                                           size_t __height) {
    return KBUILD_VENDOR(MallocPitch)((void **)__pointer, __pitch, __width, __height);
}

template <class __T>
KBUILD_API(StreamAttachMemAsync)(KBUILD_VENDOR(Stream_t) __stream, __T *__pointer,
                                 size_t __bytes = 0,
                                 unsigned int __flags = KBUILD_VENDOR(MemAttachSingle)) {
    return KBUILD_VENDOR(StreamAttachMemAsync)(__stream, static_cast<void *>(__pointer), __bytes,
                                               __flags);
}

KBUILD_API(EventCreate)(KBUILD_VENDOR(Event_t) *__event, unsigned int __flags) {
    return KBUILD_VENDOR(EventCreateWithFlags)(__event, __flags);
}

/* Kernels.  A pointer to a function is converted explicitly, which -Wpedantic accepts. */

namespace kbuild_cpu {

template <class __T>
inline const void *kernel_address(__T __kernel) {
    return (const void *)__kernel;
}

struct constant_bytes {
    size_t bytes;
    size_t operator()(int) const { return bytes; }
};

}  // namespace kbuild_cpu

template <class __T>
KBUILD_API(LaunchKernel)(__T *__kernel, dim3 __grid, dim3 __block, void **__arguments,
                         size_t __shared_bytes = 0, KBUILD_VENDOR(Stream_t) __stream = NULL) {
    return KBUILD_VENDOR(LaunchKernel)(kbuild_cpu::kernel_address(__kernel), __grid, __block,
                                       __arguments, __shared_bytes, __stream);
}

template <class __T>
KBUILD_API(LaunchCooperativeKernel)(__T *__kernel, dim3 __grid, dim3 __block, void **__arguments,
                                    size_t __shared_bytes = 0,
                                    KBUILD_VENDOR(Stream_t) __stream = NULL) {
    return KBUILD_VENDOR(LaunchCooperativeKernel)(kbuild_cpu::kernel_address(__kernel), __grid,
                                                  __block, __arguments, __shared_bytes, __stream);
}

namespace kbuild_cpu {

/* Takes the parameters by value, so that the arguments are converted to their types. */
template <class... __Parameters>
inline KBUILD_VENDOR(Error_t) launch_converted(const KBUILD_VENDOR(LaunchConfig_t) *__config,
                                               const void *__kernel, __Parameters... __values) {
    void *__addresses[sizeof...(__Parameters) + 1] = {
        const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(__values)))...};
    return KBUILD_VENDOR(LaunchKernelExC)(__config, __kernel, __addresses);
}

}  // namespace kbuild_cpu

template <class... __Parameters, class... __Arguments>
KBUILD_API(LaunchKernelEx)(const KBUILD_VENDOR(LaunchConfig_t) *__config,
                           void (*__kernel)(__Parameters...), __Arguments &&...__arguments) {
    return kbuild_cpu::launch_converted<__Parameters...>(
        __config, kbuild_cpu::kernel_address(__kernel),
        static_cast<__Arguments &&>(__arguments)...);
}

template <class __T>
KBUILD_API(FuncGetAttributes)(struct KBUILD_VENDOR(FuncAttributes) *__attributes, __T *__kernel) {
    return KBUILD_VENDOR(FuncGetAttributes)(__attributes, kbuild_cpu::kernel_address(__kernel));
}

template <class __T>
KBUILD_API(FuncSetAttribute)(__T *__kernel, enum KBUILD_VENDOR(FuncAttribute) __number,
                             int __value) {
    return KBUILD_VENDOR(FuncSetAttribute)(kbuild_cpu::kernel_address(__kernel), __number, __value);
}

template <class __T>
KBUILD_API(GetKernel)(KBUILD_VENDOR(Kernel_t) *__result, __T *__kernel) {
    return KBUILD_VENDOR(GetKernel)(__result, kbuild_cpu::kernel_address(__kernel));
}

template <class __T>
KBUILD_API(FuncGetName)(const char **__name, __T *__kernel) {
    return KBUILD_VENDOR(FuncGetName)(__name, kbuild_cpu::kernel_address(__kernel));
}

template <class __T>
KBUILD_API(FuncSetCacheConfig)(__T *__kernel, enum KBUILD_VENDOR(FuncCache) __preference) {
    return KBUILD_VENDOR(FuncSetCacheConfig)(kbuild_cpu::kernel_address(__kernel), __preference);
}

template <class __T>
KBUILD_API(FuncSetSharedMemConfig)(__T *__kernel,
                                   enum KBUILD_VENDOR(SharedMemConfig) __preference) {
    return KBUILD_VENDOR(FuncSetSharedMemConfig)(kbuild_cpu::kernel_address(__kernel),
                                                 __preference);
}

template <class __T>
KBUILD_API(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(int *__blocks, __T __kernel,
                                                               int __threads, size_t __shared_bytes,
                                                               unsigned int __flags) {
    KBUILD_CALL(kbuild_cpu_occupancy(__blocks, kbuild_cpu::kernel_address(__kernel), __threads,
                                     __shared_bytes, __flags));
}

template <class __T>
KBUILD_API(OccupancyMaxActiveBlocksPerMultiprocessor)(int *__blocks, __T __kernel, int __threads,
                                                      size_t __shared_bytes) {
    KBUILD_CALL(kbuild_cpu_occupancy(__blocks, kbuild_cpu::kernel_address(__kernel), __threads,
                                     __shared_bytes, 0));
}

template <class __T>
KBUILD_API(OccupancyMaxPotentialClusterSize)(int *__size, __T *__kernel,
                                             const KBUILD_VENDOR(LaunchConfig_t) *__config) {
    return KBUILD_VENDOR(OccupancyMaxPotentialClusterSize)(
        __size, static_cast<const void *>(kbuild_cpu::kernel_address(__kernel)), __config);
}

template <class __T>
KBUILD_API(OccupancyMaxActiveClusters)(int *__count, __T *__kernel,
                                       const KBUILD_VENDOR(LaunchConfig_t) *__config) {
    return KBUILD_VENDOR(OccupancyMaxActiveClusters)(
        __count, static_cast<const void *>(kbuild_cpu::kernel_address(__kernel)), __config);
}

template <class __T>
KBUILD_API(OccupancyAvailableDynamicSMemPerBlock)(size_t *__bytes, __T *__kernel, int __blocks,
                                                  int __threads) {
    KBUILD_CALL(kbuild_cpu_available_shared_bytes(__bytes, kbuild_cpu::kernel_address(__kernel),
                                                  __blocks, __threads));
}

/* Finds the block size with which the most threads run at the same time: tries all multiples of the
 * warp size, and the limit itself. */
template <class __Function, class __T>
KBUILD_API(OccupancyMaxPotentialBlockSizeVariableSMemWithFlags)(int *__least_grid, int *__block,
                                                                __T __kernel,
                                                                __Function __bytes_of_block,
                                                                int __limit = 0,
                                                                unsigned int __flags = 0) {
    struct kbuild_cpu_function __found;
    struct cudaDeviceProp __device;
    int __most_threads = 0;
    if (__least_grid == NULL || __block == NULL)
        return KBUILD_VENDOR(ErrorInvalidValue); /* the vendor's headers do not record it */
    int __error = kbuild_cpu_describe_function(&__found, kbuild_cpu::kernel_address(__kernel));
    if (__error == 0) __error = kbuild_cpu_device_properties(&__device, sizeof __device, 0);
    if (__error != 0) KBUILD_CALL(__error);
    if (__limit <= 0 || __limit > __found.threads_per_block) __limit = __found.threads_per_block;
    *__least_grid = *__block = 0;
    for (int __rounded = (__limit + 31) / 32 * 32; __rounded > 0; __rounded -= 32) {
        const int __threads = __rounded < __limit ? __rounded : __limit;
        const size_t __bytes = __bytes_of_block(__threads);
        int __blocks = 0;
        __error = kbuild_cpu_occupancy(&__blocks, kbuild_cpu::kernel_address(__kernel), __threads,
                                       __bytes, __flags);
        if (__error != 0) KBUILD_CALL(__error);
        if (__blocks * __threads <= __most_threads) continue;
        __most_threads = __blocks * __threads;
        *__block = __threads;
        *__least_grid = __blocks * __device.multiProcessorCount;
    }
    return KBUILD_VENDOR(Success);
}

template <class __Function, class __T>
KBUILD_API(OccupancyMaxPotentialBlockSizeVariableSMem)(int *__least_grid, int *__block,
                                                       __T __kernel, __Function __bytes_of_block,
                                                       int __limit = 0) {
    return KBUILD_VENDOR(OccupancyMaxPotentialBlockSizeVariableSMemWithFlags)(
        __least_grid, __block, __kernel, __bytes_of_block, __limit, 0);
}

template <class __T>
KBUILD_API(OccupancyMaxPotentialBlockSizeWithFlags)(int *__least_grid, int *__block, __T __kernel,
                                                    size_t __shared_bytes = 0, int __limit = 0,
                                                    unsigned int __flags = 0) {
    const kbuild_cpu::constant_bytes __bytes_of_block = {__shared_bytes};
    return KBUILD_VENDOR(OccupancyMaxPotentialBlockSizeVariableSMemWithFlags)(
        __least_grid, __block, __kernel, __bytes_of_block, __limit, __flags);
}

template <class __T>
KBUILD_API(OccupancyMaxPotentialBlockSize)(int *__least_grid, int *__block, __T __kernel,
                                           size_t __shared_bytes = 0, int __limit = 0) {
    return KBUILD_VENDOR(OccupancyMaxPotentialBlockSizeWithFlags)(__least_grid, __block, __kernel,
                                                                  __shared_bytes, __limit, 0);
}

/* Device variables by name.  As with the vendor, only sources that declare device code have them:
 * elsewhere, a pointer to a shadow and a shadow that is a pointer could not be told apart. */
#if defined(KBUILD_MIXED) || defined(__CUDACC__)

namespace kbuild_cpu {

template <class __T>
inline const void *symbol_address(const __T &__symbol) {
    return const_cast<const void *>(
        static_cast<const volatile void *>(__builtin_addressof(__symbol)));
}

}  // namespace kbuild_cpu

template <class __T>
KBUILD_API(GetSymbolAddress)(void **__pointer, const __T &__symbol) {
    return KBUILD_VENDOR(GetSymbolAddress)(__pointer, kbuild_cpu::symbol_address(__symbol));
}

template <class __T>
KBUILD_API(GetSymbolSize)(size_t *__bytes, const __T &__symbol) {
    return KBUILD_VENDOR(GetSymbolSize)(__bytes, kbuild_cpu::symbol_address(__symbol));
}

template <class __T>
KBUILD_API(MemcpyToSymbol)(
    const __T &__symbol, const void *__source, size_t __bytes, size_t __offset = 0,
    enum KBUILD_VENDOR(MemcpyKind) __kind = KBUILD_VENDOR(MemcpyHostToDevice)) {
    return KBUILD_VENDOR(MemcpyToSymbol)(kbuild_cpu::symbol_address(__symbol), __source, __bytes,
                                         __offset, __kind);
}

template <class __T>
KBUILD_API(MemcpyToSymbolAsync)(
    const __T &__symbol, const void *__source, size_t __bytes, size_t __offset = 0,
    enum KBUILD_VENDOR(MemcpyKind) __kind = KBUILD_VENDOR(MemcpyHostToDevice),
    KBUILD_VENDOR(Stream_t) __stream = NULL) {
    return KBUILD_VENDOR(MemcpyToSymbolAsync)(kbuild_cpu::symbol_address(__symbol), __source,
                                              __bytes, __offset, __kind, __stream);
}

template <class __T>
KBUILD_API(MemcpyFromSymbol)(
    void *__destination, const __T &__symbol, size_t __bytes, size_t __offset = 0,
    enum KBUILD_VENDOR(MemcpyKind) __kind = KBUILD_VENDOR(MemcpyDeviceToHost)) {
    return KBUILD_VENDOR(MemcpyFromSymbol)(__destination, kbuild_cpu::symbol_address(__symbol),
                                           __bytes, __offset, __kind);
}

template <class __T>
KBUILD_API(MemcpyFromSymbolAsync)(
    void *__destination, const __T &__symbol, size_t __bytes, size_t __offset = 0,
    enum KBUILD_VENDOR(MemcpyKind) __kind = KBUILD_VENDOR(MemcpyDeviceToHost),
    KBUILD_VENDOR(Stream_t) __stream = NULL) {
    return KBUILD_VENDOR(MemcpyFromSymbolAsync)(__destination, kbuild_cpu::symbol_address(__symbol),
                                                __bytes, __offset, __kind, __stream);
}

#endif
