// Kernels that several sources include.
#pragma once

template <class T>
__global__ void fill(T* out, int n, T value = T(7)) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}

namespace shapes {

struct Point {
    int x, y;
};

// Found by argument-dependent lookup only.
template <class T>
__global__ void shift(T* out, Point by) {
    out[0] = out[0] + by.x * 10 + by.y;
}

}  // namespace shapes

static __global__ void write_origin(int* out) { out[0] = ORIGIN; }

// No kernel has this name.  Nothing instantiates the function, so that compilers do not look for it.
template <class T>
void launch_unknown(T* out) {
    unknown_kernel<<<1, sizeof(T)>>>(out, 0);
}
