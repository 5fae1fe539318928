// Runs kernels whose threads work together, and prints one line per kernel.
#ifndef KBUILD_CONFORMANCE_BLOCKS_HPP
#define KBUILD_CONFORMANCE_BLOCKS_HPP

#include "conformance.hpp"

namespace conformance {

// Runs a kernel with the parameter `T*`, which has `values` elements per thread, and prints them.
template <class T>
void run_blocks(const char* name, void (*kernel)(T*), int blocks = 3, int threads = 96,
                int values = 1, std::size_t shared_bytes = 0) {
    const DeviceVector<T> out(std::vector<T>(static_cast<std::size_t>(blocks * threads * values)));
    kernel<<<blocks, threads, shared_bytes>>>(out.data());
    check(cudaDeviceSynchronize(), name);
    print(name, out.read(), 0);
}

}  // namespace conformance

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

#endif
