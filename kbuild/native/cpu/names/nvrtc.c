/* The functions of NVRTC under their own names; see cudart.c. */
#define KBUILD_RTC_API extern __attribute__((visibility("hidden")))
#include <nvrtc.h>
