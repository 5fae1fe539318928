// Kernels with every kind of name. Host code and device code include this header.
#pragma once
#include "step.hpp"

#ifdef __CUDACC__
#define KBUILD_KERNEL __global__
#else
#include <kbuild/kbuild.hpp>
#endif

namespace ns {
KBUILD_KERNEL void walk(float* p, Step step, int n);
template <class T>
KBUILD_KERNEL void add(T* to, T value);
extern template KBUILD_KERNEL void add<int>(int*, int);
extern template KBUILD_KERNEL void add<double>(double*, double);
}  // namespace ns
KBUILD_KERNEL void fill(int* p);
