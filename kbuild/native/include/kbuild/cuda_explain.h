/* What stub units of the CUDA backend know of a failed launch and cudart does not: which
 * architectures the artifact has.  Included by cuda_registration.h only. */
#ifndef KBUILD_CUDA_EXPLAIN_H
#define KBUILD_CUDA_EXPLAIN_H

#include <cuda_runtime_api.h>
#include <kbuild/module_search.h>

/* What a message about architectures has room for. */
#define KBUILD_CUDA_MESSAGE_BYTES 512

static inline int kbuild_is_about_architectures(int code)
{
    return code == (int)cudaErrorNoKernelImageForDevice ||
           code == (int)cudaErrorUnsupportedPtxVersion ||
           code == (int)cudaErrorInvalidDeviceFunction;
}

/* What to say of a failure of the module's kernels; valid until the thread's next call. */
static inline const char *kbuild_explain_for_module(const struct kbuild_module *module, int code)
{
    static __thread char text[KBUILD_CUDA_MESSAGE_BYTES];
    int device = 0, major = 0, minor = 0;
    if (!kbuild_is_about_architectures(code) || cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return cudaGetErrorString((cudaError_t)code);
    snprintf(text, sizeof text, "%s: the device is sm_%d%d, and %s has",
             cudaGetErrorString((cudaError_t)code), major, minor, module->target);
    kbuild_list_architectures(module, text, sizeof text);
    return text;
}

#endif
