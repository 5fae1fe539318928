// Kernels of every kind that has a stub. Device code and host code include this header.
#pragma once
#include <kbuild/kbuild.h>

struct Body {
    float mass;
    int charge;
};

KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void reset(float* to, int n);
KBUILD_KERNEL void fall(Body body, double seconds, float* height);

namespace ns {
KBUILD_KERNEL void scale(float* to, float factor, int n);

template <class T>
KBUILD_KERNEL void add(T* to, T value);
extern template KBUILD_KERNEL void add<int>(int*, int);
}  // namespace ns
