// Reads and copies of memory that nobody has written, or not all bytes of it.
#include "../planted/planted.hpp"

#include <vector>

namespace {
namespace of_content {

constexpr int count = 64;

__global__ void copy_words(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

template <bool is_correct>
__global__ void write_low_bytes(int *out) {
    __shared__ int words[32];
    if (is_correct) words[threadIdx.x] = 0;
    reinterpret_cast<char *>(&words[threadIdx.x])[0] = 1;
    __syncthreads();
    out[threadIdx.x] = words[31 - threadIdx.x];
}
PLANTED(shared_words_that_are_written_partly, "KC402") {
    Zeros<int> out(32);
    write_low_bytes<is_correct><<<1, 32>>>(out);
    finish();
}
PLANTED(word_of_which_the_host_sets_three_bytes, "KC401") {
    Zeros<int> out(count);
    int *in;
    cudaMalloc(&in, count * sizeof *in);
    cudaMemset(in, 0, count * sizeof *in - (is_correct ? 0 : 1));
    copy_words<<<1, count>>>(in, out);
    finish();
    cudaFree(in);
}
PLANTED(managed_memory_that_nobody_wrote, "KC401") {
    Zeros<int> out(count);
    int *in;
    cudaMallocManaged(&in, count * sizeof *in);
    for (int i = 0; i < count; ++i)
        if (is_correct || i != 7) in[i] = i;
    copy_words<<<1, count>>>(in, out);
    finish();
    cudaFree(in);
}
PLANTED(copy_of_memory_that_nobody_wrote, "KC401") {
    Zeros<int> out(count);
    int *first, *second;
    cudaMalloc(&first, count * sizeof *first);
    cudaMalloc(&second, count * sizeof *second);
    if (is_correct) cudaMemset(first, 1, count * sizeof *first);
    cudaMemcpy(second, first, count * sizeof *first, cudaMemcpyDeviceToDevice);
    copy_words<<<1, count>>>(second, out);
    finish();
    cudaFree(first);
    cudaFree(second);
}

volatile int used;

void use(const int *results, int number) {
    for (int i = 0; i < number; ++i) used = results[i];
}

template <bool is_correct>
__global__ void write_some(int *out) {
    if (is_correct || threadIdx.x + 1 < count) out[threadIdx.x] = threadIdx.x;
}
PLANTED(result_that_no_kernel_wrote, "KC403") {
    int *out, results[count];
    cudaMalloc(&out, sizeof results);
    write_some<is_correct><<<1, count>>>(out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    use(results, count);
    cudaFree(out);
}
PLANTED(part_of_a_buffer_that_the_host_uses, "KC403") {
    int *out, results[count];
    cudaMalloc(&out, sizeof results);
    write_some<false><<<1, count>>>(out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    use(results, is_correct ? count - 1 : count);
    cudaFree(out);
}
struct Padded {
    double value;
    int number;
    int unused;
};
template <bool is_correct>
__global__ void write_members(Padded *out) {
    out[threadIdx.x].value = 1;
    if (is_correct || threadIdx.x != 2) out[threadIdx.x].number = 2;
}
PLANTED(member_that_no_kernel_wrote, "KC403") {
    Padded *out;
    std::vector<Padded> results(count);
    cudaMalloc(&out, count * sizeof *out);
    write_members<is_correct><<<1, count>>>(out);
    cudaMemcpy(results.data(), out, count * sizeof *out, cudaMemcpyDeviceToHost);
    for (const auto &result : results) use(&result.number, 1);
    cudaFree(out);
}
PLANTED(result_of_a_column_that_no_kernel_wrote, "KC403") {
    int *out, results[8][4];
    std::size_t pitch;
    cudaMallocPitch(&out, &pitch, 4 * sizeof *out, 8);
    cudaMemset2D(out, pitch, 0, (is_correct ? 4 : 3) * sizeof *out, 8);
    cudaMemcpy2D(results, sizeof results[0], out, pitch, sizeof results[0], 8,
                 cudaMemcpyDeviceToHost);
    use(results[0], sizeof results / sizeof results[0][0]);
    write_some<true><<<1, 1>>>(out);
    finish();
    cudaFree(out);
}

template <bool is_correct>
__global__ void find_positive(const int *in, int *out) {
    int found[2];
    if (is_correct) found[0] = found[1] = 0;
    if (in[threadIdx.x] > 0) found[1] = 1;
    out[threadIdx.x] = found[threadIdx.x % 2];
}
PLANTED(local_array_that_nobody_wrote, "KC404") {
    Zeros<int> in(count), out(count);
    find_positive<is_correct><<<1, count>>>(in, out);
    finish();
}
PLANTED(result_of_a_local_array_that_nobody_wrote, "KC404") {
    Zeros<int> in(count), out(count);
    int results[count];
    find_positive<is_correct><<<1, count>>>(in, out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
}

// The host gives the kernel values that are like those of variables without a value.
template <bool is_correct>
__global__ void copy_pixels(const int *in, int *out) {
    int pixel;
    if (is_correct || threadIdx.x != 1) pixel = in[threadIdx.x];
    out[threadIdx.x] = pixel;
}
PLANTED(pixel_that_nobody_wrote, "KC404") {
    int *in, *out;
    cudaMalloc(&in, count * sizeof *in);
    cudaMalloc(&out, count * sizeof *out);
    cudaMemset(in, is_correct ? 0xFE : 0, count * sizeof *in);
    copy_pixels<is_correct><<<1, count>>>(in, out);
    cudaDeviceSynchronize();
    cudaFree(in);
    cudaFree(out);
}

}  // namespace of_content
}  // namespace
