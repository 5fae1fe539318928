/* For sources that include this CUDA header.  The backend includes it in kernel sources that launch
 * kernels.  In mixed sources, the prelude has the same content. */
#pragma once
#include "kbuild_cpu/language.h"
#if defined(KBUILD_DEVICE_CODE)
#include "kbuild_cpu/host_api.h"
#include <kbuild/chevron.hpp>
#endif
