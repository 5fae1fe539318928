// One kernel and one variable of each kind, for hipcc and kbuild to compile.
#include "layout.hpp"

namespace ns {
__global__ void scale(float* p, float a, int n) { p[n] = a; }
} // namespace ns

template <class T>
__global__ void copy(const T* from, T* to) { *to = *from; }
template __global__ void copy(const float*, float*);

__attribute__((used)) static __global__ void own(int* out) { *out = 1; }
__global__ void over(int* out, int value) { *out = value; }
__global__ void over(int* out, double value) { *out = static_cast<int>(value); }
__global__ void move(Pair from, Pair* to) { *to = from; }
extern "C" __global__ void plain() {}

__device__ float weights[4];
__constant__ int factor = 2;
__managed__ int calls = 3;
