// In kernels, the result of printf is the number of arguments; in host code, that of characters.

#include <cstdio>

namespace {

constexpr int expected[] = {5, 0, 0, 8, 1, 0, 2, 2, 0, 1, -1};
constexpr int count = sizeof expected / sizeof *expected;

__host__ __device__ int print_number(int number) { return printf("%d\n", number); }
__host__ __device__ int print_text() { return printf("text\n"); }

__device__ const char* no_format;

__global__ void print(int* results) {
    results[0] = printf("%s %d %.1f %c %lld\n", "text", 3, 1.5, 'c', 1ll << 40);
    results[1] = printf("text\n");
    results[2] = printf("100%%\n");
    results[3] = printf("%*d %-*.*f %5.2lf %ld %x\n", 4, 1, 8, 2, 2.5, 3.5, 4l, 5u);
    results[4] = print_number(100);
    results[5] = print_text();
    results[6] = std::printf("%u%%%x\n", 1u, 2u);
    const auto pointer = printf;
    results[7] = pointer("%d %d\n", 1, 2);
    results[8] = printf("%d\n", 1) > 1;
    results[9] = printf("%s", "text\n");
    results[10] = pointer(no_format);
    printf("unused %d\n", 3);
}

}  // namespace

int main() {
    int* results;
    cudaMallocManaged(&results, sizeof expected);
    print<<<1, 1>>>(results);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < count; ++i) {
        if (results[i] == expected[i]) continue;
        fprintf(stderr, "%d: %d instead of %d\n", i, results[i], expected[i]);
        ++wrong;
    }
    cudaFree(results);
    return wrong + (print_number(100) != 4) + (print_text() != 5);
}
