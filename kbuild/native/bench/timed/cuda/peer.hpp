#pragma once
#include <cuda_runtime_api.h>

using Stream = cudaStream_t;

// Launches with `<<<>>>`, compiled by nvcc.
void launch_by_chevrons(int n, float a, const float* x, float* y, cudaStream_t stream);
const void* peer_kernel();

// Launches with `<<<>>>`, compiled by kbuild.
void launch_by_kbuild_chevrons(int n, float a, const float* x, float* y, cudaStream_t stream);
