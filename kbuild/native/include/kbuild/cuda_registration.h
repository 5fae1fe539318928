/* How a stub unit of the CUDA backend reaches cudart; included by stub units only.
 *
 * The registration functions are what nvcc's own output calls; no public header declares
 * them, and their signatures are those of cudart since CUDA 9.2. */
#ifndef KBUILD_CUDA_REGISTRATION_H
#define KBUILD_CUDA_REGISTRATION_H

#include <cuda_runtime_api.h>
#include <kbuild/cuda_explain.h>

/* What kbuild/host_cuda.h asks of stub units, declared first where visibility counts. */
#ifdef __cplusplus
extern "C" {
#endif
struct kbuild_driver_config;
const char *kbuild_explain_launch(const void *kernel, int code)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
unsigned kbuild_count_definitions(const void *shadow)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
void *kbuild_find_driver_kernel(const void *handle, const void *here,
                                int (**launch)(const struct kbuild_driver_config *config,
                                               void *kernel, void **args, void **extra))
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
#ifdef __cplusplus
}
#endif

#include <kbuild/host_cuda.h>
#include <kbuild/launch_limits.h>
#include <kbuild/launch_memory.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **container);
void __cudaUnregisterFatBinary(void **container);
void __cudaRegisterFunction(void **container, const char *host, char *device,
                            const char *name, int thread_limit, void *thread_index,
                            void *block_index, void *block_size, void *grid_size,
                            int *warp_size);

void __cudaRegisterVar(void **container, char *shadow, char *device, const char *name, int is_extern,
                       size_t size, int is_constant, int is_global);
void __cudaRegisterManagedVar(void **container, void **data, char *device, const char *name,
                              int is_extern, size_t size, int is_constant, int is_global);
char __cudaInitModule(void **container);

/* What `.nvFatBinSegment` holds a record of for each container. */
struct kbuild_cuda_wrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;
    const void *prelinked;
};

#define KBUILD_CUDA_WRAPPER_MAGIC 0x466243B1u
#define KBUILD_CUDA_WRAPPER_VERSION 1u
#define KBUILD_CUDA_LINKED_WRAPPER_VERSION 2u

#define KBUILD_DEFINE_WRAPPER(name, data)                                             \
    static struct kbuild_cuda_wrapper name                                           \
        __attribute__((section(".nvFatBinSegment"), aligned(8), used)) = {           \
            KBUILD_CUDA_WRAPPER_MAGIC, KBUILD_CUDA_WRAPPER_VERSION, data, 0 };
/* Of linked code, with the containers that it was linked from: null ends their list. */
#define KBUILD_DEFINE_LINKED_WRAPPER(name, data, prelinked)                           \
    static struct kbuild_cuda_wrapper name                                           \
        __attribute__((section(".nvFatBinSegment"), aligned(8), used)) = {           \
            KBUILD_CUDA_WRAPPER_MAGIC, KBUILD_CUDA_LINKED_WRAPPER_VERSION, data, prelinked };
#define KBUILD_WRAPPER(name) &name

static int kbuild_cuda_device_count(int *count)
{
    return (int)cudaGetDeviceCount(count);
}

static int kbuild_cuda_resolve(const void *handle)
{
    struct cudaFuncAttributes attributes;
    return (int)cudaFuncGetAttributes(&attributes, handle);
}

static int kbuild_cuda_launch_kernel(const void *handle,
                                     const struct kbuild_launch_config *config,
                                     void *const *args)
{
    return kbuild_launch(handle, config, (void **)args);
}

static int kbuild_cuda_allocate(void **pointer, size_t bytes)
{
    return kbuild_malloc(pointer, bytes);
}

static int kbuild_cuda_release(void *pointer)
{
    return kbuild_free(pointer);
}

static int kbuild_cuda_copy(void *destination, const void *source, size_t bytes,
                            enum kbuild_copy_direction direction)
{
    return kbuild_memcpy(destination, source, bytes, direction);
}

static int kbuild_cuda_synchronize(void)
{
    return kbuild_synchronize();
}

static const struct kbuild_module *kbuild_cuda_module;

static const char *kbuild_cuda_error_message(int code)
{
    return kbuild_cuda_module != 0 ? kbuild_explain_for_module(kbuild_cuda_module, code)
                                   : kbuild_error_message(code);
}

static struct kbuild_runtime kbuild_runtime KBUILD_RELRO = {
    kbuild_cuda_device_count, kbuild_cuda_resolve, kbuild_cuda_launch_kernel,
    kbuild_cuda_allocate,     kbuild_cuda_release, kbuild_cuda_copy,
    kbuild_cuda_synchronize,  kbuild_cuda_error_message,
};

/* What cudart calls each container of this module. */
static void ***kbuild_cuda_containers;
static uint64_t kbuild_cuda_container_count;

