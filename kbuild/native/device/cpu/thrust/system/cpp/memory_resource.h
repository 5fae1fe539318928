/* Thrust's header, with device memory of the host API. */
#pragma once
#pragma GCC system_header
#include "../../../kbuild_cpu/cccl/device_resource.h"
#include <thrust/system/cpp/pointer.h>
#define new_delete_resource kbuild_device_resource
#include_next <thrust/system/cpp/memory_resource.h>
#undef new_delete_resource
