/* Connects stub units of the HIP backend to AMD's runtime; included by stub units only.
 *
 * The registration functions are those that clang's own output calls.  No public header declares
 * them.  Their signatures come from clang's CGCUDANV.cpp and HIP's hip_platform.cpp, and have not
 * changed since HIP 4.2. */
#ifndef KBUILD_HIP_REGISTRATION_H
#define KBUILD_HIP_REGISTRATION_H

#define KBUILD_VENDOR_WRAPPER_SECTION ".hipFatBinSegment"
#define KBUILD_VENDOR_WRAPPER_MAGIC 0x48495046u
#define KBUILD_VENDOR_LINKED_WRAPPER_VERSION 1u
#define KBUILD_VENDOR_LINK_SECTION "kbuild_module_id"
#define KBUILD_VENDOR_LINK_FUNCTION(id) KBUILD_LINK_FUNCTION(id)
#include <kbuild/detail/vendor_tables.h>

#ifndef KBUILD_ONLY_TABLES
#include <kbuild/host_hip.h>

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
/* `<<<>>>` goes through these push and pop functions as well. */
hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                                     hipStream_t *stream);

#ifdef __cplusplus
}
#endif

typedef hipDeviceAttribute_t kbuild_vendor_attribute;
#define KBUILD_VENDOR_ATTRIBUTE(name) hipDeviceAttribute##name
#define KBUILD_VENDOR_SHARED_BYTES hipDeviceAttributeMaxSharedMemoryPerBlock
/* HIP 5 ends a program that registers an address twice.  If several variables in a process have
 * one name, none of them is registered, because nobody can tell which one is meant. */
#define KBUILD_VENDOR_REJECTS_DUPLICATES 1
#include <kbuild/detail/vendor_registration.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KBUILD_HIP_MANAGED_ALIGNMENT 16u

static inline int kbuild_is_about_architectures(int code) {
    return code == (int)hipErrorNoBinaryForGpu || code == (int)hipErrorInvalidDeviceFunction ||
           code == (int)hipErrorInvalidKernelFile || code == (int)hipErrorInvalidImage;
}

static inline int kbuild_name_architecture(int device, char *name, size_t size) {
    hipDeviceProp_t properties;
    if (hipGetDeviceProperties(&properties, device) != hipSuccess) return 0;
    snprintf(name, size, "%.64s", properties.gcnArchName);
    return 1;
}

static inline void kbuild_register_managed(void **container,
                                           const struct kbuild_variable *variable) {
    struct kbuild_managed *const managed = (struct kbuild_managed *)variable->shadow;
    int count = 0;
    /* The runtime can read the initial value later than now, so zeros need memory as well. */
    if (managed->initial == 0) managed->initial = calloc(1, (size_t)variable->size);
    /* HIP 5 allocates at once, and ends the program if there is no device. */
    if (hipGetDeviceCount(&count) == hipSuccess && count > 0)
        __hipRegisterManagedVar(container, &managed->data, (void *)managed->initial,
                                variable->device_name, variable->size,
                                KBUILD_HIP_MANAGED_ALIGNMENT);
}

static inline void kbuild_finish_container(void **container) { (void)container; }

/* The registration has already allocated the managed variables. */
static inline void kbuild_initialize_container(void **container) { (void)container; }

/* For unregistered host memory, HIP returns an error instead of attributes. */
static inline int kbuild_is_host_memory(const void *pointer) {
    hipPointerAttribute_t attributes;
    hipError_t error;
    if (hipPeekAtLastError() != hipSuccess)
        return 0; /* the query could replace the program's error */
    error = hipPointerGetAttributes(&attributes, pointer);
    if (error != hipSuccess) (void)hipGetLastError();
    return error == hipErrorInvalidValue &&
           kbuild_read_attribute(hipDeviceAttributePageableMemoryAccess) == 0;
}

/* The functions below serve captures of launches; see kbuild/detail/capture/plan.hpp. */

static inline void kbuild_find_memory(const void *pointer, struct kbuild_memory *memory) {
    hipPointerAttribute_t attributes;
    hipDeviceptr_t base = 0;
    size_t bytes = 0;
    if (hipPointerGetAttributes(&attributes, pointer) != hipSuccess) {
        (void)hipGetLastError();
        memory->__kind = KBUILD_MEMORY_HOST;
        return;
    }
#if HIP_VERSION_MAJOR >= 6
    memory->__kind =
        attributes.type == hipMemoryTypeDevice ? KBUILD_MEMORY_DEVICE : KBUILD_MEMORY_HOST;
#else
    memory->__kind =
        attributes.memoryType == hipMemoryTypeDevice ? KBUILD_MEMORY_DEVICE : KBUILD_MEMORY_HOST;
#endif
    if (attributes.isManaged) memory->__kind = KBUILD_MEMORY_MANAGED;
    if (memory->__kind == KBUILD_MEMORY_HOST) return;
    if (hipMemGetAddressRange(&base, &bytes, (hipDeviceptr_t)pointer) != hipSuccess) {
        (void)hipGetLastError();
        return;
    }
    memory->__base = (const void *)base;
    memory->__bytes = bytes;
}

/* Waiting or copying would invalidate a graph that is being captured.  An error that the program
 * has not read yet is left for it. */
static inline const char *kbuild_begin_reading(void *stream, int *state) {
    hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
    hipError_t error = hipPeekAtLastError();
    (void)state;
    if (error != hipSuccess) return kbuild_error_message((kbuild_error_t)error);
    error = hipStreamIsCapturing((hipStream_t)stream, &status);
    if (error == hipErrorStreamCaptureImplicit || status != hipStreamCaptureStatusNone) {
        (void)hipGetLastError();
        return "launches are being captured in a graph";
    }
    error = hipStreamSynchronize((hipStream_t)stream);
    if (error == hipSuccess) return 0;
    (void)hipGetLastError();
    return kbuild_error_message((kbuild_error_t)error);
}

static inline void kbuild_end_reading(int state) { (void)state; }

static inline void kbuild_describe_device(char *device, size_t device_size, char *driver,
                                          size_t driver_size) {
    hipDeviceProp_t properties;
    int number = 0;
    (void)driver, (void)driver_size;
    if (hipGetDevice(&number) == hipSuccess &&
        hipGetDeviceProperties(&properties, number) == hipSuccess)
        snprintf(device, device_size, "%.200s (%.200s)", properties.name, properties.gcnArchName);
    else
        (void)hipGetLastError(); /* the error of this query: there was none before */
}

#ifdef __cplusplus
}
#endif
#endif
#endif
