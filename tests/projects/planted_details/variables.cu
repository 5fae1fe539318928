// Accesses to device variables and constants, and to local variables of functions that have returned.
#include "../planted/planted.hpp"

namespace {
namespace of_variables {

__device__ int numbers[64];
__device__ int other_numbers[64];
__device__ char text_of_device[5];
__device__ short one_number;
__constant__ int table[16];
__device__ float floats[1024];
__managed__ int managed_number;

template <bool is_correct>
__global__ void count_in_managed_variable() {
    if (is_correct)
        atomicAdd(&managed_number, 1);
    else
        managed_number += 1;
}
PLANTED(managed_variable_without_atomic, "KC201") {
    count_in_managed_variable<is_correct><<<1, 64>>>();
    finish();
}

__global__ void store_at(int *place, int index) { place[index] = 1; }
__global__ void store_byte_at(char *place, int index) { place[index] = 1; }
__global__ void load_at(const int *place, int index, int *out) { *out = place[index]; }

__device__ __noinline__ void store_number(int *place, int index) { place[index] = index; }
template <bool is_correct>
__global__ void store_in_helper(int distance) {
    store_number(numbers, threadIdx.x + (is_correct ? 0 : distance));
    other_numbers[threadIdx.x] = 0;
}
PLANTED(device_variable_past_the_end, "KC101") {
    store_in_helper<is_correct><<<1, 64>>>(1);
    finish();
}
PLANTED(device_variable_by_address_past_the_end, "KC101") {
    int *place = nullptr;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&place), numbers);
    store_at<<<1, 1>>>(place, is_correct ? 63 : 64);
    finish();
}
PLANTED(device_variable_before_the_start, "KC101") {
    Zeros<int> out(1);
    int *place = nullptr;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&place), numbers);
    load_at<<<1, 1>>>(place, is_correct ? 0 : -1, out);
    finish();
}
PLANTED(bytes_behind_a_device_variable, "KC101") {
    char *place = nullptr;
    cudaGetSymbolAddress(reinterpret_cast<void **>(&place), text_of_device);
    store_byte_at<<<1, 1>>>(place, is_correct ? 4 : 5);
    finish();
}
PLANTED(word_of_a_small_device_variable, "KC101") {
    void *place = nullptr;
    if (is_correct)
        cudaGetSymbolAddress(&place, numbers);
    else
        cudaGetSymbolAddress(&place, one_number);
    store_at<<<1, 1>>>(static_cast<int *>(place), 0);
    finish();
}

template <bool is_correct>
__global__ void overwrite(int count) {
    for (int i = 0; i < count; ++i) (&numbers[0])[i] = -1;
}
PLANTED(much_behind_a_device_variable, "KC101") {
    overwrite<is_correct><<<1, 1>>>(is_correct ? 64 : 100000);
    finish();
}

template <bool is_correct>
__global__ void load_wide(float *out, int distance) {
    const float4 v =
        *reinterpret_cast<const float4 *>(floats + (is_correct ? 0 : distance) + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.w;
}
PLANTED(misaligned_vector_of_a_device_variable, "KC104") {
    Zeros<float> out(32);
    load_wide<is_correct><<<1, 32>>>(out, 1);
    finish();
}

template <bool is_correct>
__global__ void write_table(int *out) {
    if (!is_correct) const_cast<volatile int *>(table)[threadIdx.x] = 1;
    out[threadIdx.x] = table[threadIdx.x];
}
PLANTED(write_to_a_constant, "KC109") {
    Zeros<int> out(16);
    const int values[16] = {1, 2, 3};
    cudaMemcpyToSymbol(table, values, sizeof values);
    write_table<is_correct><<<1, 16>>>(out);
    finish();
}
PLANTED(write_to_the_address_of_a_constant, "KC109") {
    Zeros<int> memory(16);
    int *place = memory;
    if (!is_correct) cudaGetSymbolAddress(reinterpret_cast<void **>(&place), table);
    store_at<<<1, 1>>>(place, 3);
    finish();
}

__device__ int sum_of(const int *values, int count) {
    int sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    return sum;
}
__device__ void put_at(int *values, int i, int value) { values[i] = value; }
template <bool is_correct>
__global__ void sum_local(int *out, int count) {
    int values[8];
    for (int i = 0; i < 8; ++i) put_at(values, i, i);
    out[threadIdx.x] = sum_of(values, is_correct ? count : count + 1);
}
PLANTED(read_past_a_local_array_through_a_pointer, "KC101") {
    Zeros<int> out(32);
    sum_local<is_correct><<<1, 32>>>(out, 8);
    finish();
}
template <bool is_correct>
__global__ void write_local(int *out, int count) {
    int values[8] = {};
    put_at(values, is_correct ? count - 1 : count, 5);
    out[threadIdx.x] = values[threadIdx.x % 8];
}
PLANTED(write_past_a_local_array_through_a_pointer, "KC101") {
    Zeros<int> out(32);
    write_local<is_correct><<<1, 32>>>(out, 8);
    finish();
}
// Compilers copy such objects as 16 bytes.
struct Two {
    long values[2];
};
template <bool is_correct>
__global__ void copy_two(const long *in, Two *out) {
    if (is_correct)
        *out = *reinterpret_cast<const Two *>(in + 1);
    else
        *out = *reinterpret_cast<const Two *>(reinterpret_cast<const char *>(in) + 4);
}
PLANTED(object_at_half_of_its_alignment, "KC104") {
    Zeros<long> in(4);
    Zeros<Two> out(1);
    copy_two<is_correct><<<1, 1>>>(in, out);
    finish();
}

template <bool is_correct>
__device__ __attribute__((noinline)) int *make_number(int *memory) {
    int number = threadIdx.x;
    int *volatile place = is_correct ? memory : &number;
    *place = number;
    return place;
}
template <bool is_correct>
__global__ void use_local_of_function(int *memory, int *out) {
    out[threadIdx.x] = *make_number<is_correct>(memory + threadIdx.x);
}
PLANTED(local_variable_of_a_function_that_returned, "KC110") {
    Zeros<int> memory(32), out(32);
    use_local_of_function<is_correct><<<1, 32>>>(memory, out);
    finish();
}

template <bool is_correct>
__global__ void store_ones(int *out) {
    out[threadIdx.x] = 1;
}
PLANTED(stream_that_is_destroyed, "KC111") {
    Zeros<int> out(32);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    store_ones<is_correct><<<1, 32, 0, stream>>>(out);
    if (!is_correct) cudaStreamDestroy(stream);
    cudaStreamSynchronize(stream);
    if (is_correct) cudaStreamDestroy(stream);
}
PLANTED(device_that_does_not_exist, "KC111") {
    Zeros<int> out(32);
    cudaSetDevice(is_correct ? 0 : 99);
    store_ones<is_correct><<<1, 32>>>(out);
    finish();
}

}  // namespace of_variables
}  // namespace
