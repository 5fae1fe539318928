#pragma once
#include <hip/hip_runtime_api.h>

using Stream = hipStream_t;

// Launches with `<<<>>>`, compiled by clang.
void launch_by_chevrons(int n, float a, const float* x, float* y, hipStream_t stream);

// Launches with `<<<>>>`, compiled by kbuild.
void launch_by_kbuild_chevrons(int n, float a, const float* x, float* y, hipStream_t stream);
