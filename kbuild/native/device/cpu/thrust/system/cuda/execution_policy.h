/* The policies of Thrust's CUDA system, which does not exist here. */
#pragma once
#pragma GCC system_header
#include <thrust/execution_policy.h>
