/* Receives the launches of cudart and the driver and does nothing, so that the count ends at this
 * call and needs neither a driver nor a device.  Everything else, including push and pop, is the
 * real cudart. */
#include <cuda_runtime_api.h>

struct CUlaunchConfig_st;
struct CUfunc_st;

int cuLaunchKernelEx(const struct CUlaunchConfig_st *config, struct CUfunc_st *kernel, void **args,
                     void **extra) {
    (void)config, (void)kernel, (void)args, (void)extra;
    return 0;
}

cudaError_t cudaLaunchKernel(const void *kernel, struct dim3 grid, struct dim3 block, void **args,
                             size_t bytes, cudaStream_t stream) {
    (void)kernel, (void)grid, (void)block, (void)args, (void)bytes, (void)stream;
    return cudaSuccess;
}

/* The first launch of a kernel calls the following two functions. */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *handle) {
    *kernel = (cudaKernel_t)handle;
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **entry, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result) {
    (void)name, (void)version, (void)flags;
    *entry = (void *)cuLaunchKernelEx;
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

/* Called after a launch through a debug stub. */
cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }

/* A debug stub calls the following functions before it launches. */
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    static const struct cudaFuncAttributes none;
    (void)kernel;
    *attributes = none;
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    (void)attribute, (void)device;
    *value = 1024;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                                     const void *pointer) {
    (void)pointer;
    attributes->type = cudaMemoryTypeDevice;
    return cudaSuccess;
}
