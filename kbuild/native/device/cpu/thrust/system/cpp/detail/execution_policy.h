/* Thrust's header. It is also that of the CUDA system; see thrust/detail/config/device_system.h. */
#pragma once
#pragma GCC system_header
#include_next <thrust/system/cpp/detail/execution_policy.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <thrust/system/cuda/detail/execution_policy.h>
#endif
