/* Thrust's header, with the policies of its CUDA system. */
#pragma once
#pragma GCC system_header
#include_next <thrust/execution_policy.h>
#include "../kbuild_cpu/cccl/cuda_policies.h"
