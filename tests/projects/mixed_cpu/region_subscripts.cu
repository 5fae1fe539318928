// Subscripts that grow by one from thread to thread, unless they wrap around, or their names mean something else in an
// inner block. Each kernel checks its own result, and main prints the wrong ones.
#include "region_results.h"

constexpr int THREADS = 96;
constexpr int SIZE = 256;

// The names that the subscripts of a kernel below would have outside of it.
__device__ int values[SIZE];
__device__ void prepare(int* in)
{
    for (int i = threadIdx.x; i < SIZE; i += blockDim.x)
        in[i] = 3 * i;
}

__global__ void sums(int* out, int n)
{
    __shared__ int in[SIZE];
    prepare(in);
    __syncthreads();
    const int x = threadIdx.x + 1, row = threadIdx.y;
    const int* const behind = in + 5;
    int sum = in[x] + in[x + 1] + in[n + threadIdx.x] + behind[int(threadIdx.x) - 1] + in[(threadIdx.y + row) * n + x - 1];
    out[threadIdx.x + n - 4] = sum;
    __syncthreads();
    out[threadIdx.x] += 1;
}

// What a condition keeps from being evaluated.
__global__ void traps(int* out, int n)
{
    __shared__ int in[SIZE];
    prepare(in);
    __syncthreads();
    int sum = in[threadIdx.x + n];
    if (n != 0)
        sum += in[threadIdx.x + SIZE / n] + in[threadIdx.x + SIZE % n];
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += 1;
}

// Unsigned and signed subscripts that wrap around, or are negative, within a row.
__global__ void wrapping(int* out, unsigned offset, int signed_offset)
{
    __shared__ int in[SIZE];
    prepare(in);
    __syncthreads();
    int sum = 0;
    const int* const middle = in + 10;
    const int* const far = in + 40 - 65536;
    const unsigned short* const bytes = reinterpret_cast<const unsigned short*>(in);
    if (in[threadIdx.x] >= 15)
        sum += in[threadIdx.x - 5];
    if (in[threadIdx.x] >= 3 * 30)
        sum += in[threadIdx.x + offset];
    sum += middle[signed_offset + int(threadIdx.x)];
    sum += in[(unsigned char)(threadIdx.x + 200)];
    if (in[threadIdx.x] < 3 * 40)
        sum += far[65536 - 40 + threadIdx.x];
    sum += bytes[2 * (threadIdx.x + 1)] + bytes[(unsigned short)(threadIdx.x + 65530) & 255];
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += 1;
}

// Sums whose bits are changed, and rounded ones. Their first and last values in a row of 5 or 3 threads differ by 4 or 2.
__global__ void no_sums(int* out, int n, float large)
{
    __shared__ int in[SIZE];
    prepare(in);
    __syncthreads();
    const float rounded = threadIdx.x + large;
    int sum = in[threadIdx.x + n ^ 2];
    if ((threadIdx.x + n ^ 2) < 4)
        sum += 1000;
    __syncthreads();
    const int whole = threadIdx.x + large;
    if (threadIdx.x < 3)
        sum += in[int(rounded) - (1 << 24)] + in[whole - (1 << 24)] + in[int(threadIdx.x + large) - (1 << 24)];
    __syncthreads();
    if (threadIdx.x < 3 && int(rounded) < (1 << 24) + 2)
        sum += 2000;
    out[threadIdx.x] = sum;
}

