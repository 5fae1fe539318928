// A second translation unit that includes the header and declares the same kernel.
#include <kbuild/kbuild.hpp>

extern "C" KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);

int launch_from_other_unit(float* y) { return kbuild::launch(saxpy, {1, 1}, 1, 1.0f, y, y).code(); }
