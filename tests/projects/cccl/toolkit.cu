// What libcu++ has if CCCL finds a toolkit: streams, events, devices, memory pools, and buffers.
#include <cuda/buffer>
#include <cuda/devices>
#include <cuda/memory_pool>
#include <cuda/memory_resource>
#include <cuda/stream>

#include <cstdio>

#if !_CCCL_HAS_CTK()
#error "CCCL does not see the toolkit"
#endif

__global__ void twice(int* values, int count) {
    if (threadIdx.x < count) values[threadIdx.x] *= 2;
}

int main() {
    cuda::stream stream{cuda::devices[0]};
    auto pool = cuda::device_default_memory_pool(cuda::device_ref{0});
    cuda::device_buffer<int> values(stream, pool, {1, 2, 3, 4});
    twice<<<1, 32, 0, stream.get()>>>(values.data(), 4);
    int found[4];
    cudaMemcpyAsync(found, values.data(), sizeof found, cudaMemcpyDeviceToHost, stream.get());
    stream.sync();
    const bool is_right = found[0] == 2 && found[3] == 8 && stream.is_done();
    if (!is_right) std::printf("%d %d\n", found[0], found[3]);
    return is_right ? 0 : 1;
}
