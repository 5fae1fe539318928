/* How a stub unit of the HIP backend reaches AMD's runtime; included by stub units only.
 *
 * The registration functions are what clang's own output calls; no public header declares
 * them.  Their signatures are those of clang's CGCUDANV.cpp and of HIP's hip_platform.cpp,
 * since HIP 4.2. */
#ifndef KBUILD_HIP_REGISTRATION_H
#define KBUILD_HIP_REGISTRATION_H

#if !defined(__HIP_PLATFORM_AMD__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#include <hip/hip_runtime_api.h>
#include <kbuild/module_search.h>
#include <stdlib.h>

/* What kbuild/host_hip.h asks of stub units, declared first where visibility counts. */
#ifdef __cplusplus
extern "C" {
#endif
const char *kbuild_explain_launch(const void *kernel, int code)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
unsigned kbuild_count_definitions(const void *shadow)
    __attribute__((weak, visibility(KBUILD_TARGET_VISIBILITY)));
#ifdef __cplusplus
}
#endif

#include <kbuild/host_hip.h>
#include <kbuild/launch_limits.h>
#include <kbuild/launch_memory.h>

#ifdef __cplusplus
extern "C" {
#endif

void **__hipRegisterFatBinary(const void *wrapper);
void __hipUnregisterFatBinary(void **container);
void __hipRegisterFunction(void **container, const void *host, char *device, const char *name,
                           unsigned thread_limit, void *thread_index, void *block_index,
                           void *block_size, void *grid_size, int *wavefront_size);
void __hipRegisterVar(void **container, void *shadow, char *host, char *device, int is_extern,
                      size_t size, int is_constant, int is_global);
void __hipRegisterManagedVar(void *container, void **data, void *initial, const char *name,
                             size_t size, unsigned alignment);

/* What `.hipFatBinSegment` holds a record of for each container. */
struct kbuild_hip_wrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;
    const void *unused;
};

#define KBUILD_HIP_WRAPPER_MAGIC 0x48495046u
#define KBUILD_HIP_WRAPPER_VERSION 1u
#define KBUILD_HIP_MANAGED_ALIGNMENT 16u
#define KBUILD_HIP_MESSAGE_BYTES 512

#define KBUILD_DEFINE_WRAPPER(name, data)                                              \
    static struct kbuild_hip_wrapper name                                             \
        __attribute__((section(".hipFatBinSegment"), aligned(8), used)) = {           \
            KBUILD_HIP_WRAPPER_MAGIC, KBUILD_HIP_WRAPPER_VERSION, data, 0 };
#define KBUILD_WRAPPER(name) &name

static int kbuild_hip_device_count(int *count)
{
    return (int)hipGetDeviceCount(count);
}

static int kbuild_hip_resolve(const void *handle)
{
    hipFuncAttributes attributes;
    return (int)hipFuncGetAttributes(&attributes, handle);
}

static int kbuild_hip_launch_kernel(const void *handle, const struct kbuild_launch_config *config,
                                    void *const *args)
{
    return kbuild_launch(handle, config, (void **)args);
}

static int kbuild_hip_allocate(void **pointer, size_t bytes)
{
    return kbuild_malloc(pointer, bytes);
}

static int kbuild_hip_release(void *pointer)
{
    return kbuild_free(pointer);
}

static int kbuild_hip_copy(void *destination, const void *source, size_t bytes,
                           enum kbuild_copy_direction direction)
{
    return kbuild_memcpy(destination, source, bytes, direction);
}

static int kbuild_hip_synchronize(void)
{
    return kbuild_synchronize();
}

static const struct kbuild_module *kbuild_hip_module;

static inline int kbuild_is_about_architectures(int code)
{
    return code == (int)hipErrorNoBinaryForGpu || code == (int)hipErrorInvalidDeviceFunction ||
           code == (int)hipErrorInvalidKernelFile || code == (int)hipErrorInvalidImage;
}

/* What to say of a failure of the module's kernels; valid until the thread's next call. */
static inline const char *kbuild_explain_for_module(const struct kbuild_module *module, int code)
{
    static __thread char text[KBUILD_HIP_MESSAGE_BYTES];
    hipDeviceProp_t properties;
    int device = 0;
    if (!kbuild_is_about_architectures(code) || hipGetDevice(&device) != hipSuccess ||
        hipGetDeviceProperties(&properties, device) != hipSuccess)
        return kbuild_error_message(code);
    snprintf(text, sizeof text, "%s: the device is %.64s, and %.128s has",
             kbuild_error_message(code), properties.gcnArchName, module->target);
    kbuild_list_architectures(module, text, sizeof text);
    return text;
}

static const char *kbuild_hip_error_message(int code)
{
    return kbuild_hip_module != 0 ? kbuild_explain_for_module(kbuild_hip_module, code)
                                  : kbuild_error_message(code);
}

