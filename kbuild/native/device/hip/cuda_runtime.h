/* For sources that include CUDA's headers: HIP's header declares the same device language. */
#pragma once
#if defined(KBUILD_BACKEND_CPU) || defined(KBUILD_BACKEND_CUDA)
#error \
    "libraries for several backends are linked: set the property KBUILD_BACKEND of this CMake target to the backend whose host API it calls"
#endif
#include <hip/hip_runtime.h>
#include "cuda_host_names.h"

/* Programs and NVIDIA's helper headers check these macros to find out which API they have. */
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
/* HIP's API has about what this version of CUDA has. */
#define CUDART_VERSION 11000
#define CUDART_CB
/* Only an optimization. */
#define __grid_constant__
