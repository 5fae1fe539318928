/* kbuild's host API in C: launches kernels and manages device memory.
 *
 *     kbuild_launch_config config = {.grid = {4, 1, 1}, .block = {256, 1, 1}};
 *     void *args[] = {&n, &a, &x, &y};
 *     kbuild_error_t error = kbuild_launch(saxpy, &config, args);
 *
 * Functions return 0 or an error code that kbuild_error_message explains.  In device code, this
 * header only defines KBUILD_KERNEL. */
#ifndef KBUILD_KBUILD_H
#define KBUILD_KBUILD_H

#include <kbuild/kernel.h>

#if !defined(KBUILD_DEVICE_CODE)

#include <kbuild/module.h>

typedef struct kbuild_dim3 kbuild_dim3;
typedef struct kbuild_launch_config kbuild_launch_config;

/* The generated header of a kernel target includes its backend's host API before this header.
 * Without it, the usage requirements of the target define the backend. */
#if defined(KBUILD_HOST_BACKEND)
#elif (defined(KBUILD_BACKEND_CPU) + defined(KBUILD_BACKEND_CUDA) + defined(KBUILD_BACKEND_HIP)) > 1
#error \
    "libraries for several backends are linked: include <target>_kernels.hpp or <target>_kernels.h before kbuild's headers to select the backend of this file, or set the property KBUILD_BACKEND of this CMake target"
#elif defined(KBUILD_BACKEND_CUDA)
#include <kbuild/host_cuda.h>
#elif defined(KBUILD_BACKEND_HIP)
#include <kbuild/host_hip.h>
#else
#include <kbuild/host_cpu.h>
#endif

#if !defined(__cplusplus)
/* Kernels are declared as functions, which strict C does not convert to `const void *`. */
#define kbuild_launch(kernel, ...) (kbuild_launch)(__extension__(const void *)(kernel), __VA_ARGS__)
#endif

#endif
#endif
