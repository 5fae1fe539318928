/* Of CCCL 3.0. */
#pragma once
#pragma GCC system_header
#include <thrust/system/cuda/execution_policy.h>
