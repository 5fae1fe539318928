#pragma once
#include <kbuild/kbuild.hpp>

// Computes y = a * x + y, with one thread per element.
KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
