/* The host API over cudart; included by kbuild.h.  Streams are cudaStream_t. */
#if !defined(KBUILD_HOST_CUDA_H) && defined(KBUILD_HOST_BACKEND)
#error \
    "this file already uses kbuild's host API for another backend: launch the kernels of each backend in a separate source file, and include <target>_kernels.hpp or <target>_kernels.h before kbuild's headers"
#elif !defined(KBUILD_HOST_CUDA_H)
#define KBUILD_HOST_CUDA_H
#define KBUILD_HOST_BACKEND "cuda"

#if defined(__has_include)
#if !__has_include(<cuda_runtime_api.h>)
#error \
    "cuda_runtime_api.h not found: link the kbuild target, or add the CUDA Toolkit's include directory"
#endif
#endif
#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream);
#ifdef __cplusplus
}
#endif

#define KBUILD_VENDOR(name) cuda##name
#define KBUILD_VENDOR_INTERNAL(name) __cuda##name
#define KBUILD_VENDOR_AMBIGUOUS_SYMBOL cudaErrorDuplicateVariableName
#include <kbuild/detail/vendor_host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared memory, static and dynamic together, that cudart allows for a block of a kernel unless a
 * program raises the kernel's limit. */
#define KBUILD_DEFAULT_SHARED_BYTES (48u << 10)

/* Raises the kernel's limit of dynamic shared memory to what the current device allows.  Returns
 * whether it was lower. */
__attribute__((cold, noinline, unused)) static int kbuild_raise_shared_limit(const void *kernel) {
    struct cudaFuncAttributes attributes;
    int device, most;
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess ||
        cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) !=
            cudaSuccess)
        return 0;
    most -= (int)attributes.sharedSizeBytes;
    return most > attributes.maxDynamicSharedSizeBytes &&
           cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most) ==
               cudaSuccess;
}

/* A launch that fails would end the capture of a graph, so limits are raised before, if possible. */
static inline void kbuild_prepare_shared_memory(const void *kernel, size_t shared_bytes) {
    if (shared_bytes > KBUILD_DEFAULT_SHARED_BYTES) (void)kbuild_raise_shared_limit(kernel);
}

/* Returns whether to repeat a failed launch.  Static shared memory counts, too, so that less dynamic
 * shared memory than the default limit can be too much for a kernel. */
static inline int kbuild_can_repeat(cudaError_t error, const void *kernel, size_t shared_bytes) {
    if (error != cudaErrorInvalidValue || shared_bytes == 0 || !kbuild_raise_shared_limit(kernel))
        return 0;
    (void)cudaGetLastError();
    return 1;
}

/* Launching through the driver costs less than through cudart, which repeats lookups and checks
 * whose results do not change.  The first launch of a kernel goes through cudart, which initializes
 * whatever is needed.  After it, kbuild asks cudart for the driver's handle of the kernel, and uses
 * that from then on.  This is safe only if the file with the kernel stays loaded for as long as the
 * file with the launch, so other kernels always go through cudart.  If the driver rejects a launch,
 * kbuild repeats it through cudart, so that all errors are cudart's. */
#if CUDART_VERSION >= 12050 && !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define KBUILD_HAS_DRIVER_LAUNCH 1

/* Has the layout of CUlaunchConfig in cuda.h, a header that hosts might not have. */
struct kbuild_driver_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void *stream;
    void *attributes;
    unsigned attribute_count;
};

typedef int kbuild_driver_launch(const struct kbuild_driver_config *config, void *kernel,
                                 void **args, void **extra);

/* The kernels that this file launches through the driver, with the driver's handles for them.  The
 * address of a kernel's handle determines its slot, so handles that are next to each other have
 * different slots.  If another kernel already has the slot, the kernel always goes through cudart. */
#define KBUILD_PREPARED_KERNELS 256u
struct kbuild_prepared_kernels {
    const void *handles[KBUILD_PREPARED_KERNELS];
    void *kernels[KBUILD_PREPARED_KERNELS];
    kbuild_driver_launch *launch;
};
static struct kbuild_prepared_kernels kbuild_prepared;

