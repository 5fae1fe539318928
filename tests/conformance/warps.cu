// Warp operations with masks.
#include "blocks.hpp"

#include <string>

namespace {

template <class T>
__device__ T make_value() {
    return static_cast<T>(static_cast<T>(threadIdx.x * 2654435761u + blockIdx.x) / static_cast<T>(3));
}

#define SHUFFLE(name, argument)                                                        \
    template <class T, int width>                                                      \
    __global__ void test_##name(T* out) {                                              \
        T sum = 0;                                                                     \
        for (int i = 0; i < 35; ++i) {                                                 \
            const T value = name(0xffffffffu, make_value<T>(), argument, width);       \
            sum = i % 2 == 0 ? sum + value : sum - value / 2;                          \
        }                                                                              \
        out[THREAD] = sum;                                                             \
    }
SHUFFLE(__shfl_sync, i + static_cast<int>(threadIdx.x) / 5)
SHUFFLE(__shfl_up_sync, i)
SHUFFLE(__shfl_down_sync, i)
SHUFFLE(__shfl_xor_sync, i)

// The odd and the even lanes of a warp work apart from each other.
__global__ void test_disjoint_masks(int* out) {
    int value = threadIdx.x;
    if (threadIdx.x % 2 == 0) {
        for (int i = 2; i < 32; i *= 2) value += __shfl_xor_sync(0x55555555u, value, i);
    } else {
        for (int i = 0; i < 5; ++i) value = 3 * __shfl_sync(0xaaaaaaaau, value, 31 - 2 * i) + i;
    }
    __syncwarp();
    out[THREAD] = value + __shfl_sync(0xffffffffu, value, threadIdx.x + 1);
}

// Lanes that have exited do not take part.
__global__ void test_exited_lanes(int* out) {
    if (threadIdx.x % 32 >= 20) return;
    int value = threadIdx.x;
    for (int i = 0; i < 10; ++i) {
        value += __shfl_sync(0xfffffu, value, (threadIdx.x + i) % 20);
        __syncwarp(0xfffffu);
    }
    out[THREAD] = value;
}

// The last warp has fewer lanes than its mask names.
__global__ void test_partial_warp(int* out) {
    const unsigned mask = blockDim.x - threadIdx.x / 32 * 32 >= 32
                              ? 0xffffffffu
                              : (1u << blockDim.x % 32) - 1;
    out[THREAD] = __reduce_add_sync(mask, static_cast<int>(threadIdx.x)) +
                  static_cast<int>(__popc(__ballot_sync(mask, threadIdx.x % 3 == 0)));
}

// A warp counts in shared memory without block barriers.
__global__ void test___syncwarp(int* out) {
    __shared__ int values[96];
    values[threadIdx.x] = threadIdx.x;
    __syncwarp();
    for (int i = 0; i < 20; ++i) {
        const int next = values[threadIdx.x / 32 * 32 + (threadIdx.x + 1) % 32];
        __syncwarp();
        values[threadIdx.x] = 5 * next + i;
        __syncwarp();
    }
    out[THREAD] = values[threadIdx.x];
}

// A block with three dimensions: lanes are numbered with x first.
__global__ void test_lanes_of_a_cube(int* out) {
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[thread] = __shfl_sync(0xffffffffu, thread, 3) * 1000 + __shfl_xor_sync(0xffffffffu, thread, 9);
}

#define VOTE(name, T, call)                                                  \
    __global__ void test_##name(T* out) {                                    \
        for (int i = 0; i < 8; ++i) {                                        \
            const unsigned hash = (threadIdx.x + 7) * 2654435761u >> (i + 8); \
            const int predicate = i == 0 ? 0 : i == 1 ? 1 : hash % i == 0;   \
            static_cast<void>(predicate);                                    \
            out[8 * THREAD + i] = call;                                      \
        }                                                                    \
    }
VOTE(__ballot_sync, unsigned, __ballot_sync(0xffffffffu, predicate))
VOTE(__any_sync, int, __any_sync(0xffffffffu, predicate) != 0)
VOTE(__all_sync, int, __all_sync(0xffffffffu, predicate) != 0)
VOTE(__uni_sync, int, __uni_sync(0xffffffffu, predicate) != 0)
VOTE(__match_any_sync_int, unsigned, __match_any_sync(0xffffffffu, static_cast<int>(hash % (i + 1))))
VOTE(__match_any_sync_double, unsigned, __match_any_sync(0xffffffffu, (hash % (i + 1)) * -0.5))
VOTE(__match_any_sync_longlong, unsigned,
     __match_any_sync(0xffffffffu, static_cast<long long>(hash % (i + 1)) << 40))
