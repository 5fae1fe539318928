// Times sorts of random keys by Thrust and CUB and by GCC's parallel mode, in turns. Prints the milliseconds of each
// pair.
#include <cub/cub.cuh>
#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

void sort_by_peer(unsigned* first, unsigned* last);
void sort_by_peer(float* first, float* last);

namespace {

template <class Function>
double measure(Function function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

template <class Key>
std::vector<Key> make_keys(std::size_t count) {
    std::mt19937 generator(1);
    std::vector<Key> keys(count);
    for (auto& key : keys) key = static_cast<Key>(static_cast<int>(generator()));
    return keys;
}

// The device's memory is the host's, so the peer sorts memory of the same kind.
template <class Key>
int compare(const char* name, std::size_t count, int pairs) {
    const auto keys = make_keys<Key>(count);
    const std::size_t bytes = count * sizeof(Key);
    Key *device = nullptr, *other = nullptr, *host = nullptr;
    void* storage = nullptr;
    std::size_t storage_bytes = 0;
    cudaMalloc(&device, bytes);
    cudaMalloc(&other, bytes);
    cudaMallocHost(&host, bytes);
    cub::DeviceRadixSort::SortKeys(nullptr, storage_bytes, device, other, count);
    cudaMalloc(&storage, storage_bytes);
    const bool is_cub = std::strcmp(name, "cub") == 0;
    for (int pair = -1; pair < pairs; ++pair) {
        cudaMemcpy(device, keys.data(), bytes, cudaMemcpyDefault);
        std::copy(keys.begin(), keys.end(), host);
        const double ours = measure([&] {
            if (is_cub)
                cub::DeviceRadixSort::SortKeys(storage, storage_bytes, device, other, count);
            else
                thrust::sort(thrust::device_pointer_cast(device),
                             thrust::device_pointer_cast(device) + count);
            cudaDeviceSynchronize();
        });
        const double peer = measure([&] { sort_by_peer(host, host + count); });
        std::vector<Key> sorted(count);
        cudaMemcpy(sorted.data(), is_cub ? other : device, bytes, cudaMemcpyDefault);
        if (!std::equal(sorted.begin(), sorted.end(), host)) return 1;
        if (pair >= 0) std::printf("%.9g %.9g\n", ours, peer);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) return 2;
    const std::size_t count = std::strtoull(argv[3], nullptr, 10);
    const int pairs = std::atoi(argv[4]);
    return std::strcmp(argv[2], "float") == 0 ? compare<float>(argv[1], count, pairs)
                                              : compare<unsigned>(argv[1], count, pairs);
}
