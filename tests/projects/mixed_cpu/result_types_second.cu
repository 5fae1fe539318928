#include "result_types.hpp"

namespace {

__global__ void add(int* result) { *result = deduced(4); }

}  // namespace

int sum_again() {
    int* result;
    cudaMallocManaged(&result, sizeof *result);
    add<<<1, 1>>>(result);
    cudaDeviceSynchronize();
    return *result;
}
