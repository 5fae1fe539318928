/* For sources that include this HIP header. */
#pragma once
#include "../kbuild_cpu/language.h"

/* What HIP's header includes, too. */
#include <assert.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#if defined(__cplusplus)
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#endif

#if defined(KBUILD_MIXED) || defined(KBUILD_DEVICE_CODE)
#include "../kbuild_cpu/hip_warp.h"
#include "../../hip_names.h"
#endif
#if defined(KBUILD_MIXED) || !defined(KBUILD_DEVICE_CODE)
#if defined(__cplusplus)
#include "../kbuild_cpu/host/versions/older.h"
#endif
#include "../../hip_host_names.h"
#endif
