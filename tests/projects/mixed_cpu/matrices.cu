// The instructions of tensor cores in inline PTX. Elements are small integers, so that no sum is rounded, and a
// GPU computes the same. The layouts are those of the tables in PTX ISA, "Matrix fragments for mma".
#include "check.h"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class T>
__host__ __device__ T make(int value) { return static_cast<T>(value); }
template <>
__host__ __device__ __half make<__half>(int value) { return __float2half(static_cast<float>(value)); }
template <>
__host__ __device__ __nv_bfloat16 make<__nv_bfloat16>(int value) { return __float2bfloat16(static_cast<float>(value)); }

__host__ __device__ int element(int seed, int row, int column, bool has_sign)
{
    const int value = (row * 7 + column * 5 + row * column + seed) % 13;
    return has_sign ? value - 6 : value;
}

#define OUT4(letter) "=" letter(d[0]), "=" letter(d[1]), "=" letter(d[2]), "=" letter(d[3])
#define IN4(letter) letter(c[0]), letter(c[1]), letter(c[2]), letter(c[3])

// M, N, K, and the types of A and B, of C and D, and of the registers. COUNT_A elements of A are in a lane.
// Each shape uses some of the parameters.
#define SHAPE(name, m, k, type_a, type_b, sum, word, sum_word, row_a, column_a, row_b, row_c, ...)          \
    struct name {                                                                                            \
        static constexpr int M = m, K = k;                                                                   \
        using A = type_a;                                                                                    \
        using B = type_b;                                                                                    \
        using Sum = sum;                                                                                     \
        using Word = word;                                                                                   \
        using SumWord = sum_word;                                                                            \
        __device__ static int find_row_a([[maybe_unused]] int i, [[maybe_unused]] int g) { return row_a; }                                     \
        __device__ static int find_column_a([[maybe_unused]] int i, int t) { return column_a; }                               \
        __device__ static int find_row_b([[maybe_unused]] int i, int t) { return row_b; }                                     \
        __device__ static int find_row_c([[maybe_unused]] int i, int g) { return row_c; }                                     \
        __device__ static void run(SumWord* d, const Word* a, const Word* b, const SumWord* c) { __VA_ARGS__; } \
    }

#define SIXTEEN_K16(name, type, text)                                                                        \
    SHAPE(name, 16, 16, type, type, float, uint32_t, float, (i < 2 || (4 <= i && i < 6)) ? g : g + 8,         \
          t * 2 + (i & 1) + (i < 4 ? 0 : 8), t * 2 + (i & 1) + (i < 2 ? 0 : 8), i < 2 ? g : g + 8,            \
          asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." text "." text ".f32 "                        \
                       "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};\n"               \
                       : OUT4("f")                                                                           \
                       : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), IN4("f")))
#define SIXTEEN_K8(name, type, text)                                                                         \
    SHAPE(name, 16, 8, type, type, float, uint32_t, float, i < 2 ? g : g + 8, t * 2 + (i & 1),                \
          t * 2 + (i & 1), i < 2 ? g : g + 8,                                                                \
          asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." text "." text ".f32 "                         \
                       "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                                       \
                       : OUT4("f") : "r"(a[0]), "r"(a[1]), "r"(b[0]), IN4("f")))

SIXTEEN_K16(HalfK16, __half, "f16");
SIXTEEN_K16(BfloatK16, __nv_bfloat16, "bf16");
SIXTEEN_K8(HalfK8, __half, "f16");
SIXTEEN_K8(BfloatK8, __nv_bfloat16, "bf16");
SHAPE(HalfSumsK16, 16, 16, __half, __half, __half, uint32_t, uint32_t, (i < 2 || (4 <= i && i < 6)) ? g : g + 8,
      t * 2 + (i & 1) + (i < 4 ? 0 : 8), t * 2 + (i & 1) + (i < 2 ? 0 : 8), i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
                   : "=r"(d[0]), "=r"(d[1])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1])));
SHAPE(HalfSumsK8, 16, 8, __half, __half, __half, uint32_t, uint32_t, i < 2 ? g : g + 8, t * 2 + (i & 1),
      t * 2 + (i & 1), i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
                   : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(c[0]), "r"(c[1])));
