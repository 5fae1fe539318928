// Shares template kernels and a static kernel's name with launches.cu. The project defines ORIGIN as 2 for this
// source only.
#include "check.hpp"
#include "templates.cuh"

#include <cuda_runtime.h>

static __device__ int calls = 3;  // another variable than that of launches.cu

static __global__ void add_call(int* out) { out[0] = ++calls; }

int read_int(const int* device) {
    int value = -1;
    cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

void run_other() {
    int* d = nullptr;
    cudaMalloc(&d, sizeof *d);
    fill<<<1, 1>>>(d, 1, 21);
    check("template of a header", read_int(d) == 21);
    write_origin<<<1, 1>>>(d);
    check("static kernel of this source", read_int(d) == 2);
    add_call<<<1, 1>>>(d);
    check("static variable of this source", read_int(d) == 4);
    cudaFree(d);
}
