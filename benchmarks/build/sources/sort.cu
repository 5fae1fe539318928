#include <cub/cub.cuh>

__global__ void sort(const float* in, float* out)
{
    using Load = cub::BlockLoad<float, 128, 8, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Store = cub::BlockStore<float, 128, 8, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<float, 128, 8>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Sort::TempStorage sort;
    } storage;
    float items[8];
    Load(storage.load).Load(in + blockIdx.x * 1024, items);
    __syncthreads();
    Sort(storage.sort).Sort(items);
    __syncthreads();
    Store(storage.store).Store(out + blockIdx.x * 1024, items);
}
