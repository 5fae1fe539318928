/* The prelude of mixed sources of the HIP backend, which contain kernels, host code, and launches.
 *
 * The backend includes this header when it preprocesses a source for the host pass.  The qualifiers
 * become words that survive preprocessing, so that kbuild finds what the user marked. */
#ifndef KBUILD_HIP_MIXED_H
#define KBUILD_HIP_MIXED_H

#pragma GCC system_header

#include <hip/hip_runtime.h>
#include <kbuild/chevron.hpp>

#undef __global__
#undef __device__
#undef __constant__
#undef __managed__
#undef __host__
#undef __launch_bounds__

#define __global__ __kbuild_global__
#define __device__ __kbuild_device__
#define __constant__ __kbuild_constant__
#define __managed__ __kbuild_managed__
#define __host__ __kbuild_host__
/* In the host text, kernels are ordinary functions. */
#define __launch_bounds__(...)

#endif
