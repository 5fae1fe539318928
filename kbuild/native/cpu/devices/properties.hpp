// The properties of the one device that the runtime offers: this machine's processor.
#ifndef KBUILD_CPU_DEVICES_PROPERTIES_HPP
#define KBUILD_CPU_DEVICES_PROPERTIES_HPP

#include "../../device/cpu/kbuild_cpu/host/properties.h"

#include <kbuild/cpu_image.h>

#include <cstddef>
#include <cstdint>

namespace kbuild::cpu {

// Returns the compute capability that device code sees as __CUDA_ARCH__, times 10. Programs choose kernels
// by it. 8.0 has bfloat16, tf32, asynchronous copies, and reductions of warps. With
// KBUILD_CPU_COMPUTE_CAPABILITY=9.0, the device promises clusters of several blocks, and device code must be
// compiled with it, too.
int compute_capability();

// CUDA's limits, so that a launch that works on the CPU also works on a GPU. Only the width of a grid
// has a lower one: with it, blockIdx.x * blockDim.x + threadIdx.x is below 2^31, which compilers must
// know to vectorize kernels. See kbuild_cpu/threads.h and device/cpu/mixed/kernel_text.h.
constexpr kbuild_dim3 largest_grid = {2147483647, 65535, 65535};
constexpr kbuild_dim3 largest_block = {1024, 1024, 64};
constexpr int most_threads_per_block = 1024;
constexpr int registers_per_block = 65536;
constexpr std::size_t default_shared_bytes = 48 << 10;
constexpr std::size_t most_shared_bytes = 232448;  // as on the CUDA devices that have the most
constexpr std::size_t reserved_shared_bytes = 1 << 10;
// What the device reports, as every device of its compute capability: programs that compute the
// occupancy reject other sizes. Source: the technical specifications in the CUDA C++ programming guide.
// Launches can have more, so that kernels for newer devices run.
constexpr std::size_t reported_shared_bytes = 163 << 10;
constexpr std::size_t reported_shared_bytes_90 = 227 << 10;
constexpr std::size_t constant_bytes = 64 << 10;
// The blocks of a cluster. Source: the CUDA C++ programming guide.
constexpr unsigned most_portable_cluster_blocks = 8;
constexpr unsigned most_cluster_blocks = 16;

// What a core can hold of a launch whose blocks wait for each other. The stacks of the threads need
// memory.
constexpr int most_resident_blocks = 32;
constexpr int most_resident_threads = 8192;

// Returns how many blocks of a launch a core can hold at the same time.
constexpr int resident_blocks(int threads_per_block) {
    const int blocks = most_resident_threads / threads_per_block;
    return blocks < most_resident_blocks ? blocks : most_resident_blocks;
}

const cudaDeviceProp& device_properties();

// Sets the value of an attribute. Returns false if the attribute does not exist.
bool find_attribute(int attribute, int* value);

}  // namespace kbuild::cpu

#endif
