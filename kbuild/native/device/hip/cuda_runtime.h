/* For sources that include CUDA's headers by name: device code is the same in HIP's. */
#pragma once
#include <hip/hip_runtime.h>
