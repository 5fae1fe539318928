#pragma once
#include <kbuild/kbuild.hpp>

namespace vectors {
struct Range {
    int first, last;
};
KBUILD_KERNEL void negate(Range range, double* values);
} // namespace vectors
