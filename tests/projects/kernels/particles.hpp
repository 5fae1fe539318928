#pragma once
#include <kbuild/kbuild.hpp>

namespace physics {

struct Step {
    float seconds;
    double drag;
    int substeps;
    float gravity[3];
};

inline namespace v1 {
KBUILD_KERNEL void advance(int n, Step step, float* positions, float* velocities);
}

} // namespace physics
