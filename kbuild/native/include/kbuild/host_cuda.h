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
 * again what does not change.  A kernel that lies in the same file as its caller stays what
 * it is for as long as the caller is there to ask; its first launch goes through cudart,
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

/* `kernel` and `launch` are null where a launch has to go through cudart; a power of two in
 * size, which is cheap to find. */
struct kbuild_prepared_launch {
    const void *handle;
    void *kernel;
    int (*launch)(const struct kbuild_driver_config *config, void *kernel, void **args,
                  void **extra);
    void *unused;
};

/* Neighbouring handles have slots of their own; a kernel whose slot is taken goes through
 * cudart for good. */
#define KBUILD_PREPARED_LAUNCHES 32
static struct kbuild_prepared_launch kbuild_prepared_launches[KBUILD_PREPARED_LAUNCHES];

static inline struct kbuild_prepared_launch *kbuild_slot_of(const void *kernel)
{
    return &kbuild_prepared_launches[(uintptr_t)kernel / sizeof(void *) % KBUILD_PREPARED_LAUNCHES];
}

/* Every stub unit has it: fills `prepared` for the handle.  `here` is an address in the
 * caller's file. */
void kbuild_prepare_launch(const void *handle, const void *here,
                           struct kbuild_prepared_launch *prepared) __attribute__((weak));

/* Claims the slot for the kernel unless another one has it. */
__attribute__((cold, noinline, unused)) static void
kbuild_fill_slot(struct kbuild_prepared_launch *slot, const void *kernel)
{
    static const char busy = 0;
    struct kbuild_prepared_launch prepared = { 0, 0, 0, 0 };
    const void *nobody = 0;
    if (kbuild_prepare_launch == 0 ||
        !__atomic_compare_exchange_n(&slot->handle, &nobody, (const void *)&busy, 0,
                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    kbuild_prepare_launch(kernel, kbuild_prepared_launches, &prepared);
    slot->kernel = prepared.kernel;
    slot->launch = prepared.launch;
    __atomic_store_n(&slot->handle, kernel, __ATOMIC_RELEASE);
}

/* The first launch of a kernel, those of one whose slot is another's, and of more shared bytes
 * than the driver's type holds. */
__attribute__((cold, noinline, unused)) static kbuild_error_t
kbuild_launch_unprepared(const void *kernel, struct dim3 grid, struct dim3 block, void **args,
                         size_t shared_bytes, void *stream)
{
    const kbuild_error_t error = (kbuild_error_t)cudaLaunchKernel(
        kernel, grid, block, args, shared_bytes, (cudaStream_t)stream);
    if (error == 0)
        kbuild_fill_slot(kbuild_slot_of(kernel), kernel);
    return error;
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

/* Whatever a launch has besides grid, block, shared bytes and stream. */
__attribute__((cold, noinline, unused)) static kbuild_error_t
kbuild_launch_extended(const void *kernel,
                                                    const struct kbuild_launch_config *config,
                                                    void **args)
{
    cudaLaunchAttribute attributes[4];
    cudaLaunchConfig_t extended;
    unsigned count = 0;
    if (config->cluster.x != 0) {
        attributes[count].id = cudaLaunchAttributeClusterDimension;
        attributes[count].val.clusterDim.x = config->cluster.x;
        attributes[count].val.clusterDim.y = config->cluster.y;
        attributes[count++].val.clusterDim.z = config->cluster.z;
    }
    if (config->cooperative) {
        attributes[count].id = cudaLaunchAttributeCooperative;
        attributes[count++].val.cooperative = 1;
    }
    if (config->programmatic_dependent_launch) {
        attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[count++].val.programmaticStreamSerializationAllowed = 1;
    }
    if (config->priority != 0) {
        attributes[count].id = cudaLaunchAttributePriority;
        attributes[count++].val.priority = config->priority;
    }
    extended.gridDim = kbuild_to_cuda(config->grid);
    extended.blockDim = kbuild_to_cuda(config->block);
    extended.dynamicSmemBytes = config->shared_bytes;
    extended.stream = (cudaStream_t)config->stream;
    extended.attrs = attributes;
    extended.numAttrs = count;
    return (kbuild_error_t)cudaLaunchKernelExC(&extended, kernel, args);
}

__attribute__((always_inline)) static inline kbuild_error_t
kbuild_launch(const void *kernel,
                                           const struct kbuild_launch_config *config, void **args)
{
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    const struct kbuild_prepared_launch *slot;
#endif
    /* Before anything that synchronises, so that compilers that know the configuration see that
     * nobody else does, and keep it in registers. */
    if (config->cluster.x != 0 || config->cooperative || config->programmatic_dependent_launch ||
        config->priority != 0)
        return kbuild_launch_extended(kernel, config, args);
#ifdef KBUILD_HAS_DRIVER_LAUNCH
    slot = kbuild_slot_of(kernel);
    if (__atomic_load_n(&slot->handle, __ATOMIC_ACQUIRE) != kernel ||
        config->shared_bytes > UINT32_MAX)
        return kbuild_launch_unprepared(kernel, kbuild_to_cuda(config->grid),
                                        kbuild_to_cuda(config->block), args, config->shared_bytes,
                                        config->stream);
    if (slot->launch != 0) {
        const struct kbuild_driver_config driver_config = {
            config->grid.x,  config->grid.y,  config->grid.z,
            config->block.x, config->block.y, config->block.z,
            (unsigned)config->shared_bytes,   config->stream,  0, 0
        };
        if (slot->launch(&driver_config, slot->kernel, args, 0) == 0)
            return 0;
        return kbuild_launch_refused(kernel, &driver_config, args);
    }
#endif
    return (kbuild_error_t)cudaLaunchKernel(kernel, kbuild_to_cuda(config->grid),
                                            kbuild_to_cuda(config->block), args,
                                            config->shared_bytes, (cudaStream_t)config->stream);
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
