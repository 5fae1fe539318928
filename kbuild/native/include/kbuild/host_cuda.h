/* The host API over cudart; included by kbuild.h. Streams are cudaStream_t. */
#ifndef KBUILD_HOST_CUDA_H
#define KBUILD_HOST_CUDA_H

#if defined(__has_include)
#if !__has_include(<cuda_runtime_api.h>)
#error "no cuda_runtime_api.h: link the kbuild target, or add the CUDA Toolkit's include folder"
#endif
#endif
#include <cuda_runtime_api.h>
#include <kbuild/module.h>

#ifdef __cplusplus
extern "C" {
#endif

unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                     struct CUstream_st *stream);

typedef int kbuild_error_t;

static inline struct dim3 kbuild_to_cuda(struct kbuild_dim3 extent)
{
    struct dim3 result;
    result.x = extent.x;
    result.y = extent.y;
    result.z = extent.z;
    return result;
}

/* A launch through the driver costs less than one through cudart, which looks up and checks
 * again what does not change.  A kernel in a file that its caller's file cannot outlive stays
 * what it is for as long as the caller is there to ask; its first launch goes through cudart,
 * which sets up whatever there is to set up, and is followed by a look at the driver's name
 * for it.  Whatever the driver refuses, cudart is asked again, so that errors are cudart's. */
#if CUDART_VERSION >= 12050 && !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define KBUILD_HAS_DRIVER_LAUNCH 1

/* CUlaunchConfig of cuda.h, which hosts need not have. */
struct kbuild_driver_config {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    void *stream;
    void *attributes;
    unsigned attribute_count;
};

typedef int kbuild_driver_launch(const struct kbuild_driver_config *config, void *kernel,
                                 void **args, void **extra);

/* Which kernels of this file's launches go to the driver, and what they are there.  A handle's
 * own address says where it is to be found: neighbours have slots of their own, and a kernel
 * whose slot is taken, by one of another file, goes through cudart for good. */
#define KBUILD_PREPARED_KERNELS 256u
struct kbuild_prepared_kernels {
    const void *handles[KBUILD_PREPARED_KERNELS];
    void *kernels[KBUILD_PREPARED_KERNELS];
    kbuild_driver_launch *launch;
};
static struct kbuild_prepared_kernels kbuild_prepared;

/* The kernel's place in both, in bytes: the cheapest way to find it. */
static inline uintptr_t kbuild_slot_of(const void *kernel)
{
    return (uintptr_t)kernel & ((KBUILD_PREPARED_KERNELS - 1) * sizeof(void *));
}

static inline const void **kbuild_handle_in(struct kbuild_prepared_kernels *prepared, uintptr_t slot)
{
    return (const void **)(void *)((char *)prepared->handles + slot);
}

static inline void **kbuild_kernel_in(struct kbuild_prepared_kernels *prepared, uintptr_t slot)
{
    return (void **)(void *)((char *)prepared->kernels + slot);
}

/* Every stub unit has it: what the driver calls the kernel, and its launch; null where launches
 * have to go through cudart.  `here` is an address in the caller's file. */
void *kbuild_find_driver_kernel(const void *handle, const void *here,
                                kbuild_driver_launch **launch) __attribute__((weak));

/* Claims the kernel's slot unless another one has it.  Where there is nothing to prepare it
 * stays busy, so that nobody asks again.  What has a debug stub is launched through that. */
