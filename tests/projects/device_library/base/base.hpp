#pragma once

constexpr int steps = 4;

int count_in_base(int times);
void set_table(const int (&values)[steps]);

#if defined(__CUDACC__) || defined(__HIPCC__)
extern __device__ int counter;
extern __constant__ int table[steps];
__device__ int look_up(int index);
#endif
