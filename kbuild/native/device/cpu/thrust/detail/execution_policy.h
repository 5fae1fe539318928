/* Thrust's CUDA system also includes these headers, and sources rely on it. */
#pragma once
#pragma GCC system_header
#include_next <thrust/detail/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/tuple.h>
