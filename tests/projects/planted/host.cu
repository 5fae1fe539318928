// Host code that accesses memory of the device, kernels that get memory of the host, and `main`.
// Usage: planted NAME buggy|correct, or planted to list the cases.
#include "planted.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

namespace {

constexpr int count = 64;
int of_program[count];

__global__ void fill(int *out) { out[threadIdx.x] = count - threadIdx.x; }

template <bool is_correct>
int *allocate() {
    int *memory = nullptr;
    if (is_correct) cudaMallocManaged(&memory, count * sizeof(int));
    else cudaMalloc(&memory, count * sizeof(int));
    fill<<<1, count>>>(memory);
    finish();
    return memory;
}

PLANTED(host_writes_element, "KC106") {
    int *const memory = allocate<is_correct>();
    *memory = 1;
    cudaFree(memory);
}
PLANTED(host_sums_elements, "KC106") {
    int *const memory = allocate<is_correct>();
    std::printf("%d\n", std::accumulate(memory, memory + count, 0));
    cudaFree(memory);
}
PLANTED(host_sorts_elements, "KC106") {
    int *const memory = allocate<is_correct>();
    std::sort(memory, memory + count);
    cudaFree(memory);
}
PLANTED(host_copies_with_memcpy, "KC106") {
    std::vector<int> copy(count);
    int *const memory = allocate<is_correct>();
    std::memcpy(copy.data(), memory, count * sizeof(int));
    std::printf("%d\n", copy[1]);
    cudaFree(memory);
}
// Compilers copy a constant number of bytes without a call.
PLANTED(host_copies_to_a_vector, "KC106") {
    int *const memory = allocate<is_correct>();
    const std::vector<int> copy(memory, memory + 8);
    std::printf("%d\n", copy[1]);
    cudaFree(memory);
}
PLANTED(host_clears_with_memset, "KC106") {
    int *const memory = allocate<is_correct>();
    std::memset(memory, 0, count * sizeof(int));
    cudaFree(memory);
}

PLANTED(copy_of_too_much, "KC107") {
    std::vector<int> copy(count);
    Zeros<int> memory(is_correct ? count : count - 1);
    fill<<<1, count - 1>>>(memory);
    cudaMemcpy(copy.data(), memory, count * sizeof(int), cudaMemcpyDeviceToHost);
}
PLANTED(fill_of_too_much, "KC107") {
    Zeros<int> memory(count);
    cudaMemset(memory + 1, 0, (is_correct ? count - 1 : count) * sizeof(int));
    fill<<<1, count>>>(memory);
    finish();
}
PLANTED(copy_in_the_wrong_direction, "KC107") {
    std::vector<int> values(count);
    Zeros<int> memory(count);
    fill<<<1, count>>>(memory);
    cudaMemcpy(values.data(), memory, count * sizeof(int),
               is_correct ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice);
}

PLANTED(host_writes_pool_memory, "KC106") {
    int *memory;
    if (is_correct) cudaMallocHost(&memory, sizeof(int));
    else cudaMallocAsync(&memory, sizeof(int), nullptr);
    finish();
    *memory = 1;
    if (is_correct) cudaFreeHost(memory);
    else cudaFreeAsync(memory, nullptr);
    fill<<<1, 1>>>(Zeros<int>(1));
    finish();
}

template <bool is_correct>
void fill_copy(int *host) {
    Zeros<int> device(count);
    int *const memory = is_correct ? static_cast<int *>(device) : host;
    fill<<<1, count>>>(memory);
    finish();
}
PLANTED(kernel_gets_memory_of_malloc, "KC103") {
    auto *const memory = static_cast<int *>(std::malloc(count * sizeof(int)));
    fill_copy<is_correct>(memory);
    std::free(memory);
}
PLANTED(kernel_gets_memory_of_new, "KC103") {
    const std::unique_ptr<int[]> memory(new int[count]);
    fill_copy<is_correct>(memory.get());
}
PLANTED(kernel_gets_memory_of_stack, "KC103") {
    int memory[count];
    fill_copy<is_correct>(memory);
}
PLANTED(kernel_gets_host_variable, "KC103") { fill_copy<is_correct>(of_program); }
PLANTED(kernel_gets_memory_of_vector, "KC103") {
    std::vector<int> memory(count);
    fill_copy<is_correct>(memory.data());
}

}  // namespace

int main(int argc, char **argv) {
    if (argc == 1) {
        for (const Case *entry = Case::first(); entry != nullptr; entry = entry->next)
            std::printf("%s %s\n", entry->name, entry->rule);
        return 0;
    }
    const Case *found = Case::first();
    while (found != nullptr && std::strcmp(found->name, argv[1]) != 0) found = found->next;
    if (argc != 3 || found == nullptr) {
        std::fprintf(stderr, "usage: planted [NAME buggy|correct]\n");
        return 2;
    }
    const bool is_correct = std::strcmp(argv[2], "correct") == 0;
    (is_correct ? found->run_correct : found->run_buggy)();
    return 0;
}
