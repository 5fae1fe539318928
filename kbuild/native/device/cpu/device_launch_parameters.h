/* For sources that include CUDA's header by name. */
#pragma once
#include "kbuild_cpu_device.h"
