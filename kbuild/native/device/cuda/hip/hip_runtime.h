/* HIP's header for device code that is built for NVIDIA devices.  Host code uses HIP's own header. */
#pragma once

#if !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#include <cuda_runtime.h>
#include "../../hip_names.h"
