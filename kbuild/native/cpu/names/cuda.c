/* The functions of the CUDA driver API under their own names, for programs that declare them themselves
 * or look for them with a linker. Programs that include CUDA's headers do not need them.
 *
 * The names are hidden, so that they cannot replace those of NVIDIA's driver in another library. */
#define KBUILD_DRIVER_API extern __attribute__((visibility("hidden")))
#include <cuda.h>
