#include <cub/cub.cuh>

__global__ void reduce(const float* in, float* out)
{
    using Load = cub::BlockLoad<float, 128, 8, cub::BLOCK_LOAD_VECTORIZE>;
    using Reduce = cub::BlockReduce<float, 128, cub::BLOCK_REDUCE_RAKING>;
    __shared__ typename Reduce::TempStorage storage;
    float items[8];
    Load().Load(in + blockIdx.x * 1024, items);
    const float sum = Reduce(storage).Sum(items);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}
