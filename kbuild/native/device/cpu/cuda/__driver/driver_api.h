/* CCCL's header, which opens NVIDIA's driver to find cuGetProcAddress.  Here, the driver API is in cuda.h.  What
 * CCCL calls only for objects that the CPU does not have is not found when it is called. */
#pragma once
#pragma GCC system_header
#include "../../kbuild_cpu/language.h"
#include <dlfcn.h>
#include <cuda.h>
#if !defined(KBUILD_EDITOR_H) || defined(KBUILD_CPU_DRIVER_DRIVER_H)
inline void *kbuild_cpu_find_driver() { return reinterpret_cast<void *>(&cuGetProcAddress); }
CUresult kbuild_cpu_absent_function(...);
#define dlopen(name, flags) kbuild_cpu_find_driver()
#define dlsym(library, name) kbuild_cpu_find_driver()
#define cuCtxFromGreenCtx kbuild_cpu_absent_function
#define cuGreenCtxCreate kbuild_cpu_absent_function
#define cuGreenCtxDestroy kbuild_cpu_absent_function
#define cuGreenCtxGetId kbuild_cpu_absent_function
#define cuTensorMapEncodeTiled kbuild_cpu_absent_function
#include_next <cuda/__driver/driver_api.h>
#undef cuTensorMapEncodeTiled
#undef cuGreenCtxGetId
#undef cuGreenCtxDestroy
#undef cuGreenCtxCreate
#undef cuCtxFromGreenCtx
#undef dlsym
#undef dlopen
#else
#include_next <cuda/__driver/driver_api.h>
#endif
