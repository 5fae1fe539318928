#include "typed.hpp"

#include <cub/block/block_reduce.cuh>

constexpr int threads = 128;

KBUILD_KERNEL void largest(cub::KeyValuePair<int, float> floor, int begin, int end,
                           thrust::device_ptr<const float> in, cub::KeyValuePair<int, float>* out)
{
    using Pair = cub::KeyValuePair<int, float>;
    using Reduce = cub::BlockReduce<Pair, threads>;
    __shared__ typename Reduce::TempStorage storage;
    Pair mine = floor;
    for (int i = begin + threadIdx.x; i < end; i += threads)
        if (in[i] > mine.value)
            mine = Pair(i, in[i]);
    const Pair found = Reduce(storage).Reduce(
        mine, [](const Pair& a, const Pair& b) { return b.value > a.value ? b : a; });
    if (threadIdx.x == 0)
        *out = found;
}
