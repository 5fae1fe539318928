// Plain C++ that launches a kernel by its name and refers to a device variable.
#include "check.hpp"

#include <cuda_runtime.h>
#include <kbuild/kbuild.hpp>

extern "C" KBUILD_KERNEL void c_kernel(int* out);
extern float weights[4];

void run_c_host() {
    void* d = nullptr;
    check("kbuild::allocate", !kbuild::allocate(&d, sizeof(int)));
    check("kbuild::launch", !kbuild::launch(c_kernel, {1, 1}, static_cast<int*>(d)));
    int found = 0;
    check("kbuild::copy", !kbuild::copy(&found, d, sizeof found, KBUILD_COPY_TO_HOST) && found == 50);
    float weight = 0;
    check("variable from another file",
          !kbuild::copy_from_symbol(&weight, weights, sizeof weight, 0) && weight == 1);
    check("cudaFree in C++", cudaFree(d) == cudaSuccess);
}