// Names that mean something else in inner blocks.
struct Pair {
    int first, second;
    __device__ int operator[](unsigned i) const { return i % 2 == 0 ? first : second; }
};
__global__ void hidden(int* out, int n)
{
    __shared__ int in[SIZE];
    __shared__ Pair pairs[SIZE];
    prepare(in);
    pairs[threadIdx.x + n] = {int(threadIdx.x), n};
    __syncthreads();
    const int i = threadIdx.x + n;
    int sum = in[i];
    for (int n = 0; n < 3; ++n)
        sum += in[threadIdx.x + n] * (n + 1);
    {
        const int i = threadIdx.x / 2;
        sum += in[i + 1];
        int k = 2;
        sum += in[threadIdx.x + k];
        k = 3;
        sum += in[threadIdx.x + k];
    }
    for (int r : {7, 8})
        sum += in[threadIdx.x + r];
    if (int n = in[2]; n > 3)
        sum += in[threadIdx.x + n];
    sum += pairs[i].first + pairs[i][threadIdx.x + n];
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += in[i];
}
__global__ void hidden_in_lambdas(int* out, int n)
{
    __shared__ int in[SIZE];
    prepare(in);
    __syncthreads();
    int sum = 0;
    {
        const auto at = [&](int n) { return in[threadIdx.x + n]; };
        int pair[2] = {4, 5};
        auto& [a, b] = pair;
        sum = at(1) + at(2) + in[threadIdx.x + a] + in[threadIdx.x + b] + in[threadIdx.x + n];
    }
    out[threadIdx.x] = sum;
    __syncthreads();
    out[threadIdx.x] += 1;
}

// Values of warp operations, declarations with several variables, atomic functions, and a matrix.
__global__ void others(int* out, int n)
{
    __shared__ int in[SIZE];
    __shared__ float matrix[4][32 + 2];
    prepare(in);
    if (threadIdx.x < 34)
        for (int k = 0; k < 4; ++k)
            matrix[k][threadIdx.x + n - n] = k + threadIdx.x;
    __syncthreads();
    const int lane = threadIdx.x % 32, y = threadIdx.x / 32, x = lane + 1, from = threadIdx.x + n, value = in[from];
    const int sum = __shfl_sync(~0u, in[threadIdx.x + n], 3) + in[threadIdx.x + n];
    atomicAdd(&in[threadIdx.x + n + 100], 1);
    __syncthreads();
    out[threadIdx.x] = sum + value + int(matrix[y][x]) + int(matrix[y][x - 1]) + in[threadIdx.x + n + 100];
    __syncthreads();
    out[threadIdx.x] += y + x + from;
}

int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    sums<<<1, THREADS>>>(results, 4);
    check("sums", THREADS, [](int i) { return 3 * (i + 1 + i + 2 + i + 4 + i + 4 + i) + 1; });
    traps<<<1, THREADS>>>(results, 0);
    check("traps", THREADS, [](int i) { return 3 * i + 1; });
    wrapping<<<1, THREADS>>>(results, -30u, -10);
    check("wrapping", THREADS, [](int i) {
        const int other = (i + 65530) % 65536 & 255;
        return (i >= 5 ? 3 * (i - 5) : 0) + (i >= 30 ? 3 * (i - 30) : 0) + 3 * i + 3 * ((i + 200) % 256) +
               (i < 40 ? 3 * i : 0) + 3 * (i + 1) + (other % 2 == 0 ? 3 * (other / 2) : 0) + 1;
    });
    no_sums<<<1, 5>>>(results, 0, 16777216);
    check("no_sums", 5, [](int i) {
        const int rounded = i == 2 ? 2 : 0;
        return 3 * (i ^ 2) + 1000 * ((i ^ 2) < 4) + (i < 3 ? 9 * rounded : 0) + 2000 * (i < 2);
    });
    hidden<<<1, THREADS>>>(results, 4);
    check("hidden", THREADS, [](int i) {
        const int pair = (i + 4) % 2 == 0 ? i : 4;
        return 3 * (i + 4) + 3 * (i + 2 * (i + 1) + 3 * (i + 2)) + 3 * (i / 2 + 1) + 3 * (i + 2 + i + 3) +
               3 * (i + 7 + i + 8) + 3 * (i + 6) + i + pair + 3 * (i + 4);
    });
    hidden_in_lambdas<<<1, THREADS>>>(results, 6);
    check("hidden_in_lambdas", THREADS, [](int i) { return 3 * (5 * i + 1 + 2 + 4 + 5 + 6) + 1; });
    others<<<1, THREADS>>>(results, 2);
    check("others", THREADS, [](int i) {
        const int x = i % 32 + 1, y = i / 32;
        return 3 * (i / 32 * 32 + 3 + 2) + 3 * (i + 2) * 2 + (y + x) + (y + x - 1) + 3 * (i + 102) + 1 + y + x + i + 2;
    });
    std::printf("done\n");
}
