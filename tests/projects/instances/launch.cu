// Launches instances of another source. The number of failures is the exit code.
#include "fill.cuh"
#include <cstdio>

void run_implicit_1(float*);
#ifdef TWO_SOURCES
void run_implicit_2(float*);
#endif
template <class T>
T* allocate() {
    void* memory = nullptr;
    cudaMallocManaged(&memory, sizeof(T));
    return static_cast<T*>(memory);
}

int main() {
    auto* const f = allocate<float>();
    auto* const i = allocate<int>();
    int failures = 0;
    ns::fill<float, 8><<<1, 1>>>(f, 0.5f);
    ns::fill<int, 4><<<1, 1>>>(i, 40);
    failures += cudaDeviceSynchronize() != cudaSuccess || *f != 8.5f || *i != 44;
    run_implicit_1(f);
    failures += cudaDeviceSynchronize() != cudaSuccess || *f != 1;
#ifdef TWO_SOURCES
    run_implicit_2(f);
    failures += cudaDeviceSynchronize() != cudaSuccess || *f != 2;
#endif
    auto* const l = allocate<long>();
    void (*pointer)(long*, long) = ns::fill<long, 2>;
    pointer<<<1, 1>>>(l, 5);
    failures += cudaDeviceSynchronize() != cudaSuccess || *l != 7;
    std::printf("%d failures\n", failures);
    return failures;
}
