/* The C functions of the CUDA runtime API under their own names, for programs that declare them
 * themselves or look for them with a linker. Programs that include CUDA's headers do not need them.
 *
 * The names are hidden, so that they cannot replace those of NVIDIA's runtime in another library. */
#define KBUILD_HOST_API extern __attribute__((visibility("hidden")))
#define KBUILD_PROFILER_API extern __attribute__((visibility("hidden")))
#include <cuda_profiler_api.h>
