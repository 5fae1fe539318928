/* Thrust's header. It is also that of the CUDA system; see thrust/detail/config/device_system.h. */
#pragma once
#pragma GCC system_header
#include_next <thrust/system/cpp/memory.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#include <thrust/system/cuda/memory.h>
#endif
