#include <cub/cub.cuh>

__global__ void scan(const float* in, float* out)
{
    using Load = cub::BlockLoad<float, 128, 8, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<float, 128, 8, cub::BLOCK_STORE_TRANSPOSE>;
    using Scan = cub::BlockScan<float, 128, cub::BLOCK_SCAN_RAKING_MEMOIZE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } storage;
    float items[8];
    Load(storage.load).Load(in + blockIdx.x * 1024, items);
    __syncthreads();
    Scan(storage.scan).InclusiveSum(items, items);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 1024, items);
}
