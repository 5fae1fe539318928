/* Forms of functions that CUDA 13 replaced, and that HIP still has. */
#ifndef KBUILD_CPU_HOST_OLDER_H
#define KBUILD_CPU_HOST_OLDER_H

/* Until CUDA 12, these functions have the number of a device instead of a location. */

static inline cudaMemLocation kbuild_cpu_location_of(int __device) {
    const bool __is_host = __device == cudaCpuDeviceId;
    return {__is_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, __device};
}

static inline cudaError_t cudaMemPrefetchAsync(const void *__pointer, size_t __bytes, int __device,
                                               cudaStream_t __stream = NULL) {
    return cudaMemPrefetchAsync(__pointer, __bytes, kbuild_cpu_location_of(__device), 0, __stream);
}

static inline cudaError_t cudaMemAdvise(const void *__pointer, size_t __bytes,
                                        cudaMemoryAdvise __advice, int __device) {
    return cudaMemAdvise(__pointer, __bytes, __advice, kbuild_cpu_location_of(__device));
}

#endif
