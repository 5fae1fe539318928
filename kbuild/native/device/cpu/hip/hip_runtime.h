/* For sources that include HIP's header by name. */
#pragma once
#include "../kbuild_cpu_device.h"
#include "../../hip_names.h"
