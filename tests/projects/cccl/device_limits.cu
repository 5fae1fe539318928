// CUB's algorithms for devices without elements, with classes, in graphs, and with a storage that is too small.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_histogram.cuh>
#include <cuda_fp16.h>
#include <cstdio>
struct P { float x; int i; __host__ __device__ P(float a, int b) : x(a), i(b) {} P() = default; };
struct MinP { __device__ P operator()(const P& a, const P& b) const { return a.x < b.x ? a : b; } };
struct LessP { __device__ bool operator()(const P& a, const P& b) const { return a.x < b.x; } };
struct Odd { int* base; __device__ bool operator()(int x) const { __threadfence(); return x & 1; } };
#define RUN(f, ...) { void* t = nullptr; size_t s = 0; cudaError_t e = f(t, s, __VA_ARGS__); cudaMalloc(&t, s); e = e ? e : f(t, s, __VA_ARGS__); cudaError_t w = cudaDeviceSynchronize(); if (e || w) std::printf("%s: %d %d\n", #f, e, w); cudaFree(t); }
int bad = 0;
#define CHECK(c) if (!(c)) { std::printf("line %d: %s\n", __LINE__, #c); ++bad; }
int main() {
  int *a, *b, *c; cudaMallocManaged(&a, 4000000); cudaMallocManaged(&b, 4000000); cudaMallocManaged(&c, 4000000);
  for (int i = 0; i < 1000000; ++i) a[i] = i % 10;
  b[0] = 77; RUN(cub::DeviceReduce::Sum, a, b, 0) CHECK(b[0] == 0)
  RUN(cub::DeviceScan::ExclusiveSum, a, b, 0) RUN(cub::DeviceScan::InclusiveSum, a, b, 1) CHECK(b[0] == 0)
  c[0] = 9; RUN(cub::DeviceSelect::If, a, b, c, 0, Odd{a}) CHECK(c[0] == 0)
  RUN(cub::DeviceSelect::If, a, b, c, 1000000, Odd{a}) CHECK(c[0] == 500000)
  RUN(cub::DeviceRadixSort::SortKeys, a, b, 0) RUN(cub::DeviceRadixSort::SortKeys, a, b, 1) CHECK(b[0] == 0)
  RUN(cub::DeviceRadixSort::SortKeys, a, b, 100, 3, 3) CHECK(b[17] == 7)
  RUN(cub::DeviceRadixSort::SortKeysDescending, a, b, 1000000) CHECK(b[0] == 9 && b[999999] == 0)
  P* p; cudaMallocManaged(&p, 8000); P* q; cudaMallocManaged(&q, 80); for (int i = 0; i < 1000; ++i) p[i] = P((i * 37) % 1000, i);
  RUN(cub::DeviceReduce::Reduce, p, q, 1000, MinP{}, P(1e9f, -1)) CHECK(q->i == 0)
  RUN(cub::DeviceMergeSort::SortKeys, p, 1000, LessP{}) CHECK(p[500].x == 500)
  __half *h, *g; cudaMallocManaged(&h, 200); cudaMallocManaged(&g, 200); for (int i = 0; i < 100; ++i) h[i] = __float2half(i % 7 - 3.5f);
  RUN(cub::DeviceRadixSort::SortKeys, h, g, 100) CHECK(__half2float(g[0]) == -3.5f && __half2float(g[99]) == 2.5f)
  float* f = (float*)c; for (int i = 0; i < 1000; ++i) f[i] = i / 1000.f; RUN(cub::DeviceHistogram::HistogramEven, f, b, 11, 0.f, 1.f, 1000) CHECK(b[0] + b[1] + b[2] + b[3] + b[4] + b[5] + b[6] + b[7] + b[8] + b[9] == 1000)
  // a small storage is an error
  void* t = nullptr; size_t s = 0; cub::DeviceReduce::Sum(t, s, a, b, 1000000); cudaMalloc(&t, s); size_t less = s - 1; CHECK(cub::DeviceReduce::Sum(t, less, a, b, 1000000) == cudaErrorInvalidValue)
  // in a graph
  cudaStream_t st; cudaStreamCreate(&st); cudaGraph_t gr; cudaGraphExec_t ex; b[0] = 0;
  cudaStreamBeginCapture(st, cudaStreamCaptureModeGlobal); CHECK(cub::DeviceReduce::Sum(t, s, a, b, 1000000, st) == cudaSuccess) cudaStreamEndCapture(st, &gr); CHECK(b[0] == 0)
  cudaGraphInstantiate(&ex, gr, 0); cudaGraphLaunch(ex, st); cudaStreamSynchronize(st); CHECK(b[0] == 4500000)
  return bad; }
