/* What CUDA's headers declare in the kind of source that includes them: the device language in
 * kernel sources, the host API in host code, and both in mixed sources. */
#ifndef KBUILD_CPU_LANGUAGE_H
#define KBUILD_CPU_LANGUAGE_H

#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../kbuild_cpu_device.h"
#endif
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
#include "host_api.h"
#endif

#endif
