// Accesses outside of memory.
#include "planted.hpp"

namespace {

template <bool is_correct>
__global__ void store_each(int *out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (is_correct ? i < count : i <= count) out[i] = i;
}
PLANTED(write_one_past_the_end, "KC101") {
    Zeros<int> out(100);
    store_each<is_correct><<<4, 32>>>(out, 100);
    finish();
}

template <bool is_correct>
__global__ void sum_neighbors(const int *in, int *out, int count) {
    const int i = threadIdx.x;
    const int left = is_correct && i == 0 ? 0 : in[i - 1];
    out[i] = left + in[i];
}
PLANTED(read_before_the_start, "KC101") {
    Zeros<int> in(64), out(64);
    sum_neighbors<is_correct><<<1, 64>>>(in, out, 64);
    finish();
}

template <bool is_correct>
__global__ void store_wide(float *out) {
    *reinterpret_cast<float4 *>(out + 4 * threadIdx.x) = make_float4(1, 2, 3, 4);
}
PLANTED(wide_write_past_the_end, "KC101") {
    Zeros<float> out(is_correct ? 128 : 126);
    store_wide<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void store_far(char *out, std::size_t distance) {
    if (threadIdx.x == 0) out[is_correct ? 0 : distance] = 1;
}
PLANTED(write_far_past_the_end, "KC101") {
    Zeros<char> out(1000);
    store_far<is_correct><<<1, 32>>>(out, 5000);
    finish();
}

template <bool is_correct>
__global__ void use_memory(int *data) {
    data[threadIdx.x] += 1;
}
PLANTED(use_after_free, "KC102") {
    int *data = nullptr;
    cudaMalloc(&data, 32 * sizeof *data);
    cudaMemset(data, 0, 32 * sizeof *data);
    if (!is_correct) cudaFree(data);
    use_memory<is_correct><<<1, 32>>>(data);
    finish();
    if (is_correct) cudaFree(data);
}

PLANTED(use_after_free_with_a_newer_allocation, "KC102") {
    int *old = nullptr, *newer = nullptr;
    cudaMalloc(&old, 1024 * sizeof *old);
    cudaMemset(old, 0, 1024 * sizeof *old);
    if (!is_correct) cudaFree(old);
    cudaMalloc(&newer, 1024 * sizeof *newer);
    cudaMemset(newer, 0, 1024 * sizeof *newer);
    use_memory<is_correct><<<1, 1024>>>(old);
    finish();
    if (is_correct) cudaFree(old);
    cudaFree(newer);
}

PLANTED(null_pointer, "KC103") {
    Zeros<int> data(32);
    if (is_correct) use_memory<is_correct><<<1, 32>>>(data);
    else use_memory<is_correct><<<1, 32>>>(nullptr);
    finish();
}

PLANTED(host_pointer, "KC103") {
    auto *host = static_cast<int *>(std::calloc(32, sizeof(int)));
    Zeros<int> data(32);
    use_memory<is_correct><<<1, 32>>>(is_correct ? static_cast<int *>(data) : host);
    finish();
    std::free(host);
}

template <bool is_correct>
__global__ void read_unaligned(const char *in, float *out) {
    float value;
    const char *place = in + 4 * threadIdx.x + (is_correct ? 0 : 2);
    value = *reinterpret_cast<const float *>(place);
    out[threadIdx.x] = value;
}
PLANTED(misaligned_read, "KC104") {
    Zeros<char> in(256);
    Zeros<float> out(32);
    read_unaligned<is_correct><<<1, 32>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void write_unaligned(int *out) {
    auto *place = reinterpret_cast<double *>(out + 2 * threadIdx.x + (is_correct ? 0 : 1));
    *place = 1.0;
}
PLANTED(misaligned_write_of_8_bytes, "KC104") {
    Zeros<int> out(128);
    write_unaligned<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void fill_tile(int *out) {
    __shared__ int tile[64];
    __shared__ int next[64];
    next[threadIdx.x] = 1;
    const int shift = is_correct ? 0 : 1;
    tile[threadIdx.x + shift] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (threadIdx.x < 64 - shift ? tile[threadIdx.x + shift] : 0) + next[threadIdx.x];
}
PLANTED(shared_array_past_the_end, "KC101") {
    Zeros<int> out(64);
    fill_tile<is_correct><<<1, 64>>>(out);
    finish();
}

template <bool is_correct>
__global__ void fill_through_pointer(int *out) {
    __shared__ int tile[32];
    int *place = tile;
    place += threadIdx.x;
    if (!is_correct && threadIdx.x == 31) place += 8;
    *place = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = threadIdx.x < 31 ? tile[threadIdx.x] : 0;
}
PLANTED(shared_array_past_the_end_through_a_pointer, "KC101") {
    Zeros<int> out(32);
    fill_through_pointer<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void use_dynamic(int *out) {
    extern __shared__ int memory[];
    memory[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = memory[threadIdx.x];
}
PLANTED(too_few_dynamic_bytes, "KC101") {
    Zeros<int> out(128);
    const int bytes = is_correct ? 128 * sizeof(int) : 100 * sizeof(int);
    use_dynamic<is_correct><<<1, 128, bytes>>>(out);
    finish();
}
PLANTED(no_dynamic_bytes, "KC101") {
    Zeros<int> out(32);
    if (is_correct) use_dynamic<is_correct><<<1, 32, 128>>>(out);
    else use_dynamic<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void index_local(const int *indices, int *out) {
    int counts[8] = {};
    for (int i = 0; i < 8; ++i) counts[i] = i + threadIdx.x;
    out[threadIdx.x] = counts[indices[threadIdx.x] + (is_correct ? 0 : 8)];
}
PLANTED(local_array_past_the_end, "KC105") {
    Zeros<int> indices(32), out(32);
    index_local<is_correct><<<1, 32>>>(indices, out);
    finish();
}

__constant__ int table[16];
template <bool is_correct>
__global__ void read_constant(int *out) {
    out[threadIdx.x] = table[is_correct ? threadIdx.x % 16 : threadIdx.x];
}
PLANTED(constant_array_past_the_end, "KC105") {
    Zeros<int> out(32);
    read_constant<is_correct><<<1, 32>>>(out);
    finish();
}

__device__ int counters[4];
template <bool is_correct>
__global__ void count_each(int index) {
    if (threadIdx.x == 0) counters[index] += 1;
}
PLANTED(device_array_past_the_end, "KC105") {
    count_each<is_correct><<<1, 32>>>(is_correct ? 3 : 4);
    finish();
}

template <bool is_correct>
__global__ void copy_bytes(const char *in, char *out) {
    if (threadIdx.x == 0) memcpy(out, in, is_correct ? 100 : 120);
}
PLANTED(memcpy_past_the_end, "KC101") {
    Zeros<char> in(200), out(100);
    copy_bytes<is_correct><<<1, 32>>>(in, out);
    finish();
}

template <bool is_correct>
__global__ void clear_bytes(char *out) {
    if (threadIdx.x == 0) memset(out, 0, is_correct ? 100 : 101);
}
PLANTED(memset_past_the_end, "KC101") {
    Zeros<char> out(100);
    clear_bytes<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void add_atomically(int *out) {
    atomicAdd(out + (is_correct ? 0 : 32), 1);
}
PLANTED(atomic_past_the_end, "KC101") {
    Zeros<int> out(32);
    add_atomically<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void walk_rows(const float *in, float *out, int width, int height) {
    const int x = threadIdx.x, y = threadIdx.y;
    // The mistaken one swaps the two extents.
    out[y * width + x] = is_correct ? in[y * width + x] : in[x * height + y + width];
}
PLANTED(swapped_extents, "KC101") {
    Zeros<float> in(16 * 8), out(16 * 8);
    walk_rows<is_correct><<<1, dim3(16, 8)>>>(in, out, 16, 8);
    finish();
}

template <bool is_correct>
__global__ void use_heap(int *out) {
    auto *memory = static_cast<int *>(malloc(4 * sizeof(int)));
    memory[is_correct ? 3 : 4] = 7;
    out[threadIdx.x] = threadIdx.x;
    free(memory);
}
PLANTED(heap_past_the_end, "KC101") {
    Zeros<int> out(32);
    use_heap<is_correct><<<1, 32>>>(out);
    finish();
}

template <bool is_correct>
__global__ void use_heap_late(int *out) {
    auto *memory = static_cast<int *>(malloc(4 * sizeof(int)));
    memory[0] = 7;
    if (!is_correct) free(memory);
    out[threadIdx.x] = memory[0];
    if (is_correct) free(memory);
}
PLANTED(heap_after_free, "KC102") {
    Zeros<int> out(32);
    use_heap_late<is_correct><<<1, 32>>>(out);
    finish();
}

struct Matrix {
    float *cells;
    int width;
};
template <bool is_correct>
__global__ void scale_matrix(Matrix matrix) {
    matrix.cells[threadIdx.y * matrix.width + threadIdx.x] *= 2;
}
PLANTED(block_larger_than_matrix, "KC101") {
    Zeros<float> cells(16 * 16);
    scale_matrix<is_correct><<<1, dim3(16, is_correct ? 16 : 17)>>>({cells, 16});
    finish();
}

PLANTED(managed_past_the_end, "KC101") {
    int *data = nullptr;
    cudaMallocManaged(&data, 32 * sizeof *data);
    for (int i = 0; i < 32; ++i) data[i] = i;
    use_memory<is_correct><<<1, is_correct ? 32 : 33>>>(data);
    finish();
    cudaFree(data);
}

}  // namespace
