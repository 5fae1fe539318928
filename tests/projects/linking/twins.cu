#include "twins.hpp"

__global__ void first(int* to, int value) { to[threadIdx.x] = value; }
__global__ void second(int* to, int value) { to[threadIdx.x] = value; }

namespace twins {
template <class T>
__global__ void add(T* to, T value) {
    to[threadIdx.x] += value;
}
template __global__ void add<int>(int*, int);
template __global__ void add<unsigned>(unsigned*, unsigned);
}  // namespace twins
