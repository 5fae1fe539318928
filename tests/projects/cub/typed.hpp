#pragma once
#include <cub/util_type.cuh>
#include <kbuild/kernel.h>
#include <thrust/device_ptr.h>

KBUILD_KERNEL void largest(cub::KeyValuePair<int, float> floor, int begin, int end,
                           thrust::device_ptr<const float> in, cub::KeyValuePair<int, float>* out);
