// The kernels, for device code and for hosts that use kbuild::launch.
#pragma once
#include <kbuild/kernel.h>

struct Step {
    char tag;
    double time;
    short count;
    int path[3];
};

namespace ns {
KBUILD_KERNEL void scale(float* p, float a, int n);
}
KBUILD_KERNEL void over(int* out, int value);
KBUILD_KERNEL void over(int* out, double value);
KBUILD_KERNEL void advance(char first, Step step, double* out);
KBUILD_KERNEL void nothing();
template <class T>
KBUILD_KERNEL void copy(const T* from, T* to, unsigned char count);
