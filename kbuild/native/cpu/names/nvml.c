/* The functions of NVML under their own names; see cudart.c. */
#define KBUILD_NVML_API extern __attribute__((visibility("hidden")))
#include <nvml.h>