VOTE(__reduce_add_sync_int, int, __reduce_add_sync(0xffffffffu, static_cast<int>(hash)))
VOTE(__reduce_add_sync_unsigned, unsigned, __reduce_add_sync(0xffffffffu, hash))
VOTE(__reduce_min_sync_int, int, __reduce_min_sync(0xffffffffu, static_cast<int>(hash << 16)))
VOTE(__reduce_min_sync_unsigned, unsigned, __reduce_min_sync(0xffffffffu, hash << 16))
VOTE(__reduce_max_sync_int, int, __reduce_max_sync(0xffffffffu, static_cast<int>(hash << 16)))
VOTE(__reduce_max_sync_unsigned, unsigned, __reduce_max_sync(0xffffffffu, hash << 16))
VOTE(__reduce_and_sync, unsigned, __reduce_and_sync(0xffffffffu, hash | 0xff00ff00u << i))
VOTE(__reduce_or_sync, unsigned, __reduce_or_sync(0xffffffffu, hash & 0x1111u << i))
VOTE(__reduce_xor_sync, unsigned, __reduce_xor_sync(0xffffffffu, hash))

__global__ void test___match_all_sync(unsigned* out) {
    for (int i = 0; i < 8; ++i) {
        int is_equal = -1;
        out[16 * THREAD + 2 * i] =
            __match_all_sync(0xffffffffu, i % 3 == 0 ? 5u : threadIdx.x / (4u << i), &is_equal);
        out[16 * THREAD + 2 * i + 1] = is_equal != 0;
    }
}

// All lanes are at the call, because the warp has just met.
__global__ void test___activemask(unsigned* out) {
    __syncwarp();
    out[THREAD] = __activemask();
}

template <class T>
void run_shuffles(const char* type) {
    using conformance::run_blocks;
    const auto name = [&](const char* function) { return std::string(function) + "_" + type; };
    run_blocks<T>(name("__shfl_sync").c_str(), test___shfl_sync<T, 32>);
    run_blocks<T>(name("__shfl_sync_8").c_str(), test___shfl_sync<T, 8>);
    run_blocks<T>(name("__shfl_up_sync").c_str(), test___shfl_up_sync<T, 32>);
    run_blocks<T>(name("__shfl_up_sync_16").c_str(), test___shfl_up_sync<T, 16>);
    run_blocks<T>(name("__shfl_down_sync").c_str(), test___shfl_down_sync<T, 32>);
    run_blocks<T>(name("__shfl_down_sync_4").c_str(), test___shfl_down_sync<T, 4>);
    run_blocks<T>(name("__shfl_xor_sync").c_str(), test___shfl_xor_sync<T, 32>);
    run_blocks<T>(name("__shfl_xor_sync_8").c_str(), test___shfl_xor_sync<T, 8>);
}

}  // namespace

int main() {
    using conformance::run_blocks;
    run_shuffles<int>("int");
    run_shuffles<unsigned>("unsigned");
    run_shuffles<long>("long");
    run_shuffles<unsigned long>("unsigned_long");
    run_shuffles<long long>("long_long");
    run_shuffles<unsigned long long>("unsigned_long_long");
    run_shuffles<float>("float");
    run_shuffles<double>("double");
    run_blocks("disjoint_masks", test_disjoint_masks);
    run_blocks("exited_lanes", test_exited_lanes);
    run_blocks("partial_warp", test_partial_warp, 2, 77);
    run_blocks("__syncwarp", test___syncwarp);
    run_blocks("__ballot_sync", test___ballot_sync, 3, 96, 8);
    run_blocks("__any_sync", test___any_sync, 3, 96, 8);
    run_blocks("__all_sync", test___all_sync, 3, 96, 8);
    run_blocks("__uni_sync", test___uni_sync, 3, 96, 8);
    run_blocks("__match_any_sync_int", test___match_any_sync_int, 3, 96, 8);
    run_blocks("__match_any_sync_double", test___match_any_sync_double, 3, 96, 8);
    run_blocks("__match_any_sync_long_long", test___match_any_sync_longlong, 3, 96, 8);
    run_blocks("__match_all_sync", test___match_all_sync, 3, 96, 16);
    run_blocks("__reduce_add_sync_int", test___reduce_add_sync_int, 3, 96, 8);
    run_blocks("__reduce_add_sync_unsigned", test___reduce_add_sync_unsigned, 3, 96, 8);
    run_blocks("__reduce_min_sync_int", test___reduce_min_sync_int, 3, 96, 8);
    run_blocks("__reduce_min_sync_unsigned", test___reduce_min_sync_unsigned, 3, 96, 8);
    run_blocks("__reduce_max_sync_int", test___reduce_max_sync_int, 3, 96, 8);
    run_blocks("__reduce_max_sync_unsigned", test___reduce_max_sync_unsigned, 3, 96, 8);
    run_blocks("__reduce_and_sync", test___reduce_and_sync, 3, 96, 8);
    run_blocks("__reduce_or_sync", test___reduce_or_sync, 3, 96, 8);
    run_blocks("__reduce_xor_sync", test___reduce_xor_sync, 3, 96, 8);
    run_blocks("__activemask", test___activemask);

    const conformance::DeviceVector<int> cube(std::vector<int>(192));
    test_lanes_of_a_cube<<<1, dim3(4, 6, 8)>>>(cube.data());
    conformance::check(cudaDeviceSynchronize(), "cube");
    conformance::print("lanes_of_a_cube", cube.read(), 0);
}
