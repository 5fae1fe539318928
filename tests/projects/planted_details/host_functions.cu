// Functions of the C library that get memory of the device, and calls of the runtime that fail.
#include "../planted/planted.hpp"

#include <algorithm>

namespace {

constexpr int length = 64;

__global__ void write_text(char *out) {
    out[threadIdx.x] = static_cast<char>(threadIdx.x < length - 1 ? 'a' : 0);
}

template <bool is_correct>
class Text {
public:
    Text() {
        if (is_correct)
            cudaMallocManaged(&data_, length);
        else
            cudaMalloc(&data_, length);
        write_text<<<1, length>>>(data_);
        finish();
    }
    ~Text() { cudaFree(data_); }
    operator char *() const { return data_; }

private:
    char *data_ = nullptr;
};

char other[length + 1] = "abc";
volatile std::size_t result;

PLANTED(host_compares_memory, "KC106") { result = std::memcmp(other, Text<is_correct>(), length); }
PLANTED(host_measures_text, "KC106") { result = std::strlen(Text<is_correct>()); }
PLANTED(host_compares_text, "KC106") { result = std::strcmp(other, Text<is_correct>()); }
PLANTED(host_copies_text, "KC106") { std::strcpy(Text<is_correct>(), other); }
PLANTED(host_copies_constant_text, "KC106") { std::strcpy(Text<is_correct>(), "constant"); }
PLANTED(host_writes_file, "KC106") { result = std::fwrite(Text<is_correct>(), 1, length, stdout); }
PLANTED(host_prints_text, "KC106") {
    const Text<is_correct> text;
    std::printf("%d %-*.*s %f\n", 3, 9, 4, static_cast<char *>(text), 1.0);
}
PLANTED(host_prints_line, "KC106") {
    const Text<is_correct> text;
    std::printf("%s\n", static_cast<char *>(text));
}
PLANTED(host_formats_into_memory, "KC106") { std::snprintf(Text<is_correct>(), length, "%d", 7); }
PLANTED(host_finds_equal_elements, "KC106") {
    const Text<is_correct> text;
    result = length;  // compilers expand a comparison of a constant size
    const std::size_t count = result;
    result = std::equal(other, other + count, static_cast<char *>(text));
}

__constant__ float coefficients[16];
__global__ void use_coefficients(float *out) { out[threadIdx.x] = coefficients[threadIdx.x]; }
PLANTED(copy_larger_than_symbol, "KC107") {
    const float values[32] = {};
    Zeros<float> out(16);
    cudaMemcpyToSymbol(coefficients, values, is_correct ? sizeof coefficients : sizeof values);
    use_coefficients<<<1, 16>>>(out);
    finish();
}

PLANTED(memory_is_freed_twice, "KC108") {
    char *memory = nullptr;
    cudaMalloc(&memory, length);
    write_text<<<1, length>>>(memory);
    cudaFree(memory);
    if (!is_correct) cudaFree(memory);
}

}  // namespace
