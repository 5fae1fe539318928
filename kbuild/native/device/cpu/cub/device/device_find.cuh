#include "../../kbuild_cpu/cccl/device_algorithms.h"
