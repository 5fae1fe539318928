/* The part of CUDA's driver API for which HIP has functions with the same parameters.  A `CUdeviceptr` is
 * a pointer here.  Other names are not declared, so that compilers report them. */
#pragma once
#include "cuda_runtime.h"

#define __cuda_cuda_h__
#define CUDA_VERSION CUDART_VERSION

#define CU_EVENT_DEFAULT hipEventDefault
#define CU_EVENT_DISABLE_TIMING hipEventDisableTiming
#define CU_STREAM_DEFAULT hipStreamDefault
#define CU_STREAM_NON_BLOCKING hipStreamNonBlocking
#define CUcontext hipCtx_t
#define cuCtxCreate hipCtxCreate
#define cuCtxDestroy hipCtxDestroy
#define cuCtxGetCurrent hipCtxGetCurrent
#define cuCtxGetDevice hipCtxGetDevice
#define cuCtxPopCurrent hipCtxPopCurrent
#define cuCtxPushCurrent hipCtxPushCurrent
#define cuCtxSetCurrent hipCtxSetCurrent
#define cuCtxSynchronize hipCtxSynchronize
#define CUDA_SUCCESS hipSuccess
#define CUdevice hipDevice_t
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGetName hipDeviceGetName
#define cuDevicePrimaryCtxRelease hipDevicePrimaryCtxRelease
#define cuDevicePrimaryCtxRetain hipDevicePrimaryCtxRetain
#define CUdeviceptr hipDeviceptr_t
#define cuDeviceTotalMem hipDeviceTotalMem
#define cuDriverGetVersion hipDriverGetVersion
#define CUevent hipEvent_t
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy hipEventDestroy
#define cuEventElapsedTime hipEventElapsedTime
#define cuEventRecord hipEventRecord
#define cuEventSynchronize hipEventSynchronize
#define CUfunction hipFunction_t
#define cuInit hipInit
#define cuLaunchKernel hipModuleLaunchKernel
#define cuMemAlloc hipMalloc
#define cuMemcpyDtoD hipMemcpyDtoD
#define cuMemcpyDtoH hipMemcpyDtoH
#define cuMemcpyDtoHAsync hipMemcpyDtoHAsync
#define cuMemcpyHtoD hipMemcpyHtoD
#define cuMemcpyHtoDAsync hipMemcpyHtoDAsync
#define cuMemFree hipFree
#define cuMemGetInfo hipMemGetInfo
#define CUmodule hipModule_t
#define cuModuleGetFunction hipModuleGetFunction
#define cuModuleGetGlobal hipModuleGetGlobal
#define cuModuleLoad hipModuleLoad
#define cuModuleLoadData hipModuleLoadData
#define cuModuleUnload hipModuleUnload
#define CUresult hipError_t
#define CUstream hipStream_t
#define cuStreamCreate hipStreamCreateWithFlags
#define cuStreamDestroy hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