/* Returns the offset of the kernel's slot in both arrays, in bytes: the cheapest form of an index. */
static inline uintptr_t kbuild_slot_of(const void *kernel) {
    return (uintptr_t)kernel & ((KBUILD_PREPARED_KERNELS - 1) * sizeof(void *));
}

static inline const void **kbuild_handle_in(struct kbuild_prepared_kernels *prepared,
                                            uintptr_t slot) {
    return (const void **)(void *)((char *)prepared->handles + slot);
}

static inline void **kbuild_kernel_in(struct kbuild_prepared_kernels *prepared, uintptr_t slot) {
    return (void **)(void *)((char *)prepared->kernels + slot);
}

/* Returns the driver's handle of the kernel and sets `launch` to the driver's launch function.
 * Returns null if launches must go through cudart.  `here` is an address in the caller's file. */
void *kbuild_find_driver_kernel(const void *handle, const void *here,
                                kbuild_driver_launch **launch) KBUILD_STUB_UNIT_FUNCTION;

/* Prepares driver launches of the kernel, unless another kernel has its slot.  If the kernel
 * cannot be prepared, the slot stays busy, so that no later launch tries again.  A kernel with a
 * debug stub is not prepared, because launches must go through the stub.  Driver launches do not check
 * the limit of shared memory, so it is raised here for kernels that use dynamic shared memory. */
