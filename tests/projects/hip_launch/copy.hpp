// A template. Several sources contain the same instance of it.
#pragma once
#include "kernels.hpp"

template <class T>
__global__ void copy(const T* from, T* to, unsigned char count)
{
    if (threadIdx.x < count) to[threadIdx.x] = from[threadIdx.x];
}
