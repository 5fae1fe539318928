// Iterators of vectors in CUB's algorithms for devices: functions get references to elements, not objects.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <cstdio>
struct Mx { __device__ int operator()(const int& a, const int& b) const { return a > b ? a : b; } };
struct Sq { __device__ void operator()(int& x) const { x *= x; } };
struct Inc { __device__ int operator()(const int& x) const { return x + 1; } };
struct Odd { __device__ bool operator()(const int& x) const { return x & 1; } };
#define RUN(f, ...) { void* t = nullptr; size_t s = 0; cudaError_t e = f(t, s, __VA_ARGS__); cudaMalloc(&t, s); e = e ? e : f(t, s, __VA_ARGS__); cudaError_t w = cudaDeviceSynchronize(); if (e || w) std::printf("%s: %d %d\n", #f, e, w); cudaFree(t); }
int main() { thrust::device_vector<int> a{1, 5, 3, 4}, o(4), n(1); thrust::device_vector<char> f{1, 0, 0, 1};
 RUN(cub::DeviceReduce::Reduce, a.begin(), o.begin(), 4, Mx{}, 0) if (o[0] != 5) return 1;
 cub::DeviceFor::ForEach(a.begin(), a.end(), Sq{}); if (a[1] != 25) return 2;
 cub::DeviceTransform::Transform(a.begin(), o.begin(), 4, Inc{}); if (o[3] != 17) return 3;
 RUN(cub::DeviceSelect::Flagged, a.begin(), f.begin(), o.begin(), n.begin(), 4) if (n[0] != 2 || o[1] != 16) return 4;
 RUN(cub::DeviceSelect::If, a.begin(), o.begin(), n.begin(), 4, Odd{}) if (n[0] != 3) return 5;
 RUN(cub::DeviceScan::InclusiveScan, a.begin(), o.begin(), Mx{}, 4) if (o[2] != 25) return 6;
 return 0; }
