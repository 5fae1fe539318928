// Conditions that are not tried for each thread, with operands of all kinds of types, and indices that
// are negative or wrap around. A conditional expression, which is tried, tells what is right.
#include "region_results.h"

#include <cstdint>

enum Kind : unsigned char { SMALL = 3, LARGE = 200 };

#define CASE(condition) \
    if (condition) \
        seen[number] += 1; \
    atomicAdd(&out[__COUNTER__], seen[number] == ((condition) ? 1 : 0) ? 0 : 1); \
    seen[number] = 0;
__global__ void guards(int n, int m, const int* values, int* out)
{
    __shared__ int seen[128];
    const unsigned number = threadIdx.y * blockDim.x + threadIdx.x;
    const auto t = threadIdx.x;
    const int own = int(threadIdx.x) - 10, shifted = threadIdx.x - 10;
    const signed char narrow = threadIdx.x + 100;
    const std::uint64_t wide = threadIdx.x - 5ull;
    const bool bit = t % 16;
    const signed char byte = (t + 100) % 200;
    const int* const place = values + threadIdx.x;
    seen[number] = 0;
    __syncthreads();
    CASE(t < n)
    CASE(t <= n)
    CASE(n <= t)
    CASE(t == unsigned(n))
    CASE(t > std::int64_t(n))
    CASE(std::uint64_t(n) > t)
    CASE(shifted < n)
    CASE(shifted >= unsigned(n))
    CASE(unsigned(n) == shifted)
    CASE(own < unsigned(n))
    CASE(narrow == n)
    CASE(narrow > n)
    CASE(wide < n)
    CASE(wide >= n)
    CASE(t < n + 0.5f)
    CASE(t + n < unsigned(m))
    CASE(t + n >= unsigned(m))
    CASE(t - n == m)
    CASE((m + shifted) - n <= m)
    CASE(place < values + n)
    CASE(threadIdx.y < n)
    CASE(threadIdx.y + t == n)
    CASE(t < n && t + m < 40)
    CASE(t >= 5 && t < n)
    CASE((t > 2) && (shifted < n))
    CASE(m > 0 && t < 64 / m)
    CASE(t > n && shifted < m && t % 2 == 1)
    CASE(t < n && t < unsigned(m) && n < m)
    CASE(threadIdx.y < n && threadIdx.x > m)
    CASE(t == n & m)
    CASE(m & n == t)
    CASE(t < n ^ m)
    CASE(t + n ^ 2 == m)
    CASE((t + n ^ 2) < m)
    CASE(n > t | m)
    CASE(t >= n << 1)
    CASE(t % 32 == n)
    CASE((t & 31) == n)
    CASE((own & 31u) == m)
    CASE((shifted & 15) == n)
    CASE(shifted % 16 == n)
    CASE((t + m) % 17u == n)
    CASE(unsigned(n) == narrow % 16)
    CASE((t & 40) == n)
    CASE(t % 16 == n + 0.5f)
    CASE((wide & 0xffffffff) == m)
    CASE(bit == 1)
    CASE(byte == n)
    CASE(t % 0x20 == 5 && own < unsigned(n) && (t & 15) == m)
    CASE(own < unsigned(n) && t < m)
    CASE(unsigned(m) > own && t > 3 && own < n)
    CASE(narrow > m && t == n)
}
// Comparisons with enumerators, for which a program can define operators, do not compile as guards. Then nothing in a
// kernel is one.
__global__ void enumerators(int* out)
{
    __shared__ int seen[128];
    const unsigned number = threadIdx.y * blockDim.x + threadIdx.x;
    const auto t = threadIdx.x;
    seen[number] = 0;
    __syncthreads();
    CASE(t < SMALL)
    CASE(t > LARGE)
}
constexpr int COUNT = __COUNTER__;

// Threads keep pointers to functions.
__device__ int twice(int x) { return 2 * x; }
__device__ int next(int x) { return x + 1; }
__global__ void pointers_to_functions(int* out)
{
    int (*f)(int) = threadIdx.x % 2 ? twice : next;
    __syncthreads();
    const int a = f(threadIdx.x);
    __syncthreads();
    int (*g)(int), b = 3, (*table[2])(int) = {next, twice};
    g = f;
    __syncthreads();
    out[threadIdx.x] = 1000 * a + 10 * g(b) + table[a % 2](4);
}
// In functions, too, the sizes are constants, which overloads see.
__device__ int find(dim3&) { return 1; }
__device__ int find(const dim3&) { return 2; }
__device__ int find_both() { return find(blockDim) * 10 + find(gridDim); }
__global__ void constants(int* out)
{
    __syncthreads();
    out[threadIdx.x] = find_both();
}
int main()
{
    static int values[1];
    cudaMallocManaged(&results, 512 * sizeof *results);
    const int numbers[] = {-2147483647 - 1, -107, -28, -3, -1, 0, 1, 2, 5, 31, 40, 63, 64, 120, 2147483647};
    for (int n : numbers)
        for (int m : numbers) {
            guards<<<1, dim3(60, 2)>>>(n, m, values, results);
            guards<<<1, dim3(33, 3)>>>(n, m, values, results);
        }
    enumerators<<<1, dim3(60, 2)>>>(results);
    check("guards", COUNT, [](int) { return 0; });
    pointers_to_functions<<<1, 64>>>(results);
    check("pointers_to_functions", 64, [](int i) {
        const int a = i % 2 ? 2 * i : i + 1;
        return 1000 * a + 10 * (i % 2 ? 6 : 4) + (a % 2 ? 8 : 5);
    });
    constants<<<1, 64>>>(results);
    check("constants", 64, [](int) { return 22; });
    std::puts("done");
}
