/* For sources that include CUDA's headers: HIP's header declares the same device language. */
#pragma once
#include <hip/hip_runtime.h>
#include "cuda_host_names.h"
