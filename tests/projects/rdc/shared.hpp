#pragma once
struct Scale {
    int factor;
    __device__ int operator()(int value) const { return factor * value; }
};

template <class F>
__global__ void apply(F f, int* values)
{
    values[threadIdx.x] = f(values[threadIdx.x]);
}
