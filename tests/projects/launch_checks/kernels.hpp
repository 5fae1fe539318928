#pragma once
#include <kbuild/kbuild.hpp>

struct Pair {
    int first;
    float second;
};

enum class Mode : short { plain = 3 };

namespace ns {
KBUILD_KERNEL void set(int n, float value, Pair pair, Mode mode, bool flag, unsigned char byte, float* out);
KBUILD_KERNEL void bounded(const int* in);
}
