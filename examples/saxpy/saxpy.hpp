#pragma once
#include <kbuild/kbuild.hpp>

// y = a * x + y, one thread an element.
KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
