#include "shared.cuh"

#define JOIN(a, b) a##b
#define EXPORT extern "C" __attribute__((visibility("default")))
#define DEFINE(name, what) EXPORT int JOIN(what, name)()

namespace NAME {
__device__ int ten = 10;
__global__ void external(int* out) { out[0] = ten + VALUE; }  // which the program names
}  // namespace NAME

DEFINE(NAME, run_fill_) { return run(fill<int>); }
DEFINE(NAME, run_count_) { return run(count); }
