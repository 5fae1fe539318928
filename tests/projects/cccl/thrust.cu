// Thrust and libcu++ in host code and in kernels. Prints what differs from plain loops.
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int size = 1000;
int failures = 0;

void expect(const char* what, double found, double expected) {
    if (found == expected) return;
    std::printf("%s: %g instead of %g\n", what, found, expected);
    ++failures;
}

}  // namespace

__constant__ int factors[2];
__device__ unsigned counts[10];

// Device functions that algorithms call, and that kernels call, too.
__device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
struct scale {
    __device__ int operator()(int x) const { return x * factors[1] + factorial(3); }
};
struct count {
    __device__ void operator()(int x) const {
        if (clock64() != 0) atomicAdd(&counts[x % 10], 1u);
    }
};
struct reads_thread {
    __device__ int operator()(int x) const { return x + static_cast<int>(threadIdx.x); }
};

__global__ void square(int* p, int n, cuda::std::array<int, 2> add) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    const cuda::std::complex<float> c(static_cast<float>(p[i]), 0);
    const cuda::std::tuple<int, float> t{add[1], (c * c).real()};
    p[i] = cuda::std::get<0>(t) + static_cast<int>(cuda::std::get<1>(t)) + scale()(0);
}

int main(int argc, char**) {
    const int values[2] = {1, 10};
    cudaMemcpyToSymbol(factors, values, sizeof values);

    thrust::host_vector<int> start(size);
    for (int i = 0; i < size; ++i) start[i] = i * 7919 % size;
    thrust::device_vector<int> d = start;
    int* raw = thrust::raw_pointer_cast(d.data());

    thrust::sort(thrust::cuda::par.on(cudaStreamPerThread), d.begin(), d.end());
    expect("sort", d[17], 17);
    square<<<(size + 255) / 256, 256>>>(raw, size, {0, 5});
    expect("kernel", d[4], 5 + 16 + 6);
    thrust::transform(thrust::device, d.begin(), d.end(), d.begin(), scale());
    expect("transform", d[4], 276);
    thrust::for_each(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(size),
                     [raw] __device__(int i) { raw[i] = i; });
    thrust::for_each(d.begin(), d.end(), count());
    unsigned found[10];
    cudaMemcpyFromSymbol(found, counts, sizeof found);
    expect("device variable", found[9], 100);
    expect("reduce", thrust::reduce(d.begin(), d.end()), size * (size - 1) / 2);
    thrust::inclusive_scan(d.begin(), d.end(), d.begin());
    expect("inclusive_scan", d[size - 1], size * (size - 1) / 2);

    // The host API knows the memory as memory of the device.
    int first[2];
    expect("copy", cudaMemcpy(first, raw, sizeof first, cudaMemcpyDeviceToHost), cudaSuccess);
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, raw);
    expect("pointer", attributes.type, cudaMemoryTypeDevice);

    if (argc > 1) thrust::transform(d.begin(), d.end(), d.begin(), reads_thread());
    return failures != 0;
}
