#include "base.hpp"
#include <cuda_runtime.h>

__constant__ int table[steps] = {1, 2, 3, 4};

void set_table(const int (&values)[steps])
{
    cudaMemcpyToSymbol(table, values, sizeof(values));
}
