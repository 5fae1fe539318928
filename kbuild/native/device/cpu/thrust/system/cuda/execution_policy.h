/* The policies of Thrust's CUDA system. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/detail/execution_policy.h>
/* get_stream() and what else algorithms of programs call. */
#include <thrust/system/cuda/detail/util.h>
