/* For sources that include this HIP header. */
#pragma once
#include "../kbuild_cpu/language.h"
#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../kbuild_cpu/hip_warp.h"
#include "../../hip_names.h"
#endif
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
#include "../../hip_host_names.h"
#endif
