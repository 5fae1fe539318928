#include "particles.hpp"

namespace physics {
inline namespace v1 {

// Three floats per particle. This kernel uses float4 and dim3.
KBUILD_KERNEL void advance(int n, Step step, float* positions, float* velocities)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 v = make_float4(velocities[3 * i], velocities[3 * i + 1], velocities[3 * i + 2], 0);
    for (int s = 0; s < step.substeps; s++) {
        const float damping = static_cast<float>(1 - step.drag * step.seconds);
        v.x = v.x * damping + step.gravity[0] * step.seconds;
        v.y = v.y * damping + step.gravity[1] * step.seconds;
        v.z = v.z * damping + step.gravity[2] * step.seconds;
        positions[3 * i] += v.x * step.seconds;
        positions[3 * i + 1] += v.y * step.seconds;
        positions[3 * i + 2] += v.z * step.seconds;
    }
    velocities[3 * i] = v.x;
    velocities[3 * i + 1] = v.y;
    velocities[3 * i + 2] = v.z;
}

} // namespace v1
} // namespace physics
