/* Connects stub units of the CUDA backend to cudart; included by stub units only.
 *
 * The registration functions are those that nvcc's own output calls.  No public header declares
 * them.  Their signatures have not changed since CUDA 9.2. */
#ifndef KBUILD_CUDA_REGISTRATION_H
#define KBUILD_CUDA_REGISTRATION_H

#define KBUILD_VENDOR_WRAPPER_SECTION ".nvFatBinSegment"
#define KBUILD_VENDOR_WRAPPER_MAGIC 0x466243B1u
/* The protocol of `nvcc -dlink`; see crt/host_runtime.h and crt/link.stub in the toolkit.  The linker
 * of device code searches `__nv_module_id` for the ids of objects. */
#define KBUILD_VENDOR_LINKED_WRAPPER_VERSION 2u
#define KBUILD_VENDOR_LINK_SECTION "__nv_module_id"
#define KBUILD_VENDOR_LINK_FUNCTION(id) KBUILD_JOIN(__cudaRegisterLinkedBinary, id)
#include <kbuild/detail/vendor_tables.h>

#ifndef KBUILD_ONLY_TABLES
#include <kbuild/host_cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **container);
void __cudaUnregisterFatBinary(void **container);
void __cudaRegisterFunction(void **container, const char *host, char *device, const char *name,
                            int thread_limit, void *thread_index, void *block_index,
                            void *block_size, void *grid_size, int *warp_size);

void __cudaRegisterVar(void **container, char *shadow, char *device, const char *name,
                       int is_extern, size_t size, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **container, void **data, char *device, const char *name,
                              int is_extern, size_t size, int is_constant, int is_global);
char __cudaInitModule(void **container);
/* `<<<>>>` goes through these push and pop functions as well. */
unsigned __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
                                    void *stream);

#ifdef __cplusplus
}
#endif

typedef enum cudaDeviceAttr kbuild_vendor_attribute;
#define KBUILD_VENDOR_ATTRIBUTE(name) cudaDevAttr##name
#define KBUILD_VENDOR_SHARED_BYTES cudaDevAttrMaxSharedMemoryPerBlockOptin
#define KBUILD_VENDOR_REJECTS_DUPLICATES 0

#include <kbuild/detail/vendor_registration.h>

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

static inline int kbuild_is_about_architectures(int code) {
    return code == (int)cudaErrorNoKernelImageForDevice ||
           code == (int)cudaErrorUnsupportedPtxVersion ||
           code == (int)cudaErrorInvalidDeviceFunction;
}

static inline int kbuild_name_architecture(int device, char *name, size_t size) {
    int major = 0, minor = 0;
    if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return 0;
    snprintf(name, size, "sm_%d%d", major, minor);
    return 1;
}

static inline void kbuild_register_managed(void **container,
                                           const struct kbuild_variable *variable) {
    char *const name = (char *)variable->device_name;
    __cudaRegisterManagedVar(container, &((struct kbuild_managed *)variable->shadow)->data, name,
                             name, 0, variable->size, variable->kind == KBUILD_VARIABLE_CONSTANT,
                             0);
}

static inline void kbuild_finish_container(void **container) {
    __cudaRegisterFatBinaryEnd(container);
}

static inline void kbuild_initialize_container(void **container) {
    (void)__cudaInitModule(container);
}

#ifdef KBUILD_HAS_DRIVER_LAUNCH
/* See kbuild/host_cuda.h.  By the next launch, another file's kernel can be unloaded, with
 * something else at its address, unless the caller's file names that file in DT_NEEDED and so
 * keeps it loaded. */
void *kbuild_find_driver_kernel(const void *handle, const void *here,
                                kbuild_driver_launch **launch) {
    enum cudaDriverEntryPointQueryResult result;
    cudaKernel_t kernel;
    void *entry = 0;
    if (!kbuild_outlives(handle, here) || cudaGetKernel(&kernel, handle) != cudaSuccess ||
        cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &entry, 12000, cudaEnableDefault,
                                         &result) != cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
        return 0;
    memcpy(launch, &entry, sizeof entry);
    return (void *)kernel;
}
#endif