static struct kbuild_runtime kbuild_runtime KBUILD_RELRO = {
    kbuild_hip_device_count, kbuild_hip_resolve, kbuild_hip_launch_kernel,
    kbuild_hip_allocate,     kbuild_hip_release, kbuild_hip_copy,
    kbuild_hip_synchronize,  kbuild_hip_error_message,
};

/* What the runtime calls each container of this module. */
static void ***kbuild_hip_containers;

/* For the table's managed variables, which registering allocates: there is nothing to add. */
static inline void kbuild_initialise_managed(void)
{
}

static inline void kbuild_register_variable(void **container,
                                            const struct kbuild_variable *variable)
{
    char *const name = (char *)variable->device_name;
    if (kbuild_is_managed(variable, kbuild_initialise_managed)) {
        struct kbuild_managed *const managed = (struct kbuild_managed *)variable->shadow;
        int count = 0;
        if (managed->initial == 0) /* zeros, which the runtime may read later than now */
            managed->initial = calloc(1, (size_t)variable->size);
        /* HIP 5 allocates at once, and ends the program where there is no device. */
        if (hipGetDeviceCount(&count) == hipSuccess && count > 0)
            __hipRegisterManagedVar(container, &managed->data, (void *)managed->initial, name,
                                    variable->size, KBUILD_HIP_MANAGED_ALIGNMENT);
    } else if (variable->kind != KBUILD_VARIABLE_MANAGED &&
               kbuild_count_shadows(variable->shadow) == 1) {
        /* HIP 5 ends the program that registers an address twice: of several variables of one
         * name in a process, which nobody can mean, none is registered. */
        __hipRegisterVar(container, variable->shadow, name, name, 0, variable->size,
                         variable->kind == KBUILD_VARIABLE_CONSTANT, 0);
    }
}

/* Registration cannot report: a launch of an unregistered kernel says so instead. */
static inline void kbuild_register_module(const struct kbuild_module *module,
                                          void (*unregister)(void))
{
    /* Both tables are in the order of the containers. */
    uint64_t index, row = 0, variable = 0;
    kbuild_hip_module = module;
    kbuild_hip_containers =
        (void ***)calloc((size_t)module->container_count, sizeof *kbuild_hip_containers);
    if (kbuild_hip_containers == 0)
        return;
    for (index = 0; index < module->container_count; index++) {
        void **container = __hipRegisterFatBinary(module->containers[index].wrapper);
        kbuild_hip_containers[index] = container;
        for (; row < module->kernel_count && module->kernels[row].container == index; row++) {
            const struct kbuild_kernel *kernel = &module->kernels[row];
            __hipRegisterFunction(container, kernel->handle, (char *)kernel->device_name,
                                  kernel->device_name, ~0u, 0, 0, 0, 0, 0);
        }
        for (; variable < module->variable_count && module->variables[variable].container == index;
             variable++)
            kbuild_register_variable(container, &module->variables[variable]);
    }
    (void)atexit(unregister);
}

static inline void kbuild_unregister_module(const struct kbuild_module *module)
{
    uint64_t index;
    if (kbuild_hip_containers == 0)
        return;
    for (index = 0; index < module->container_count; index++)
        if (kbuild_hip_containers[index] != 0)
            __hipUnregisterFatBinary(kbuild_hip_containers[index]);
    free(kbuild_hip_containers);
    kbuild_hip_containers = 0;
}

/* Of any module in the process; all definitions are alike.  See kbuild/host_hip.h. */
const char *kbuild_explain_launch(const void *kernel, int code)
{
    const struct kbuild_module *const module =
        kbuild_is_about_architectures(code) ? kbuild_find_module(kernel) : 0;
    return module != 0 ? kbuild_explain_for_module(module, code) : kbuild_error_message(code);
}

unsigned kbuild_count_definitions(const void *shadow)
{
    return kbuild_count_shadows(shadow);
}

/* HIP's own push and pop, which `<<<>>>` goes through as well. */
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                     hipStream_t *stream);

/* For debug stubs, see kbuild/debug_stub.hpp. */
static inline int kbuild_take_configuration(struct kbuild_launch_config *config)
{
    dim3 grid, block;
    hipStream_t stream;
    const int error =
        (int)__hipPopCallConfiguration(&grid, &block, &config->shared_bytes, &stream);
    config->grid.x = grid.x;
    config->grid.y = grid.y;
    config->grid.z = grid.z;
    config->block.x = block.x;
    config->block.y = block.y;
    config->block.z = block.z;
    config->stream = (void *)stream;
    return error;
}

/* 0 where the runtime does not say. */
static inline uint32_t kbuild_hip_attribute(hipDeviceAttribute_t attribute)
{
    int device = 0, value = 0;
    if (hipGetDevice(&device) != hipSuccess ||
        hipDeviceGetAttribute(&value, attribute, device) != hipSuccess)
        return 0;
    return (uint32_t)value;
}

static inline int kbuild_find_device(void)
{
    int device;
    return hipGetDevice(&device) == hipSuccess ? device : -1;
}

