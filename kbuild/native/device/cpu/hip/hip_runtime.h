/* For sources that include this HIP header. */
#pragma once
#include "../kbuild_cpu_device.h"
#include "../kbuild_cpu/hip_warp.h"
#include "../../hip_names.h"
#if defined(KBUILD_MIXED)
#include "../cuda_runtime.h"
#include "../../hip_host_names.h"
#endif
