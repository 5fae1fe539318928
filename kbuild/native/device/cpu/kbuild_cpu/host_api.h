/* The host API of the CPU backend: the vendor's runtime API as inline functions over libkbuild_cpu.
 *
 * For host code in C99 and later and in C++11 and later, and for the host code of mixed sources.
 * Every function is `static inline`, so that no object file defines or needs a symbol with a name of
 * the vendor: such a symbol would replace the vendor's own runtime in a process that also loads it.
 * Only cpu/names/cudart.c defines KBUILD_HOST_API to compile functions that are not.
 *
 * The parts leave the prefix of names to macros, because HIP has the same functions with another one. */
#ifndef KBUILD_CPU_HOST_API_H
#define KBUILD_CPU_HOST_API_H

#include <kbuild/cpu_runtime.h>

#include <limits.h>
#include <stddef.h>

#include "host/cuda_version.h"
#include "vector_types.h"
#include "host/error_list.h"
#include "host/properties.h"
#include "host/texture_types.h"

#pragma GCC system_header

/* A name of the vendor, and the start of a function that returns an error code. */
#define KBUILD_VENDOR(name) cuda##name
/* A function that makes a structure. */
#define KBUILD_MAKE(name) make_cuda##name
#if !defined(KBUILD_HOST_API)
#if defined(KBUILD_CHECKED_HOST_API)
/* Findings name the line of the call, which line tables know only of functions that are not inlined. */
#define KBUILD_HOST_API __attribute__((noinline)) static inline
#else
#define KBUILD_HOST_API static inline
#endif
#endif
#define KBUILD_API(name) KBUILD_HOST_API cudaError_t cuda##name

/* An enumerator of the list of errors.  The name is pasted at once, because programs define macros
 * such as `Success`. */
#define KBUILD_ERROR(name, number, text) cuda##name = number,

/* Calls the runtime, and returns the vendor's error code. */
#define KBUILD_CALL(call) return KBUILD_STATIC_CAST(cudaError_t, call)

#if defined(__cplusplus)
#define KBUILD_STATIC_CAST(type, value) static_cast<type>(value)
#define KBUILD_CONST_CAST(type, value) const_cast<type>(value)
#define KBUILD_REINTERPRET_CAST(type, value) reinterpret_cast<type>(value)
#define KBUILD_DEFAULT(value) = value
#else
#define KBUILD_STATIC_CAST(type, value) ((type)(value))
#define KBUILD_CONST_CAST(type, value) ((type)(value))
#define KBUILD_REINTERPRET_CAST(type, value) ((type)(value))
#define KBUILD_DEFAULT(value)
#endif

/* The stream that a program means: with `--default-stream per-thread`, null is the default stream of
 * the calling thread. */
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define KBUILD_STREAM(stream) ((stream) == NULL ? (void *)2 : (void *)(stream))
#else
#define KBUILD_STREAM(stream) (stream)
#endif

/* Lists of handles. */
#define KBUILD_LIST(list) KBUILD_REINTERPRET_CAST(void *const *, list)
#define KBUILD_RESULTS(list) KBUILD_REINTERPRET_CAST(void **, list)

#define CUDART_CB
#define CUDARTAPI

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)
/* Of the running kernel, in device code. */
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#define cudaCpuDeviceId ((int)-1)
#define cudaInvalidDeviceId ((int)-2)

#define cudaStreamAttrID cudaLaunchAttributeID
#define cudaStreamAttrValue cudaLaunchAttributeValue
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttrID cudaLaunchAttributeID
#define cudaKernelNodeAttrValue cudaLaunchAttributeValue
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributeClusterDimension cudaLaunchAttributeClusterDimension
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority

#include "host/types.h"
#include "host/launch_types.h"
#include "host/pool_types.h"
#include "host/errors.h"
#include "host/memory.h"
#include "host/transfers.h"
#include "host/streams.h"
#include "host/devices.h"
#include "host/versions/removed.h"
#include "host/kernels.h"
#include "host/symbols.h"
#if defined(__cplusplus)
#include "host/templates.h"
#endif
#if !defined(KBUILD_WITHOUT_API)
#include "host/arrays.h"
#include "host/textures.h"
#include "host/pools.h"
#include "host/graphs/types.h"
#include "host/graphs/captures.h"
#include "host/graphs/graphs.h"
#include "host/graphs/nodes.h"
#include "host/graphs/kernel_nodes.h"
#include "host/graphs/transfer_nodes.h"
#include "host/graphs/row_nodes.h"
#include "host/graphs/memory_nodes.h"
#include "host/graphs/any_nodes.h"
#include "host/graphs/user_objects.h"
#if defined(__cplusplus)
#include "host/channels.h"
#if KBUILD_CUDA_VERSION < 13
#include "host/graphs/older.h"
#endif
#if KBUILD_CUDA_VERSION < 12 && defined(KBUILD_MIXED)
#include "host/texture_references.h"
#endif
#endif
#include "host/images/libraries.h"
#include "host/unsupported_types.h"
#include "host/unsupported_api.h"
#endif

#if KBUILD_CUDA_VERSION < 12 && defined(KBUILD_MIXED) && !defined(KBUILD_WITHOUT_TEXTURES)
#include "textures/references.h"
#endif

#if defined(__cplusplus) && KBUILD_CUDA_VERSION < 13
#include "host/versions/older.h"
#endif

#undef KBUILD_PLACE
#undef KBUILD_NEW_NODE
#undef KBUILD_DEFAULT
#undef KBUILD_RESULTS
#undef KBUILD_LIST
#undef KBUILD_STREAM
#undef KBUILD_REINTERPRET_CAST
#undef KBUILD_CONST_CAST
#undef KBUILD_STATIC_CAST
#undef KBUILD_CALL
#undef KBUILD_ERROR
#undef KBUILD_API
#undef KBUILD_HOST_API
#undef KBUILD_MAKE
#undef KBUILD_VENDOR

/* Programs and NVIDIA's helper headers check these macros to find out which API they have. */
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__

#endif
