#pragma once
#include <kbuild/kbuild.hpp>

template <class T>
KBUILD_KERNEL void scale(int n, T factor, T* values);

extern template void scale<float>(int, float, float*);
extern template void scale<double>(int, double, double*);
extern template void scale<int>(int, int, int*);

// Two overloads of one name.
KBUILD_KERNEL void fill(int n, float value, float* values);
KBUILD_KERNEL void fill(int n, int value, int* values);
