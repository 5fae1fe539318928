/* For sources that include this HIP header. */
#pragma once
#include "../kbuild_cpu_device.h"
#include "../../hip_names.h"
