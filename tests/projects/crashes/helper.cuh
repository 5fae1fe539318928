#pragma once
// Device code of a header, which compilers inline.
__device__ inline void store(int* p, long index) {
    p[index] = 1;  // line of store
}
