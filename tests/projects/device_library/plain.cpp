// The libraries provide the headers of the host API, and their generated headers.
#include "base.hpp"
#include "base_kernels.hpp"
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

int main()
{
    const bool passed = count_in_base(10) == 110 && cudaGetLastError() == cudaSuccess;
    std::puts(passed ? "PASSED" : "FAILED");
}
