/* What CUDA's headers declare in the kind of source that includes them: the device language in
 * kernel sources, the host API in host code, and both in mixed sources. */
#ifndef KBUILD_CPU_LANGUAGE_H
#define KBUILD_CPU_LANGUAGE_H

#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../kbuild_cpu_device.h"
#else
#include "host/qualifiers.h"
#endif
#if defined(KBUILD_BACKEND_CUDA) || defined(KBUILD_BACKEND_HIP)
#error \
    "libraries for several backends are linked: set the property KBUILD_BACKEND of this CMake target to the backend whose host API it calls"
#endif
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
#include "host_api.h"
#endif

#endif
