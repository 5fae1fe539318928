/* HIP's header for sources that are built for NVIDIA devices.  Other host code uses HIP's own header. */
#pragma once

#if !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#include <cuda_runtime.h>
#include "../../hip_names.h"
#include "../../hip_host_names.h"
