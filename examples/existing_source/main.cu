// A program that also has a kernel: the number of the most frequent character.
#include "histogram.hpp"

#include <cuda_runtime.h>

#include <cstdio>

template <class T>
__global__ void find_largest(const T* values, int n, int* index)
{
    int best = 0;
    for (int i = 1; i < n; ++i)
        if (values[i] > values[best]) best = i;
    *index = best;
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no device");
        return 77;
    }

    const auto counts = count_characters("mississippi is a river");
    unsigned* values = nullptr;
    int *index = nullptr, found = 0;
    cudaMalloc(&values, sizeof counts);
    cudaMalloc(&index, sizeof *index);
    cudaMemcpy(values, counts.data(), sizeof counts, cudaMemcpyHostToDevice);
    find_largest<<<1, 1>>>(values, 256, index);
    cudaMemcpy(&found, index, sizeof found, cudaMemcpyDeviceToHost);
    cudaFree(index);
    cudaFree(values);

    std::printf("'%c' occurs %u times\n", found, counts[static_cast<unsigned char>(found)]);
    return found == 'i' && counts['i'] == 6 ? 0 : 1;
}