SHAPE(Tf32K8, 16, 8, float, float, float, uint32_t, float, (i == 0 || i == 2) ? g : g + 8, i < 2 ? t : t + 4,
      i == 0 ? t : t + 4, i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                   "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                   : OUT4("f") : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), IN4("f")));
SHAPE(Tf32K4, 16, 4, float, float, float, uint32_t, float, i == 0 ? g : g + 8, t, t, i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                   : OUT4("f") : "r"(a[0]), "r"(a[1]), "r"(b[0]), IN4("f")));
SHAPE(BytesK32, 16, 32, int8_t, uint8_t, int, uint32_t, int, (i < 4 || (8 <= i && i < 12)) ? g : g + 8,
      t * 4 + (i & 3) + (i < 8 ? 0 : 16), t * 4 + (i & 3) + (i < 4 ? 0 : 16), i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 "
                   "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
                   : OUT4("r") : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), IN4("r")));
SHAPE(BytesK16, 16, 16, uint8_t, int8_t, int, uint32_t, int, i < 4 ? g : g + 8, t * 4 + (i & 3), t * 4 + (i & 3),
      i < 2 ? g : g + 8,
      asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
                   : OUT4("r") : "r"(a[0]), "r"(a[1]), "r"(b[0]), IN4("r")));
SHAPE(SmallBytes, 8, 16, int8_t, int8_t, int, uint32_t, int, g, t * 4 + (i & 3), t * 4 + (i & 3), g,
      asm volatile("mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%4,%5};"
                   : "=r"(d[0]), "=r"(d[1]) : "r"(a[0]), "r"(b[0]), "r"(c[0]), "r"(c[1])));
SHAPE(Doubles, 8, 4, double, double, double, double, double, g, t, t, g,
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                   : "=d"(d[0]), "=d"(d[1]) : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1])));

constexpr int threads = 64;  // two warps, with different matrices

template <class Shape>
__global__ void multiply(typename Shape::Sum* out)
{
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    typename Shape::A a[Shape::M * Shape::K / 32];
    typename Shape::B b[8 * Shape::K / 32];
    typename Shape::Sum c[Shape::M * 8 / 32];
    for (int i = 0; i < Shape::M * Shape::K / 32; ++i)
        a[i] = make<typename Shape::A>(element(warp, Shape::find_row_a(i, g), Shape::find_column_a(i, t),
                                               !std::is_unsigned<typename Shape::A>::value));
    for (int i = 0; i < 8 * Shape::K / 32; ++i)
        b[i] = make<typename Shape::B>(element(warp + 2, Shape::find_row_b(i, t), g,
                                               !std::is_unsigned<typename Shape::B>::value));
    for (int i = 0; i < Shape::M / 4; ++i)
        c[i] = make<typename Shape::Sum>(element(warp + 4, Shape::find_row_c(i, g), t * 2 + (i & 1), true));
    constexpr std::size_t word_bytes = sizeof(typename Shape::Word), sum_word_bytes = sizeof(typename Shape::SumWord);
    typename Shape::Word words_a[sizeof a / word_bytes];
    typename Shape::Word words_b[sizeof b / word_bytes];
    typename Shape::SumWord words_c[sizeof c / sum_word_bytes];
    memcpy(words_a, a, sizeof a);
    memcpy(words_b, b, sizeof b);
    memcpy(words_c, c, sizeof c);
    Shape::run(words_c, words_a, words_b, words_c);
    memcpy(c, words_c, sizeof c);
    __syncthreads();
    for (int i = 0; i < Shape::M / 4; ++i)
        out[(warp * Shape::M + Shape::find_row_c(i, g)) * 8 + t * 2 + (i & 1)] = c[i];
}

template <class Shape>
void test_shape()
{
    typename Shape::Sum* out;
    cudaMallocManaged(&out, sizeof *out * 2 * 16 * 8);
    multiply<Shape><<<1, threads>>>(out);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int warp = 0; warp < 2; ++warp)
        for (int row = 0; row < Shape::M; ++row)
            for (int column = 0; column < 8; ++column) {
                int sum = element(warp + 4, row, column, true);
                for (int k = 0; k < Shape::K; ++k)
                    sum += element(warp, row, k, !std::is_unsigned<typename Shape::A>::value) *
                           element(warp + 2, k, column, !std::is_unsigned<typename Shape::B>::value);
                CHECK(static_cast<float>(out[(warp * Shape::M + row) * 8 + column]) == static_cast<float>(sum));
            }
}

// All elements of A and B are `value`, and the sum is in C and D.
__global__ void saturate(int* out, int value, int start)
{
    const unsigned word = 0x01010101u * static_cast<uint8_t>(value);
    int sum[4] = {start, start, start, start}, wrapped[4] = {start, start, start, start};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32.satfinite {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3]) : "r"(word), "r"(word), "r"(0x01010101));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+r"(wrapped[0]), "+r"(wrapped[1]), "+r"(wrapped[2]), "+r"(wrapped[3])
                 : "r"(word), "r"(word), "r"(0x01010101));
    out[2 * threadIdx.x] = sum[3];
    out[2 * threadIdx.x + 1] = wrapped[3];
}