/* For the table's managed variables: a failure leaves them null. */
static inline void kbuild_initialise_managed(void)
{
    uint64_t index;
    for (index = 0; index < kbuild_cuda_container_count; index++)
        if (kbuild_cuda_containers[index] != 0)
            (void)__cudaInitModule(kbuild_cuda_containers[index]);
}

static inline void kbuild_register_variable(void **container,
                                            const struct kbuild_variable *variable)
{
    const int is_constant = variable->kind == KBUILD_VARIABLE_CONSTANT;
    char *const name = (char *)variable->device_name;
    if (kbuild_is_managed(variable, kbuild_initialise_managed))
        __cudaRegisterManagedVar(container, &((struct kbuild_managed *)variable->shadow)->data,
                                 name, name, 0, variable->size, is_constant, 0);
    else if (variable->kind != KBUILD_VARIABLE_MANAGED)
        __cudaRegisterVar(container, (char *)variable->shadow, name, name, 0, variable->size,
                          is_constant, 0);
}

/* Registration cannot report: a launch of an unregistered kernel says so instead. */
static inline void kbuild_register_module(const struct kbuild_module *module,
                                          void (*unregister)(void))
{
    /* Both tables are in the order of the containers. */
    uint64_t index, row = 0, variable = 0;
    kbuild_cuda_module = module;
    kbuild_cuda_containers =
        (void ***)calloc((size_t)module->container_count, sizeof *kbuild_cuda_containers);
    if (kbuild_cuda_containers == 0)
        return;
    kbuild_cuda_container_count = module->container_count;
    for (index = 0; index < module->container_count; index++) {
        void **container;
        if (module->containers[index].wrapper == 0)
            continue;
        container = __cudaRegisterFatBinary((void *)module->containers[index].wrapper);
        kbuild_cuda_containers[index] = container;
        for (; row < module->kernel_count && module->kernels[row].container == index; row++) {
            const struct kbuild_kernel *kernel = &module->kernels[row];
            __cudaRegisterFunction(container, (const char *)kernel->handle,
                                   (char *)kernel->device_name, kernel->device_name, -1, 0, 0, 0,
                                   0, 0);
        }
        for (; variable < module->variable_count && module->variables[variable].container == index;
             variable++)
            kbuild_register_variable(container, &module->variables[variable]);
        __cudaRegisterFatBinaryEnd(container);
    }
    (void)atexit(unregister);
}

static inline void kbuild_unregister_module(const struct kbuild_module *module)
{
    uint64_t index;
    if (kbuild_cuda_containers == 0)
        return;
    for (index = 0; index < module->container_count; index++)
        if (kbuild_cuda_containers[index] != 0)
            __cudaUnregisterFatBinary(kbuild_cuda_containers[index]);
    free(kbuild_cuda_containers);
    kbuild_cuda_containers = 0;
    kbuild_cuda_container_count = 0;
}

/* Of any module in the process; all definitions are alike.  See kbuild/host_cuda.h. */
const char *kbuild_explain_launch(const void *kernel, int code)
{
    const struct kbuild_module *const module =
        kbuild_is_about_architectures(code) ? kbuild_find_module(kernel) : 0;
    return module != 0 ? kbuild_explain_for_module(module, code)
                       : cudaGetErrorString((cudaError_t)code);
}

unsigned kbuild_count_definitions(const void *shadow)
{
    return kbuild_count_shadows(shadow);
}

#ifdef KBUILD_HAS_DRIVER_LAUNCH
/* See kbuild/host_cuda.h.  A kernel of another file may be gone, and something else in its
 * place, by the time of the next launch: unless the caller's file needs that file by name,
 * which keeps it loaded. */
void *kbuild_find_driver_kernel(const void *handle, const void *here, kbuild_driver_launch **launch)
{
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

/* cudart's own push and pop, which `<<<>>>` goes through as well. */
unsigned __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
                                    void *stream);

/* For debug stubs, see kbuild/debug_stub.hpp. */
static inline int kbuild_take_configuration(struct kbuild_launch_config *config)
{
    struct dim3 grid, block;
    cudaStream_t stream;
    const int error =
        (int)__cudaPopCallConfiguration(&grid, &block, &config->shared_bytes, &stream);
    config->grid.x = grid.x;
    config->grid.y = grid.y;
    config->grid.z = grid.z;
    config->block.x = block.x;
    config->block.y = block.y;
    config->block.z = block.z;
    config->stream = (void *)stream;
    return error;
}

/* 0 where cudart does not say. */
static inline uint32_t kbuild_cuda_attribute(enum cudaDeviceAttr attribute)
{
    int device = 0, value = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&value, attribute, device) != cudaSuccess)
        return 0;
    return (uint32_t)value;
}