__attribute__((cold, noinline, unused)) static void kbuild_prepare_kernel(const void *kernel)
{
    static const char busy = 0;
    struct kbuild_prepared_kernels *prepared = &kbuild_prepared;
    const uintptr_t slot = kbuild_slot_of(kernel);
    const void *nobody = 0;
    kbuild_driver_launch *launch = 0, *none = 0;
    if (kbuild_find_driver_kernel == 0 || *(const void *const *)kernel != 0 ||
        !__atomic_compare_exchange_n(kbuild_handle_in(prepared, slot), &nobody, (const void *)&busy, 0,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    *kbuild_kernel_in(prepared, slot) = kbuild_find_driver_kernel(kernel, &kbuild_prepared, &launch);
    if (launch == 0)
        return;
    /* The same for all, and written once: nobody reads it while it changes. */
    (void)__atomic_compare_exchange_n(&kbuild_prepared.launch, &none, launch, 0, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE);
    __atomic_store_n(kbuild_handle_in(prepared, slot), kernel, __ATOMIC_RELEASE);
}

/* What the driver refused. */
__attribute__((cold, noinline, unused)) static kbuild_error_t
kbuild_launch_refused(const void *kernel, const struct kbuild_driver_config *config, void **args)
{
    const struct kbuild_dim3 grid = { config->grid_x, config->grid_y, config->grid_z };
    const struct kbuild_dim3 block = { config->block_x, config->block_y, config->block_z };
    return (kbuild_error_t)cudaLaunchKernel(kernel, kbuild_to_cuda(grid), kbuild_to_cuda(block), args,
                                            config->shared_bytes, (cudaStream_t)config->stream);
}
#endif

/* The first launch of a kernel, those of one whose slot is another's, and of more shared bytes
 * than the driver's type holds. */
__attribute__((cold, noinline, unused)) static kbuild_error_t
kbuild_launch_by_runtime(const void *kernel, struct dim3 grid, struct dim3 block, void **args,
                         size_t shared_bytes, void *stream)
{
    const kbuild_error_t error = (kbuild_error_t)cudaLaunchKernel(
        kernel, grid, block, args, shared_bytes, (cudaStream_t)stream);
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    if (error == 0)
        kbuild_prepare_kernel(kernel);
#endif
    return error;
}

/* Whatever a launch has besides grid, block, shared bytes and stream.  (Numbers: with a pointer
 * to the configuration compilers would keep it in memory for the other launches as well.) */
__attribute__((cold, noinline, unused)) static kbuild_error_t
kbuild_launch_with_attributes(const void *kernel, void **args, struct dim3 grid, struct dim3 block,
                              size_t shared_bytes, void *stream, uint32_t cluster_x,
                              uint32_t cluster_y, uint32_t cluster_z, uint32_t cooperative,
                              uint32_t programmatic, int32_t priority)
{
    cudaLaunchAttribute attributes[4];
    cudaLaunchConfig_t config;
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
    return (kbuild_error_t)cudaLaunchKernelExC(&config, kernel, args);
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch_extended(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    return kbuild_launch_with_attributes(
        kernel, args, kbuild_to_cuda(config->grid), kbuild_to_cuda(config->block),
        config->shared_bytes, config->stream, config->cluster.x, config->cluster.y,
        config->cluster.z, config->cooperative, config->programmatic_dependent_launch,
        config->priority);
}

/* Whether this was a launch, and its outcome: of a prepared kernel, which has no debug stub. */
__attribute__((always_inline)) static inline int
kbuild_launch_prepared(const void *kernel, const struct kbuild_launch_config *config, void **args,
                       kbuild_error_t *error)
{
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    struct kbuild_prepared_kernels *prepared = &kbuild_prepared;
    const uintptr_t slot = kbuild_slot_of(kernel);
    const size_t shared_bytes = config->shared_bytes;
    const struct kbuild_driver_config driver_config = {
        config->grid.x,  config->grid.y,         config->grid.z, config->block.x, config->block.y,
        config->block.z, (unsigned)shared_bytes, config->stream, 0,               0
    };
    /* A compiler that knows the address computes it for each member. */
    __asm__("" : "+r"(prepared));
    if (__builtin_expect(__atomic_load_n(kbuild_handle_in(prepared, slot), __ATOMIC_ACQUIRE) != kernel, 0))
        return 0;
    if (__builtin_expect(shared_bytes > UINT32_MAX, 0))
        return 0;
    *error = prepared->launch(&driver_config, *kbuild_kernel_in(prepared, slot), args, 0);
    if (__builtin_expect(*error != 0, 0))
        *error = kbuild_launch_refused(kernel, &driver_config, args);
    return 1;
#else
    (void)kernel, (void)config, (void)args, (void)error;
    return 0;
#endif
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch_unprepared(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    return kbuild_launch_by_runtime(kernel, kbuild_to_cuda(config->grid),
                                    kbuild_to_cuda(config->block), args, config->shared_bytes,
                                    config->stream);
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch(const void *kernel, const struct kbuild_launch_config *config, void **args)
{
    kbuild_error_t error;
    /* Before anything that synchronises, so that compilers that know the configuration see that
     * nobody else does, and keep it in registers. */
    if (kbuild_is_extended(config))
        return kbuild_launch_extended(kernel, config, args);
    if (kbuild_launch_prepared(kernel, config, args, &error))
        return error;
    return kbuild_launch_unprepared(kernel, config, args);
}

/* For launches through a debug stub, see kbuild::launch. */
static inline kbuild_error_t kbuild_push_configuration(const struct kbuild_launch_config *config)
{
    return (kbuild_error_t)__cudaPushCallConfiguration(
        kbuild_to_cuda(config->grid), kbuild_to_cuda(config->block), config->shared_bytes,
        (cudaStream_t)config->stream);
}

/* Debug stubs have it; see kbuild/debug_stub.hpp. */
int kbuild_take_launch_result(int *result) __attribute__((weak));

/* The stub's launch leaves its error with cudart, as `<<<>>>` does. */
static inline kbuild_error_t kbuild_take_stub_result(void)
{
    int result;
    if (kbuild_take_launch_result != 0 && kbuild_take_launch_result(&result))
        return result;
    return (kbuild_error_t)cudaPeekAtLastError();
}

static inline kbuild_error_t kbuild_malloc(void **pointer, size_t bytes)
{
    return (kbuild_error_t)cudaMalloc(pointer, bytes);
}

static inline kbuild_error_t kbuild_free(void *pointer)
{
    return (kbuild_error_t)cudaFree(pointer);
}

static inline kbuild_error_t kbuild_memcpy(void *destination, const void *source, size_t bytes,
                                           enum kbuild_copy_direction direction)
{
    static const enum cudaMemcpyKind kinds[] = { cudaMemcpyDefault, cudaMemcpyHostToDevice,
                                                 cudaMemcpyDeviceToHost,
                                                 cudaMemcpyDeviceToDevice };
    return (kbuild_error_t)cudaMemcpy(destination, source, bytes, kinds[direction]);
}

/* Every stub unit has it: how many kernel targets of the process define the variable. */
unsigned kbuild_count_definitions(const void *shadow) __attribute__((weak));

/* Of one name and several variables, none is the one that was meant. */
static inline int kbuild_is_ambiguous(const void *symbol)
{
    return kbuild_count_definitions != 0 && kbuild_count_definitions(symbol) > 1;
}

/* Device variables, by the address of what bears their name. */
static inline kbuild_error_t kbuild_get_symbol_address(void **pointer, const void *symbol)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)cudaErrorDuplicateVariableName;
    return (kbuild_error_t)cudaGetSymbolAddress(pointer, symbol);
}

static inline kbuild_error_t kbuild_copy_to_symbol(const void *symbol, const void *source,
                                                   size_t bytes, size_t offset)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)cudaErrorDuplicateVariableName;
    return (kbuild_error_t)cudaMemcpyToSymbol(symbol, source, bytes, offset,
                                              cudaMemcpyHostToDevice);
}

static inline kbuild_error_t kbuild_copy_from_symbol(void *destination, const void *symbol,
                                                     size_t bytes, size_t offset)
{
    if (kbuild_is_ambiguous(symbol))
        return (kbuild_error_t)cudaErrorDuplicateVariableName;
    return (kbuild_error_t)cudaMemcpyFromSymbol(destination, symbol, bytes, offset,
                                                cudaMemcpyDeviceToHost);
}

static inline kbuild_error_t kbuild_synchronize(void)
{
    return (kbuild_error_t)cudaDeviceSynchronize();
}

static inline const char *kbuild_error_message(kbuild_error_t error)
{
    return cudaGetErrorString((cudaError_t)error);
}

/* Every stub unit has it. */
const char *kbuild_explain_launch(const void *kernel, int code) __attribute__((weak));

/* What a failed launch of `kernel` is due to; valid until the thread's next call. */
static inline const char *kbuild_launch_error_message(const void *kernel, kbuild_error_t error)
{
    return kbuild_explain_launch != 0 ? kbuild_explain_launch(kernel, error)
                                      : kbuild_error_message(error);
}

#ifdef __cplusplus
}
#endif
#endif
