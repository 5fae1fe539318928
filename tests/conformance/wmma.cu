// Matrix operations of a warp. Elements are small integers, so that no sum is rounded.
#include "conformance.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

namespace {

namespace wmma = nvcuda::wmma;
using conformance::check;
using conformance::DeviceVector;
using conformance::print;
using conformance::print_hash;
using conformance::Random;

template <class T>
T make_element(int value) {
    return static_cast<T>(value);
}
template <>
__half make_element<__half>(int value) {
    return __float2half(static_cast<float>(value));
}
template <>
__nv_bfloat16 make_element<__nv_bfloat16>(int value) {
    return __float2bfloat16(static_cast<float>(value));
}

// Integers of the interval, or only positive ones if the type has no sign.
template <class T>
std::vector<T> make_elements(int count, int greatest) {
    Random random;
    std::vector<T> elements;
    for (int i = 0; i < count; ++i) {
        const int value = static_cast<int>(random.next() % static_cast<unsigned>(2 * greatest + 1));
        elements.push_back(make_element<T>(std::is_unsigned<T>::value ? value : value - greatest));
    }
    return elements;
}

constexpr int blocks_of_k = 3;
constexpr int warps = 2;

template <class T>
struct Stored {
    using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
    using type = float;
};

}  // namespace

// Each warp multiplies its own A by the common B, block by block. The strides are those of the larger
// matrices that the blocks are parts of.
template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
__global__ void multiply(const typename Stored<T>::type* a, const typename Stored<T>::type* b,
                         const Sum* c, Sum* d, wmma::layout_t layout, int scale) {
    constexpr int depth = K * blocks_of_k;
    constexpr bool a_is_row_major = std::is_same<LayoutA, wmma::row_major>::value;
    constexpr bool b_is_row_major = std::is_same<LayoutB, wmma::row_major>::value;
    const int warp = threadIdx.x / 32;
    const int offset = warp * M * N;
    const int stride = layout == wmma::mem_row_major ? N : M;
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> part_of_a;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> part_of_b;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> sum, start;
    wmma::fill_fragment(sum, static_cast<Sum>(1));
    wmma::load_matrix_sync(start, c + offset, stride, layout);
    for (int k = 0; k < depth; k += K) {
        const auto* from_a = a + warp * M * depth + (a_is_row_major ? k : k * M);
        const auto* from_b = b + (b_is_row_major ? k * N : k);
        wmma::load_matrix_sync(part_of_a, from_a, a_is_row_major ? depth : M);
        wmma::load_matrix_sync(part_of_b, from_b, b_is_row_major ? N : depth);
        for (int i = 0; i < part_of_b.num_elements; ++i)
            part_of_b.x[i] = part_of_b.x[i] + part_of_b.x[i];
        wmma::mma_sync(sum, part_of_a, part_of_b, sum);
    }
    for (int i = 0; i < sum.num_elements; ++i)
        sum.x[i] = sum.x[i] + start.x[i] * static_cast<Sum>(scale);
    wmma::store_matrix_sync(d + offset, sum, stride, layout);
}

namespace {

template <int M, int N, int K, class T, class Sum, class LayoutA, class LayoutB>
void test(const std::string& name, wmma::layout_t layout) {
    using Element = typename Stored<T>::type;
    const DeviceVector<Element> a(make_elements<Element>(warps * M * K * blocks_of_k, 5));
    const DeviceVector<Element> b(make_elements<Element>(K * N * blocks_of_k, 3));
    const DeviceVector<Sum> c(make_elements<Sum>(warps * M * N, 20));
    const DeviceVector<Sum> d(make_elements<Sum>(warps * M * N, 1));
    multiply<M, N, K, T, Sum, LayoutA, LayoutB>
        <<<1, warps * 32>>>(a.data(), b.data(), c.data(), d.data(), layout, 4);
    check(cudaDeviceSynchronize(), name.c_str());
    const auto results = d.read();
    print_hash(name.c_str(), results.data(), results.size() * sizeof(Sum),
               static_cast<int>(results.size()));
}

template <int M, int N, int K, class T, class Sum>
void test_layouts(const std::string& name) {
    using Row = wmma::row_major;
    using Column = wmma::col_major;
    const std::string shape = "_m" + std::to_string(M) + "n" + std::to_string(N) + "k" +
                              std::to_string(K);
    test<M, N, K, T, Sum, Row, Row>(name + shape + "_row_row", wmma::mem_row_major);
    test<M, N, K, T, Sum, Row, Column>(name + shape + "_row_col", wmma::mem_col_major);
    test<M, N, K, T, Sum, Column, Row>(name + shape + "_col_row", wmma::mem_col_major);
    test<M, N, K, T, Sum, Column, Column>(name + shape + "_col_col", wmma::mem_row_major);
}

template <class T, class Sum>
void test_shapes(const std::string& name) {
    test_layouts<16, 16, 16, T, Sum>(name);
    test_layouts<32, 8, 16, T, Sum>(name);
    test_layouts<8, 32, 16, T, Sum>(name);
}

}  // namespace

