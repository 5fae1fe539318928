#pragma once
#include <kbuild/kbuild.hpp>

struct Pair {
    int first;
    float second;
};

struct Span {
    int size;
    float* data;
    float* elsewhere;
};

namespace ns {
KBUILD_KERNEL void mix(int n, double scale, Pair pair, bool flag, const float* x, float* y,
                       const float* middle, const float* nothing);
KBUILD_KERNEL void fill(Span span, float value);
KBUILD_KERNEL void break_down(int* nowhere);
template <class T>
KBUILD_KERNEL void add(T* out, T value);
}

extern template KBUILD_KERNEL void ns::add<float>(float* out, float value);
