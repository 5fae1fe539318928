// Iterators of vectors in CUB's algorithms for devices: functions get references to elements, not objects.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_transform.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/device_vector.h>
#include <cstdio>
#include <iterator>
#if CUB_VERSION >= 300500
#include <cub/device/device_merge.cuh>
#include <cuda/execution>
struct Selector { __host__ __device__ constexpr cub::MergePolicy operator()(cuda::compute_capability) const { return {}; } };
#endif
// An iterator to whose objects its references refer.
struct Own {
  using value_type = int; using difference_type = long; using pointer = int*; using iterator_category = std::random_access_iterator_tag;
  struct reference { const Own* iterator; __device__ operator int() const { return *iterator->place; } };
  int* place;
  ~Own() { place = nullptr; }
  reference operator*() const { return {this}; }
  reference operator[](long n) const { return *(*this + n); }
  Own operator+(long n) const { return {place + n}; }
};
struct Sum { int* sum; template <class T> __device__ void operator()(T x) const { const int value = x; atomicAdd(sum, value); } };
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
 o[0] = 0;
 cub::DeviceFor::ForEachN(Own{thrust::raw_pointer_cast(a.data())}, 4, Sum{thrust::raw_pointer_cast(o.data())}); cudaDeviceSynchronize(); if (o[0] != 51) return 7;
#if CUB_VERSION >= 300500
 thrust::device_vector<int> merged(2); n[0] = 7;
 cub::DeviceMerge::MergeKeys(a.begin(), 1, n.begin(), 1, merged.begin(), cuda::std::less<>{}, cuda::execution::tune(Selector{})); cudaDeviceSynchronize(); if (merged[1] != 7) return 8;
#endif
 return 0; }
