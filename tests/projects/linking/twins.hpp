// Pairs of kernels with equal code, which a linker could fold.
#pragma once
#include <kbuild/kbuild.h>

KBUILD_KERNEL void first(int* to, int value);
KBUILD_KERNEL void second(int* to, int value);

namespace twins {
template <class T>
KBUILD_KERNEL void add(T* to, T value);
extern template KBUILD_KERNEL void add<int>(int*, int);
extern template KBUILD_KERNEL void add<unsigned>(unsigned*, unsigned);
}  // namespace twins
