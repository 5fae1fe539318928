/* The functions of nvJitLink under their own names; see cudart.c. */
#define KBUILD_JIT_LINK_API extern __attribute__((visibility("hidden")))
#include <nvJitLink.h>
