/* Algorithms of CUB for devices. */
#pragma once
#pragma GCC system_header
#include "../../kbuild_cpu/cccl/device/find.h"
