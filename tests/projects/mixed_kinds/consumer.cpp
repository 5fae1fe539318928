#include <cuda_runtime.h>

#include <cstdio>

namespace one {
void external(int* out);
}  // namespace one

int main() {
    int* out = nullptr;
    if (cudaMallocManaged(reinterpret_cast<void**>(&out), sizeof *out)) return 1;
    void* arguments[] = {&out};
    auto* kernel = reinterpret_cast<const void*>(one::external);
    if (cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 0, nullptr)) return 2;
    if (cudaDeviceSynchronize() || *out != 11) return 3;
    std::printf("PASSED\n");
    return static_cast<int>(cudaFree(out));
}
