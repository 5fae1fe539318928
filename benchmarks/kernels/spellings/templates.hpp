// The kernels of templates.cu, in a header that the host shares.
#pragma once

#include "../sizes.hpp"

#include <kbuild/kbuild.hpp>

namespace templates {

KBUILD_KERNEL void nothing();

template <class T>
KBUILD_KERNEL void saxpy(int n, T a, const T* x, T* y);

template <class T>
KBUILD_KERNEL void matmul_naive(int n, const T* a, const T* b, T* c);

template <class T, int tile>
KBUILD_KERNEL void matmul(int n, const T* a, const T* b, T* c);

template <class T, int block>
KBUILD_KERNEL void block_sums(int n, const T* values, T* sums);

template <class T, int block>
KBUILD_KERNEL void guarded_sums(int n, const T* values, T* sums);

template <class T, int block>
KBUILD_KERNEL void warp_sums(int n, const T* values, T* sums);

template <class T, int block>
KBUILD_KERNEL void block_scan(int n, const T* values, T* scanned);

template <class T, int block, int radius>
KBUILD_KERNEL void stencil(int n, const T* values, T* result);

template <class T, int block, int bins>
KBUILD_KERNEL void histogram(int n, const T* values, int* counts);

template <class T, int tile>
KBUILD_KERNEL void transpose(int n, const T* matrix, T* result);

template <class T, int block, int columns>
KBUILD_KERNEL void softmax(int n, const T* values, T* result);

template <class T, int block>
KBUILD_KERNEL void nbody(int n, const T* places, T* potentials);

template <class T, int block>
KBUILD_KERNEL void bitonic_sort(int n, const T* values, T* sorted);

template <class T, int tile>
KBUILD_KERNEL void jacobi(int n, const T* grid, T* result);

#define INSTANCES(PREFIX)                                                                          \
    PREFIX void saxpy<float>(int, float, const float*, float*);                                    \
    PREFIX void matmul_naive<float>(int, const float*, const float*, float*);                      \
    PREFIX void matmul<float, TILE>(int, const float*, const float*, float*);                      \
    PREFIX void matmul<float, LARGE_TILE>(int, const float*, const float*, float*);                \
    PREFIX void block_sums<float, BLOCK_SIZE>(int, const float*, float*);                          \
    PREFIX void guarded_sums<float, BLOCK_SIZE>(int, const float*, float*);                        \
    PREFIX void warp_sums<float, BLOCK_SIZE>(int, const float*, float*);                           \
    PREFIX void block_scan<float, BLOCK_SIZE>(int, const float*, float*);                          \
    PREFIX void stencil<float, BLOCK_SIZE, RADIUS>(int, const float*, float*);                     \
    PREFIX void histogram<unsigned char, BLOCK_SIZE, BINS>(int, const unsigned char*, int*);       \
    PREFIX void transpose<float, TILE>(int, const float*, float*);                                 \
    PREFIX void softmax<float, BLOCK_SIZE, COLUMNS>(int, const float*, float*);                    \
    PREFIX void nbody<float, BLOCK_SIZE>(int, const float*, float*);                               \
    PREFIX void bitonic_sort<float, BLOCK_SIZE>(int, const float*, float*);                        \
    PREFIX void jacobi<float, TILE>(int, const float*, float*);

#if !defined(KBUILD_DEVICE_CODE)
INSTANCES(extern template)
#endif

} // namespace templates
