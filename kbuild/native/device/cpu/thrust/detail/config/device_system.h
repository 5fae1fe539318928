/* Thrust's header.  Algorithms of the CUDA system are those of the C++ system here: its policies derive from
 * those of that system; see system/cuda/detail/execution_policy.h. */
#pragma once
#pragma GCC system_header
#include_next <thrust/detail/config/device_system.h>
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_CUDA
#undef __THRUST_DEVICE_SYSTEM_ROOT
/* It is a path, and no expression. */
/* clang-format off */
#define __THRUST_DEVICE_SYSTEM_ROOT thrust/system/cpp
/* clang-format on */
#endif