static inline int kbuild_find_limits(const void *handle, struct kbuild_launch_limits *limits)
{
    hipFuncAttributes kernel;
    const hipError_t error = hipFuncGetAttributes(&kernel, handle);
    if (error != hipSuccess)
        return (int)error;
    limits->grid.x = kbuild_hip_attribute(hipDeviceAttributeMaxGridDimX);
    limits->grid.y = kbuild_hip_attribute(hipDeviceAttributeMaxGridDimY);
    limits->grid.z = kbuild_hip_attribute(hipDeviceAttributeMaxGridDimZ);
    limits->block.x = kbuild_hip_attribute(hipDeviceAttributeMaxBlockDimX);
    limits->block.y = kbuild_hip_attribute(hipDeviceAttributeMaxBlockDimY);
    limits->block.z = kbuild_hip_attribute(hipDeviceAttributeMaxBlockDimZ);
    limits->device_threads = kbuild_hip_attribute(hipDeviceAttributeMaxThreadsPerBlock);
    limits->kernel_threads = (uint32_t)kernel.maxThreadsPerBlock;
    limits->device_shared_bytes = kbuild_hip_attribute(hipDeviceAttributeMaxSharedMemoryPerBlock);
    limits->static_shared_bytes = kernel.sharedSizeBytes;
    return 0;
}

/* Of such memory HIP says that the pointer is none of its own. */
static inline int kbuild_is_host_memory(const void *pointer)
{
    hipPointerAttribute_t attributes;
    hipError_t error;
    if (hipPeekAtLastError() != hipSuccess)
        return 0; /* which asking might replace */
    error = hipPointerGetAttributes(&attributes, pointer);
    if (error != hipSuccess)
        (void)hipGetLastError();
    return error == hipErrorInvalidValue &&
           kbuild_hip_attribute(hipDeviceAttributePageableMemoryAccess) == 0;
}

/* As clang's own stubs do: the handle is launched. */
static inline int kbuild_launch_taken(const void *handle,
                                      const struct kbuild_launch_config *config,
                                      void *const *args)
{
    return kbuild_launch_unprepared(handle, config, (void **)args);
}

/* For captures of launches, see kbuild/capture_plan.hpp. */
static inline void kbuild_find_memory(const void *pointer, struct kbuild_memory *memory)
{
    hipPointerAttribute_t attributes;
    hipDeviceptr_t base = 0;
    size_t bytes = 0;
    if (hipPointerGetAttributes(&attributes, pointer) != hipSuccess) {
        (void)hipGetLastError();
        memory->__kind = KBUILD_MEMORY_HOST;
        return;
    }
#if HIP_VERSION_MAJOR >= 6
    memory->__kind = attributes.type == hipMemoryTypeDevice ? KBUILD_MEMORY_DEVICE
                                                            : KBUILD_MEMORY_HOST;
#else
    memory->__kind = attributes.memoryType == hipMemoryTypeDevice ? KBUILD_MEMORY_DEVICE
                                                                  : KBUILD_MEMORY_HOST;
#endif
    if (attributes.isManaged)
        memory->__kind = KBUILD_MEMORY_MANAGED;
    if (memory->__kind == KBUILD_MEMORY_HOST)
        return;
    if (hipMemGetAddressRange(&base, &bytes, (hipDeviceptr_t)pointer) != hipSuccess) {
        (void)hipGetLastError();
        return;
    }
    memory->__base = (const void *)base;
    memory->__bytes = bytes;
}

/* While a graph is captured, waiting and copying would spoil it.  An error that waits for the
 * program is left to it. */
static inline const char *kbuild_begin_reading(void *stream, int *state)
{
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    hipError_t error = hipPeekAtLastError();
    (void)state;
    if (error != hipSuccess)
        return kbuild_error_message((kbuild_error_t)error);
    error = hipStreamIsCapturing((hipStream_t)stream, &status);
    if (error == hipErrorStreamCaptureImplicit || status != hipStreamCaptureStatusNone) {
        (void)hipGetLastError();
        return "launches are being captured in a graph";
    }
    error = hipStreamSynchronize((hipStream_t)stream);
    if (error == hipSuccess)
        return 0;
    (void)hipGetLastError();
    return kbuild_error_message((kbuild_error_t)error);
}

static inline void kbuild_end_reading(int state)
{
    (void)state;
}

static inline int kbuild_synchronize_stream(void *stream)
{
    return (int)hipStreamSynchronize((hipStream_t)stream);
}

static inline void kbuild_describe_device(char *device, size_t device_size, char *driver,
                                          size_t driver_size)
{
    hipDeviceProp_t properties;
    int number = 0;
    (void)driver, (void)driver_size;
    if (hipGetDevice(&number) == hipSuccess &&
        hipGetDeviceProperties(&properties, number) == hipSuccess)
        snprintf(device, device_size, "%.200s (%.200s)", properties.name, properties.gcnArchName);
    else
        (void)hipGetLastError(); /* there was none before */
}

#ifdef __cplusplus
}
#endif
#endif