static inline int kbuild_find_device(void)
{
    int device;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

static inline int kbuild_find_limits(const void *handle, struct kbuild_launch_limits *limits)
{
    struct cudaFuncAttributes kernel;
    const cudaError_t error = cudaFuncGetAttributes(&kernel, handle);
    if (error != cudaSuccess)
        return (int)error;
    limits->grid.x = kbuild_cuda_attribute(cudaDevAttrMaxGridDimX);
    limits->grid.y = kbuild_cuda_attribute(cudaDevAttrMaxGridDimY);
    limits->grid.z = kbuild_cuda_attribute(cudaDevAttrMaxGridDimZ);
    limits->block.x = kbuild_cuda_attribute(cudaDevAttrMaxBlockDimX);
    limits->block.y = kbuild_cuda_attribute(cudaDevAttrMaxBlockDimY);
    limits->block.z = kbuild_cuda_attribute(cudaDevAttrMaxBlockDimZ);
    limits->device_threads = kbuild_cuda_attribute(cudaDevAttrMaxThreadsPerBlock);
    limits->kernel_threads = (uint32_t)kernel.maxThreadsPerBlock;
    limits->device_shared_bytes = kbuild_cuda_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    limits->static_shared_bytes = kernel.sharedSizeBytes;
    limits->dynamic_shared_bytes = (uint64_t)kernel.maxDynamicSharedSizeBytes;
    return 0;
}

static inline int kbuild_is_host_memory(const void *pointer)
{
    struct cudaPointerAttributes attributes;
    if (cudaPeekAtLastError() != cudaSuccess)
        return 0; /* which asking might replace */
    if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return attributes.type == cudaMemoryTypeUnregistered &&
           kbuild_cuda_attribute(cudaDevAttrPageableMemoryAccess) == 0;
}

static inline int kbuild_launch_taken(const void *handle,
                                      const struct kbuild_launch_config *config,
                                      void *const *args)
{
    return (int)cudaLaunchKernel(handle, kbuild_to_cuda(config->grid),
                                 kbuild_to_cuda(config->block), (void **)args,
                                 config->shared_bytes, (cudaStream_t)config->stream);
}

/* For captures of launches, see kbuild/capture_plan.hpp.  cudart does not tell extents. */
typedef int kbuild_driver_address_range(unsigned long long *base, size_t *bytes,
                                        unsigned long long pointer);

static inline kbuild_driver_address_range *kbuild_find_address_range(void)
{
    enum cudaDriverEntryPointQueryResult result;
    kbuild_driver_address_range *range = 0;
    void *entry = 0;
#if CUDART_VERSION >= 12050
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &entry, 12000,
                                                               cudaEnableDefault, &result);
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

static inline void kbuild_find_memory(const void *pointer, struct kbuild_memory *memory)
{
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
    if (memory->__kind == KBUILD_MEMORY_HOST)
        return;
    range = kbuild_find_address_range();
    if (range == 0 || range(&base, &bytes, (unsigned long long)(uintptr_t)pointer) != 0)
        return;
    memory->__base = (const void *)(uintptr_t)base;
    memory->__bytes = bytes;
}

/* While a graph is captured, waiting and copying would spoil it; other threads' captures are
 * left alone in the relaxed mode.  An error that waits for the program is left to it. */
static inline const char *kbuild_begin_reading(void *stream, int *state)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    enum cudaStreamCaptureStatus own = cudaStreamCaptureStatusNone;
    enum cudaStreamCaptureStatus others = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess)
        return cudaGetErrorString(error);
    error = cudaStreamIsCapturing((cudaStream_t)stream, &own);
    if (error == cudaSuccess)
        error = cudaStreamIsCapturing(cudaStreamLegacy, &others);
    if (error == cudaErrorStreamCaptureImplicit || own != cudaStreamCaptureStatusNone ||
        others != cudaStreamCaptureStatusNone) {
        (void)cudaGetLastError();
        return "launches are being captured in a graph";
    }
    if (error == cudaSuccess)
        error = cudaThreadExchangeStreamCaptureMode(&mode);
    *state = (int)mode;
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize((cudaStream_t)stream);
        if (error == cudaSuccess)
            return 0;
        (void)cudaThreadExchangeStreamCaptureMode(&mode);
    }
    (void)cudaGetLastError();
    return cudaGetErrorString(error);
}

static inline void kbuild_end_reading(int state)
{
    enum cudaStreamCaptureMode mode = (enum cudaStreamCaptureMode)state;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

static inline int kbuild_synchronize_stream(void *stream)
{
    return (int)cudaStreamSynchronize((cudaStream_t)stream);
}

static inline void kbuild_describe_device(char *device, size_t device_size, char *driver,
                                          size_t driver_size)
{
    struct cudaDeviceProp properties;
    int number = 0, version = 0;
    if (cudaGetDevice(&number) == cudaSuccess &&
        cudaGetDeviceProperties(&properties, number) == cudaSuccess)
        snprintf(device, device_size, "%s (sm_%d%d)", properties.name, properties.major,
                 properties.minor);
    if (cudaDriverGetVersion(&version) == cudaSuccess)
        snprintf(driver, driver_size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    (void)cudaGetLastError(); /* there was none before */
}

#ifdef __cplusplus
}
#endif
#endif
