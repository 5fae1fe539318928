// The kernels in each spelling: as in kernels.cu, and as in the files of spellings/.
#pragma once

#include <vector>

struct Spelling {
    const char* name;
    void (*nothing)();
    void (*saxpy)(int n, float a, const float* x, float* y);
    void (*matmul_naive)(int n, const float* a, const float* b, float* c);
    void (*matmul_tiled)(int n, const float* a, const float* b, float* c);
    void (*matmul_large_tile)(int n, const float* a, const float* b, float* c);
    void (*block_sums)(int n, const float* values, float* sums);
    void (*guarded_sums)(int n, const float* values, float* sums);
    void (*warp_sums)(int n, const float* values, float* sums);
    void (*block_scan)(int n, const float* values, float* scanned);
    void (*stencil)(int n, const float* values, float* result);
    void (*histogram)(int n, const unsigned char* values, int* counts);
    void (*transpose)(int n, const float* matrix, float* result);
    void (*softmax)(int n, const float* values, float* result);
    void (*nbody)(int n, const float* places, float* potentials);
    void (*bitonic_sort)(int n, const float* values, float* sorted);
    void (*jacobi)(int n, const float* grid, float* result);
};

// The first one is that of kernels.cu. The others need HAS_SPELLINGS.
const std::vector<Spelling>& list_spellings();