__device__ unsigned narrow_address(const void* pointer)
{
    unsigned address;
    asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }\n" : "=r"(address) : "l"(pointer));
    return address;
}

// Four matrices of 8 * 8 elements, copied to static and to dynamic memory.
__global__ void load(const uint16_t* from, unsigned* out)
{
    extern __shared__ __align__(16) uint16_t dynamic[];
    __shared__ __align__(16) uint16_t fixed[256];
    const int lane = threadIdx.x;
    unsigned long long wide;
    asm volatile("cvta.to.shared.u64 %0, %1;" : "=l"(wide) : "l"(fixed + 8 * lane));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "l"(wide), "l"(from + 8 * lane) : "memory");
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(dynamic)) + 16 * lane;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n"
                 :: "r"(address), "l"(from + 8 * lane), "n"(16), "r"(lane == 31 ? 4 : 16));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" :: "n"(0));
    __syncthreads();
    unsigned r[14];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(narrow_address(fixed) + 16 * lane));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) : "l"(wide));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];"
                 : "=r"(r[8]), "=r"(r[9]) : "r"(address ^ (lane < 16 ? 256u : 0u)));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%1, %0}, [%2];"
                 : "=r"(r[11]), "=r"(r[10]) : "r"(address));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[12]) : "r"(address));
    dynamic[8 * lane] = 0;  // after all lanes have read
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 %0, [%1];" : "=r"(r[13]) : "r"(narrow_address(fixed + 8 * lane)));
    for (int i = 0; i < 14; ++i) out[14 * lane + i] = r[i];
    const void* back = __cvta_shared_to_generic(address);
    if (back != dynamic + 8 * lane) out[0] = 0;
}

__global__ void load_unaligned(unsigned* out)
{
    __shared__ __align__(16) uint16_t fixed[256];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(*out) : "r"(narrow_address(fixed + 1)));
}

__global__ void convert_null(unsigned* p) { *p = narrow_address(nullptr); }

int main(int count, char**)
{
    test_shape<HalfK16>();
    test_shape<BfloatK16>();
    test_shape<HalfK8>();
    test_shape<BfloatK8>();
    test_shape<HalfSumsK16>();
    test_shape<HalfSumsK8>();
    test_shape<Tf32K8>();
    test_shape<Tf32K4>();
    test_shape<BytesK32>();
    test_shape<BytesK16>();
    test_shape<SmallBytes>();
    test_shape<Doubles>();

    int* sums;
    cudaMallocManaged(&sums, 64 * sizeof *sums);
    saturate<<<1, 32>>>(sums, 127, 0x7FFFFFF0);
    CHECK(sums[0] == 0x7FFFFFFF && sums[63] == static_cast<int>(0x7FFFFFF0u + 127u * 16));
    saturate<<<1, 32>>>(sums, -128, -0x7FFFFFF0);
    CHECK(sums[62] == -0x7FFFFFFF - 1 && sums[1] == static_cast<int>(0x80000010u - 128u * 16));

    uint16_t* from;
    unsigned* out;
    cudaMallocManaged(&from, 256 * sizeof *from);
    cudaMallocManaged(&out, 14 * 32 * sizeof *out);
    for (int i = 0; i < 256; ++i) from[i] = static_cast<uint16_t>(i * 257 + 3);
    load<<<1, 32, 512>>>(from, out);
    CHECK(cudaGetLastError() == cudaSuccess);
    for (int lane = 0; lane < 32; ++lane) {
        const unsigned* r = out + 14 * lane;
        const int g = lane / 4, t = lane % 4;
        const auto row = [&](int i) { return from[64 * i + 8 * g + 2 * t] | unsigned{from[64 * i + 8 * g + 2 * t + 1]} << 16; };
        const auto column = [&](int i) { return from[64 * i + 16 * t + g] | unsigned{from[64 * i + 16 * t + 8 + g]} << 16; };
        for (int i = 0; i < 4; ++i) CHECK(r[i] == row(i) && r[4 + i] == column(i));
        // Of the last row, 4 bytes are copied.
        CHECK(r[8] == row(2) && r[9] == (g < 7 || t == 0 ? row(3) : 0));
        CHECK(r[10] == column(0) && r[11] == column(1) && r[12] == row(0) && r[13] == column(0));
    }
    std::printf("done\n");
    std::fflush(stdout);
    if (count == 2) load_unaligned<<<1, 32>>>(out);
    if (count == 3) convert_null<<<1, 32>>>(out);
    if (count == 4) load_unaligned<<<1, 16>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
