#define VALUE 3
#include "shared.cuh"

__device__ int exported = 30;

__global__ void external(int* out) { out[0] = exported + 3; }

int run_archive() { return run(fill<int>) * 10000 + run(count); }