// Products of half precision are added to one type, and stored as the other one.
template <class From, class To>
__global__ void convert_sums(const __half* a, const __half* b, const From* c, To* d) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> part_of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> part_of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, From> start;
    wmma::fragment<wmma::accumulator, 16, 16, 16, To> sum;
    wmma::load_matrix_sync(part_of_a, a, 16);
    wmma::load_matrix_sync(part_of_b, b, 16);
    wmma::load_matrix_sync(start, c, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, part_of_a, part_of_b, start);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

// Sums near the ends of the range, with and without saturation.
__global__ void saturate(const signed char* a, const signed char* b, const int* c, int* d,
                         bool saturates) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> part_of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> part_of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    wmma::load_matrix_sync(part_of_a, a, 16);
    wmma::load_matrix_sync(part_of_b, b, 16);
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::mma_sync(sum, part_of_a, part_of_b, sum, saturates);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

// Each element of an accumulator belongs to one lane. Shared memory holds what is read next.
__global__ void count_elements(int* out) {
    __shared__ float tile[16 * 16];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    for (int i = threadIdx.x; i < 16 * 16; i += 32) tile[i] = static_cast<float>(i);
    wmma::load_matrix_sync(sum, tile, 16, wmma::mem_row_major);
    int total = 0;
    for (int i = 0; i < sum.num_elements; ++i) total += static_cast<int>(sum.x[i]);
    atomicAdd(&out[0], total);
    atomicAdd(&out[1], sum.num_elements);
}

__global__ void round_to_tf32(const float* in, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = wmma::__float_to_tf32(in[i]);
}

namespace {

template <class From, class To>
void test_conversion(const char* name) {
    const DeviceVector<__half> a(make_elements<__half>(256, 5)), b(make_elements<__half>(256, 3));
    const DeviceVector<From> c(make_elements<From>(256, 20));
    const DeviceVector<To> d(make_elements<To>(256, 1));
    convert_sums<<<1, 32>>>(a.data(), b.data(), c.data(), d.data());
    check(cudaDeviceSynchronize(), name);
    const auto results = d.read();
    print_hash(name, results.data(), results.size() * sizeof(To), 256);
}

void test_saturation(const char* name, bool saturates) {
    const DeviceVector<signed char> a(make_elements<signed char>(256, 100)),
        b(make_elements<signed char>(256, 100));
    std::vector<int> near_ends = make_elements<int>(256, 1000);
    for (int& element : near_ends)
        element = element < 0 ? std::numeric_limits<int>::min() - element * 10
                              : std::numeric_limits<int>::max() - element * 10;
    const DeviceVector<int> c(near_ends), d(near_ends);
    saturate<<<1, 32>>>(a.data(), b.data(), c.data(), d.data(), saturates);
    check(cudaDeviceSynchronize(), name);
    print(name, d.read(), 0);
}

}  // namespace

int main() {
    test_shapes<__half, float>("half_float");
    test_shapes<__half, __half>("half_half");
    test_shapes<__nv_bfloat16, float>("bfloat16_float");
    test_shapes<signed char, int>("int8_int");
    test_shapes<unsigned char, int>("uint8_int");
    test_layouts<16, 16, 8, wmma::precision::tf32, float>("tf32_float");
    test_layouts<8, 8, 4, double, double>("double_double");
    test_conversion<float, __half>("float_to_half");
    test_conversion<__half, float>("half_to_float");
    test_saturation("wraps_around", false);
    test_saturation("satf", true);
    const DeviceVector<int> counts(std::vector<int>(2));
    count_elements<<<1, 32>>>(counts.data());
    check(cudaDeviceSynchronize(), "count_elements");
    print("elements_of_accumulator", counts.read(), 0);
    conformance::run<float, float>("__float_to_tf32", round_to_tf32, 0, {-1000, 1000});
}