__attribute__((cold, noinline, unused)) static void kbuild_prepare_kernel(const void *kernel,
                                                                          size_t shared_bytes) {
    static const char busy = 0;
    struct kbuild_prepared_kernels *prepared = &kbuild_prepared;
    const uintptr_t slot = kbuild_slot_of(kernel);
    const void *nobody = 0;
    kbuild_driver_launch *launch = 0, *none = 0;
    if (kbuild_find_driver_kernel == 0 || kbuild_has_stub(kernel) ||
        !__atomic_compare_exchange_n(kbuild_handle_in(prepared, slot), &nobody, (const void *)&busy,
                                     0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    *kbuild_kernel_in(prepared, slot) =
        kbuild_find_driver_kernel(kernel, &kbuild_prepared, &launch);
    if (launch == 0) return;
    if (shared_bytes != 0) (void)kbuild_raise_shared_limit(kernel);
    /* The function is the same for all kernels and written once, before the first slot is filled. */
    (void)__atomic_compare_exchange_n(&kbuild_prepared.launch, &none, launch, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    __atomic_store_n(kbuild_handle_in(prepared, slot), kernel, __ATOMIC_RELEASE);
}

/* Repeats a launch that the driver rejected, to get the error from cudart.  It succeeds if the only
 * obstacle was the limit of shared memory. */
__attribute__((cold, noinline, unused)) static kbuild_error_t kbuild_launch_refused(
    const void *kernel, const struct kbuild_driver_config *config, void **args) {
    const struct kbuild_dim3 grid = {config->grid_x, config->grid_y, config->grid_z};
    const struct kbuild_dim3 block = {config->block_x, config->block_y, config->block_z};
    if (config->shared_bytes != 0) (void)kbuild_raise_shared_limit(kernel);
    return (kbuild_error_t)cudaLaunchKernel(kernel, kbuild_to_dim3(grid), kbuild_to_dim3(block),
                                            args, config->shared_bytes,
                                            (cudaStream_t)config->stream);
}
#endif

/* Launches through cudart: the first launch of a kernel, kernels without a slot, and launches with
 * more shared memory than the driver's type can express. */
__attribute__((cold, noinline, unused)) static kbuild_error_t kbuild_launch_by_runtime(
    const void *kernel, struct dim3 grid, struct dim3 block, void **args, size_t shared_bytes,
    void *stream) {
    cudaError_t error;
    kbuild_prepare_shared_memory(kernel, shared_bytes);
    error = cudaLaunchKernel(kernel, grid, block, args, shared_bytes, (cudaStream_t)stream);
    if (kbuild_can_repeat(error, kernel, shared_bytes))
        error = cudaLaunchKernel(kernel, grid, block, args, shared_bytes, (cudaStream_t)stream);
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    if (error == cudaSuccess) kbuild_prepare_kernel(kernel, shared_bytes);
#endif
    return (kbuild_error_t)error;
}

/* Launches with attributes beyond grid, block, shared bytes, and stream.  The parameters are
 * numbers because a pointer to the configuration would make compilers keep it in memory for all
 * launches. */
__attribute__((cold, noinline, unused)) static kbuild_error_t kbuild_launch_with_attributes(
    const void *kernel, void **args, struct dim3 grid, struct dim3 block, size_t shared_bytes,
    void *stream, uint32_t cluster_x, uint32_t cluster_y, uint32_t cluster_z, uint32_t cooperative,
    uint32_t programmatic, int32_t priority) {
    cudaLaunchAttribute attributes[4];
    cudaLaunchConfig_t config;
    cudaError_t error;
    unsigned count = 0;
    if (cluster_x != 0) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count].val.clusterDim.x = cluster_x;
        attributes[count].val.clusterDim.y = cluster_y;
        attributes[count++].val.clusterDim.z = cluster_z;
    }
    if (cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    if (programmatic) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (priority != 0) {
        attributes[count].id = cudaLaunchAttributePriority;
        attributes[count++].val.priority = priority;
    }
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = (cudaStream_t)stream;
    config.attrs = attributes;
    config.numAttrs = count;
    kbuild_prepare_shared_memory(kernel, shared_bytes);
    error = cudaLaunchKernelExC(&config, kernel, args);
    if (kbuild_can_repeat(error, kernel, shared_bytes))
        error = cudaLaunchKernelExC(&config, kernel, args);
    return (kbuild_error_t)error;
}

__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_extended(
    const void *kernel, const struct kbuild_launch_config *config, void **args) {
    return kbuild_launch_with_attributes(kernel, args, kbuild_to_dim3(config->grid),
                                         kbuild_to_dim3(config->block), config->shared_bytes,
                                         config->stream, config->cluster.x, config->cluster.y,
                                         config->cluster.z, config->cooperative,
                                         config->programmatic_dependent_launch, config->priority);
}

__attribute__((always_inline)) static inline int kbuild_launch_prepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args,
    kbuild_error_t *error) {
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    struct kbuild_prepared_kernels *prepared = &kbuild_prepared;
    const uintptr_t slot = kbuild_slot_of(kernel);
    const size_t shared_bytes = config->shared_bytes;
    struct kbuild_driver_config driver_config;
    /* An initializer would clear the padding, too. */
    driver_config.grid_x = config->grid.x;
    driver_config.grid_y = config->grid.y;
    driver_config.grid_z = config->grid.z;
    driver_config.block_x = config->block.x;
    driver_config.block_y = config->block.y;
    driver_config.block_z = config->block.z;
    driver_config.shared_bytes = (unsigned)shared_bytes;
    driver_config.stream = config->stream;
    driver_config.attributes = 0;
    driver_config.attribute_count = 0;
    /* Hides the constant address, which compilers would otherwise recompute for each member. */
    __asm__("" : "+r"(prepared));
    if (__builtin_expect(
            __atomic_load_n(kbuild_handle_in(prepared, slot), __ATOMIC_ACQUIRE) != kernel, 0))
        return 0;
    if (__builtin_expect(shared_bytes > UINT32_MAX, 0)) return 0;
    *error = prepared->launch(&driver_config, *kbuild_kernel_in(prepared, slot), args, 0);
    if (__builtin_expect(*error != 0, 0))
        *error = kbuild_launch_refused(kernel, &driver_config, args);
    return 1;
#else
    (void)kernel, (void)config, (void)args, (void)error;
    return 0;
#endif
}

__attribute__((always_inline)) static inline kbuild_error_t kbuild_launch_unprepared(
    const void *kernel, const struct kbuild_launch_config *config, void **args) {
    return kbuild_launch_by_runtime(kernel, kbuild_to_dim3(config->grid),
                                    kbuild_to_dim3(config->block), args, config->shared_bytes,
                                    config->stream);
}

static inline const char *kbuild_error_message(kbuild_error_t error) {
    return cudaGetErrorString((cudaError_t)error);
}

#ifdef __cplusplus
}
#endif
#endif
