// A template that several sources have the same instance of.
#pragma once
#include "kernels.hpp"

template <class T>
__global__ void copy(const T* from, T* to, unsigned char count)
{
    if (threadIdx.x < count) to[threadIdx.x] = from[threadIdx.x];
}