static inline int kbuild_is_host_memory(const void *pointer) {
    struct cudaPointerAttributes attributes;
    if (cudaPeekAtLastError() != cudaSuccess)
        return 0; /* the query could replace the program's error */
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return attributes.type == cudaMemoryTypeUnregistered &&
           kbuild_read_attribute(cudaDevAttrPageableMemoryAccess) == 0;
}

/* The functions below serve captures of launches; see kbuild/detail/capture/plan.hpp. */

/* The driver's cuMemGetAddressRange, because cudart does not report the extent of allocations. */
typedef int kbuild_driver_address_range(unsigned long long *base, size_t *bytes,
                                        unsigned long long pointer);

static inline kbuild_driver_address_range *kbuild_find_address_range(void) {
    enum cudaDriverEntryPointQueryResult result;
    kbuild_driver_address_range *range = 0;
    void *entry = 0;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry,
                                                               12000, cudaEnableDefault, &result);
#else
    const cudaError_t error =
        cudaGetDriverEntryPoint("cuMemGetAddressRange", &entry, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess)
        (void)cudaGetLastError();
    else if (result == cudaDriverEntryPointSuccess)
        memcpy(&range, &entry, sizeof entry);
    return range;
}

static inline void kbuild_find_memory(const void *pointer, struct kbuild_memory *memory) {
    struct cudaPointerAttributes attributes;
    kbuild_driver_address_range *range;
    unsigned long long base = 0;
    size_t bytes = 0;
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
        (void)cudaGetLastError();
        return;
    }
    memory->__kind = attributes.type == cudaMemoryTypeDevice    ? KBUILD_MEMORY_DEVICE
                     : attributes.type == cudaMemoryTypeManaged ? KBUILD_MEMORY_MANAGED
                                                                : KBUILD_MEMORY_HOST;
    if (memory->__kind == KBUILD_MEMORY_HOST) return;
    range = kbuild_find_address_range();
    if (range == 0 || range(&base, &bytes, (unsigned long long)(uintptr_t)pointer) != 0) return;
    memory->__base = (const void *)(uintptr_t)base;
    memory->__bytes = bytes;
}

/* Waiting or copying would invalidate a graph that is being captured.  The relaxed mode keeps this
 * thread's calls from invalidating the captures of other threads.  An error that the program has
 * not read yet is left for it. */
static inline const char *kbuild_begin_reading(void *stream, int *state) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    enum cudaStreamCaptureStatus own = cudaStreamCaptureStatusNone;
    enum cudaStreamCaptureStatus others = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess) return cudaGetErrorString(error);
    error = cudaStreamIsCapturing((cudaStream_t)stream, &own);
    if (error == cudaSuccess) error = cudaStreamIsCapturing(cudaStreamLegacy, &others);
    if (error == cudaErrorStreamCaptureImplicit || own != cudaStreamCaptureStatusNone ||
        others != cudaStreamCaptureStatusNone) {
        (void)cudaGetLastError();
        return "launches are being captured in a graph";
    }
    if (error == cudaSuccess) error = cudaThreadExchangeStreamCaptureMode(&mode);
    *state = (int)mode;
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize((cudaStream_t)stream);
        if (error == cudaSuccess) return 0;
        (void)cudaThreadExchangeStreamCaptureMode(&mode);
    }
    (void)cudaGetLastError();
    return cudaGetErrorString(error);
}

static inline void kbuild_end_reading(int state) {
    enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)state;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

static inline void kbuild_describe_device(char *device, size_t device_size, char *driver,
                                          size_t driver_size) {
    struct cudaDeviceProp properties;
    int number = 0, version = 0;
    if (cudaGetDevice(&number) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, number) == cudaSuccess)
        snprintf(device, device_size, "%s (sm_%d%d)", properties.name, properties.major,
                 properties.minor);
    if (cudaDriverGetVersion(&version) == cudaSuccess)
        snprintf(driver, driver_size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    (void)cudaGetLastError(); /* errors of these queries: there were none before */
}

#ifdef __cplusplus
}
#endif
#endif
#endif
