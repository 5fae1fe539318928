// The results of a kernel, and what they should be.
#pragma once

#include <cstdio>
#include <cuda_runtime.h>

namespace {

int* results;

template <class Function> void check(const char* name, int count, Function expected)
{
    const int error = cudaDeviceSynchronize();
    if (error != 0)
        std::printf("%s: error %d\n", name, error);
    for (int i = 0; i < count; ++i)
        if (results[i] != int(expected(i))) {
            std::printf("%s: element %d is %d, expected %d\n", name, i, results[i], int(expected(i)));
            break;
        }
    for (int i = 0; i < 512; ++i)
        results[i] = 0;
}

}  // namespace
