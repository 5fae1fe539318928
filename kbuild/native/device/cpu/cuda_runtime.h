/* For sources that include this CUDA header. */
#pragma once
#include "kbuild_cpu/language.h"
#include "library_types.h"
/* As NVIDIA's.  In other sources, the prelude includes it if a name of the library needs it. */
#if defined(__cplusplus) && !defined(KBUILD_MIXED) && !defined(KBUILD_DEVICE_CODE)
#include <utility>
#endif
