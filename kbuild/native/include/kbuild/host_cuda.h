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

/* Whatever a launch has besides grid, block, shared bytes and stream. */
static inline kbuild_error_t kbuild_launch_extended(const void *kernel,
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

static inline kbuild_error_t kbuild_launch(const void *kernel,
                                           const struct kbuild_launch_config *config, void **args)
{
    if (config->cluster.x != 0 || config->cooperative || config->programmatic_dependent_launch ||
        config->priority != 0)
        return kbuild_launch_extended(kernel, config, args);
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

/* The stub's launch leaves its error with cudart, as `<<<>>>` does. */
static inline kbuild_error_t kbuild_take_stub_result(void)
{
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

/* Device variables, by the address of what bears their name. */
static inline kbuild_error_t kbuild_get_symbol_address(void **pointer, const void *symbol)
{
    return (kbuild_error_t)cudaGetSymbolAddress(pointer, symbol);
}

static inline kbuild_error_t kbuild_copy_to_symbol(const void *symbol, const void *source,
                                                   size_t bytes, size_t offset)
{
    return (kbuild_error_t)cudaMemcpyToSymbol(symbol, source, bytes, offset,
                                              cudaMemcpyHostToDevice);
}

static inline kbuild_error_t kbuild_copy_from_symbol(void *destination, const void *symbol,
                                                     size_t bytes, size_t offset)
{
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
