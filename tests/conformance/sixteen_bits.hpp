// The tests of a 16-bit floating-point type.  The source defines NUMBER and PAIR (the types), NAME
// (which makes a name), and EXPONENT, MAGNITUDE (the largest arguments of exp and of log).

// Unary functions that are exact for all 65,536 numbers.
#define EXACT_FUNCTIONS(x)                                                                        \
    x(htrunc, NUMBER) x(hceil, NUMBER) x(hfloor, NUMBER) x(hrint, NUMBER) x(__habs, NUMBER)       \
    x(__hneg, NUMBER) x(__hisnan, int) x(__hisinf, int) x(NAME(__, 2float), float)                \
    x(NAME(__, _as_short), short) x(NAME(__, _as_ushort), unsigned short)                         \
    x(NAME(__, 2char_rz), signed char) x(NAME(__, 2uchar_rz), unsigned char)                      \
    ROUNDED(x, 2short, short) ROUNDED(x, 2ushort, unsigned short) ROUNDED(x, 2int, int)           \
    ROUNDED(x, 2uint, unsigned int) ROUNDED(x, 2ll, long long) ROUNDED(x, 2ull, unsigned long long) \
    x(NAME2(__, 2, 2), PAIR) x(plus_operator, NUMBER) x(minus_operator, NUMBER)                   \
    x(increment, NUMBER) x(decrement, NUMBER) x(to_char, signed char) x(to_int, int)              \
    x(to_long, long) x(to_bool, int) x(through_volatile, NUMBER) x(through_memory, NUMBER)
#define ROUNDED(x, name, type)                                                                    \
    x(NAME(__, name##_rn), type) x(NAME(__, name##_rz), type) x(NAME(__, name##_rd), type)        \
    x(NAME(__, name##_ru), type)

// Unary functions with a limited error: the name, and an interval.
#define INEXACT_FUNCTIONS(x)                                                                      \
    x(hsqrt, 0, MAGNITUDE) x(hrsqrt, 0.01, MAGNITUDE) x(hrcp, 0.01, MAGNITUDE)                    \
    x(hlog, 0.01, MAGNITUDE) x(hlog2, 0.01, MAGNITUDE) x(hlog10, 0.01, MAGNITUDE)                 \
    x(hexp, -EXPONENT, EXPONENT) x(hexp2, -EXPONENT, EXPONENT) x(hexp10, -EXPONENT / 3, EXPONENT / 3) \
    x(hsin, -20, 20) x(hcos, -20, 20) x(htanh, -5, 5) x(htanh_approx, 0.55, 4)

// Functions of pairs that apply a function to both numbers.
#define PAIR_FUNCTIONS(x)                                                                         \
    x(h2trunc) x(h2ceil) x(h2floor) x(h2rint) x(__habs2) x(__hneg2) x(__hisnan2)                  \
    x(__lowhigh2highlow) x(NAME(__low2, 2)) x(NAME(__high2, 2)) x(pair_increment) x(pair_minus)   \
    x(pair_through_memory)
#define INEXACT_PAIR_FUNCTIONS(x)                                                                 \
    x(h2sqrt, hsqrt) x(h2rsqrt, hrsqrt) x(h2rcp, hrcp) x(h2log, hlog) x(h2log2, hlog2)            \
    x(h2log10, hlog10) x(h2exp, hexp) x(h2exp2, hexp2) x(h2exp10, hexp10) x(h2sin, hsin)          \
    x(h2cos, hcos) x(h2tanh, htanh) x(h2tanh_approx, htanh_approx)

#define BINARY_FUNCTIONS(x)                                                                       \
    x(__hadd, NUMBER) x(__hsub, NUMBER) x(__hmul, NUMBER) x(__hdiv, NUMBER) x(__hadd_rn, NUMBER)  \
    x(__hsub_rn, NUMBER) x(__hmul_rn, NUMBER) x(__hadd_sat, NUMBER) x(__hsub_sat, NUMBER)         \
    x(__hmul_sat, NUMBER) x(__hmax, NUMBER) x(__hmin, NUMBER) x(__hmax_nan, NUMBER)               \
    x(__hmin_nan, NUMBER) x(__heq, int) x(__hne, int) x(__hle, int) x(__hge, int) x(__hlt, int)   \
    x(__hgt, int) x(__hequ, int) x(__hneu, int) x(__hleu, int) x(__hgeu, int) x(__hltu, int)      \
    x(__hgtu, int) x(arithmetic_operators, NUMBER) x(assignment_operators, NUMBER)                \
    x(comparison_operators, int) x(NAME(__halves2, 2), PAIR) x(NAME(make_, 2), PAIR)

#define PAIR_BINARY_FUNCTIONS(x)                                                                  \
    x(__hadd2, PAIR) x(__hsub2, PAIR) x(__hmul2, PAIR) x(__h2div, PAIR) x(__hadd2_rn, PAIR)       \
    x(__hsub2_rn, PAIR) x(__hmul2_rn, PAIR) x(__hadd2_sat, PAIR) x(__hsub2_sat, PAIR)             \
    x(__hmul2_sat, PAIR) x(__hmax2, PAIR) x(__hmin2, PAIR) x(__hmax2_nan, PAIR)                   \
    x(__hmin2_nan, PAIR) COMPARISONS(x, eq) COMPARISONS(x, ne) COMPARISONS(x, le)                 \
    COMPARISONS(x, ge) COMPARISONS(x, lt) COMPARISONS(x, gt) COMPARISONS(x, equ)                  \
    COMPARISONS(x, neu) COMPARISONS(x, leu) COMPARISONS(x, geu) COMPARISONS(x, ltu)               \
    COMPARISONS(x, gtu) x(NAME(__lows2, 2), PAIR) x(NAME(__highs2, 2), PAIR)                      \
    x(pair_operators, PAIR) x(pair_comparison_operators, int)
#define COMPARISONS(x, name) x(__h##name##2, PAIR) x(__hb##name##2, int) x(__h##name##2_mask, unsigned int)

#define TERNARY_FUNCTIONS(x, type, suffix) x(__hfma##suffix, type) x(__hfma##suffix##_sat, type) x(__hfma##suffix##_relu, type)

// Conversions from integers, with all rounding modes.
#define FROM_INTEGERS(x)                                                                          \
    FROM_INTEGER(x, short, short) FROM_INTEGER(x, unsigned short, ushort) FROM_INTEGER(x, int, int) \
    FROM_INTEGER(x, unsigned int, uint) FROM_INTEGER(x, long long, ll)                            \
    FROM_INTEGER(x, unsigned long long, ull)
#define FROM_INTEGER(x, type, name)                                                               \
    x(NAME(__##name##2, _rn), type) x(NAME(__##name##2, _rz), type) x(NAME(__##name##2, _rd), type) \
    x(NAME(__##name##2, _ru), type)
#define CONSTRUCTORS(x)                                                                           \
    x(from_short, short) x(from_ushort, unsigned short) x(from_int, int) x(from_uint, unsigned int) \
    x(from_long, long) x(from_ulong, unsigned long) x(from_ll, long long) x(from_ull, unsigned long long)

__device__ NUMBER plus_operator(NUMBER a) { return +a; }
__device__ NUMBER minus_operator(NUMBER a) { return -a; }
__device__ NUMBER increment(NUMBER a) { return a++ == a ? a : ++a; }
__device__ NUMBER decrement(NUMBER a) { return a-- == a ? a : --a; }
__device__ signed char to_char(NUMBER a) { return a; }
__device__ int to_int(NUMBER a) { return a; }
__device__ long to_long(NUMBER a) { return a; }
__device__ int to_bool(NUMBER a) { return a ? 1 : 0; }
__device__ NUMBER through_volatile(NUMBER a) {
    volatile NUMBER copy;
    copy = static_cast<RAW>(a);
    return static_cast<RAW>(copy);
}
alignas(8) __device__ NUMBER memory[2 << 16];  // two numbers per thread
__device__ NUMBER through_memory(NUMBER a) {
    NUMBER* const copies = memory + 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    __stcg(copies, a);
    __stcs(copies + 1, __ldcg(copies));
    return __ldcs(copies + 1);
}
__device__ NUMBER arithmetic_operators(NUMBER a, NUMBER b) { return (a + b) * a / b - a; }
__device__ NUMBER assignment_operators(NUMBER a, NUMBER b) {
    NUMBER c = a;
    c += b;
    c *= a;
    c /= b;
    c -= a;
    return c;
}
__device__ int comparison_operators(NUMBER a, NUMBER b) {
    return (a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a > b) + 16 * (a <= b) + 32 * (a >= b);
}
__device__ PAIR pair_operators(PAIR a, PAIR b) {
    PAIR c = (a + b) * a / b - a;
    c += b;
    c *= a;
    c /= b;
    c -= a;
    return +c;
}
__device__ int pair_comparison_operators(PAIR a, PAIR b) {
    return (a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a > b) + 16 * (a <= b) + 32 * (a >= b);
}
__device__ PAIR pair_increment(PAIR a) { return a++ == a ? a : --(++a); }
__device__ PAIR pair_minus(PAIR a) { return -a; }
__device__ PAIR pair_through_memory(PAIR a) {
    PAIR* const copy = reinterpret_cast<PAIR*>(memory) + blockIdx.x * blockDim.x + threadIdx.x;
    __stcg(copy, a);
    __stcs(copy, __ldcg(copy));
    return __ldcs(copy);
}
__device__ NUMBER from_short(short a) { return a; }
__device__ NUMBER from_ushort(unsigned short a) { return a; }
__device__ NUMBER from_int(int a) { return a; }
__device__ NUMBER from_uint(unsigned int a) { return a; }
__device__ NUMBER from_long(long a) { return a; }
__device__ NUMBER from_ulong(unsigned long a) { return a; }
__device__ NUMBER from_ll(long long a) { return a; }
__device__ NUMBER from_ull(unsigned long long a) { return a; }
__device__ NUMBER from_float(float a) { return a; }
__device__ NUMBER from_double(double a) { return a; }
__device__ float low_and_high(PAIR a) {
    return __low2float(a) + __high2float(a) + float(NAME(__low2, )(a)) + float(NAME(__high2, )(a));
}

// A product and a sum do not follow each other above, because a GPU can combine them.

// A name that a macro makes needs one more level.
#define UNARY(name, Out, A) CONFORMANCE_UNARY(name, Out, A)
#define BINARY(name, Out, A) CONFORMANCE_BINARY(name, Out, A, A)
#define TERNARY(name, Out, A) CONFORMANCE_TERNARY(name, Out, A, A, A)
#define FUNCTION_TEST(name, Out) UNARY(name, Out, NUMBER)
#define INEXACT_TEST(name, low, high) UNARY(name, NUMBER, NUMBER)
#define PAIR_TEST(name) UNARY(name, PAIR, PAIR)
// The function of pairs gives what the function of numbers gives.
#define INEXACT_PAIR_TEST(name2, name)                                            \
    __device__ int same_##name2(PAIR a) {                                         \
        const PAIR expected(name(a.x), name(a.y)), made = name2(a);               \
        return __hbequ2(expected, made) ? 1 : 0;                                  \
    }                                                                             \
    UNARY(same_##name2, int, PAIR)
#define BINARY_TEST(name, Out) BINARY(name, Out, NUMBER)
#define PAIR_BINARY_TEST(name, Out) BINARY(name, Out, PAIR)
#define TERNARY_TEST(name, type) TERNARY(name, type, type)
#define FROM_INTEGER_TEST(name, type) UNARY(name, NUMBER, type)
EXACT_FUNCTIONS(FUNCTION_TEST)
INEXACT_FUNCTIONS(INEXACT_TEST)
PAIR_FUNCTIONS(PAIR_TEST)
INEXACT_PAIR_FUNCTIONS(INEXACT_PAIR_TEST)
BINARY_FUNCTIONS(BINARY_TEST)
PAIR_BINARY_FUNCTIONS(PAIR_BINARY_TEST)
TERNARY_FUNCTIONS(TERNARY_TEST, NUMBER, )
TERNARY_FUNCTIONS(TERNARY_TEST, PAIR, 2)
TERNARY(__hcmadd, PAIR, PAIR)
FROM_INTEGERS(FROM_INTEGER_TEST)
CONSTRUCTORS(FROM_INTEGER_TEST)
UNARY(NAME(__short_as_, ), NUMBER, short)
UNARY(NAME(__ushort_as_, ), NUMBER, unsigned short)
UNARY(NAME(__float2, ), NUMBER, float)
UNARY(NAME(__float2, _rn), NUMBER, float)
UNARY(NAME(__float2, _rz), NUMBER, float)
UNARY(NAME(__float2, _rd), NUMBER, float)
UNARY(NAME(__float2, _ru), NUMBER, float)
UNARY(NAME(__double2, ), NUMBER, double)
UNARY(from_float, NUMBER, float)
UNARY(from_double, NUMBER, double)
UNARY(NAME(__float2, 2_rn), PAIR, float)
UNARY(NAME(__float22, 2_rn), PAIR, float2)
UNARY(NAME(__, 22float2), float2, PAIR)
UNARY(low_and_high, float, PAIR)
BINARY(NAME(__floats2, 2_rn), PAIR, float)

// The sums are exact, so that their order does not matter.
__global__ void test_atomics(NUMBER* number, PAIR* pair) {
    atomicAdd(number, NUMBER(static_cast<float>(threadIdx.x % 2)));
    atomicAdd(pair, PAIR(NUMBER(1.0f), NUMBER(-0.5f)));
}

// Numbers in shared memory and as parameters.
__global__ void test_reverse(const NUMBER factor, const PAIR addend, NUMBER* out) {
    __shared__ NUMBER numbers[64];
    numbers[threadIdx.x] = factor * NUMBER(static_cast<int>(threadIdx.x)) + addend.y;
    __syncthreads();
    out[threadIdx.x] = numbers[63 - threadIdx.x];
}

inline void run_kernels(const char* atomics, const char* reverse) {
    using namespace conformance;
    const DeviceVector<NUMBER> number(std::vector<NUMBER>(1, NUMBER(0.0f)));
    const DeviceVector<PAIR> pair(std::vector<PAIR>(1, PAIR(NUMBER(2.0f), NUMBER(0.0f))));
    test_atomics<<<2, 64>>>(number.data(), pair.data());
    check(cudaDeviceSynchronize(), "atomics");
    const PAIR sums = pair.read()[0];
    print(atomics, std::vector<NUMBER>{number.read()[0], sums.x, sums.y}, 0);

    const DeviceVector<NUMBER> out(std::vector<NUMBER>(64, NUMBER(0.0f)));
    test_reverse<<<1, 64>>>(NUMBER(0.75f), PAIR(NUMBER(9.0f), NUMBER(-1.5f)), out.data());
    check(cudaDeviceSynchronize(), "reverse");
    print(reverse, out.read(), 0);
}

// Host code has the same functions.
inline void run_in_host_code(const char* name) {
    using namespace conformance;
    std::vector<NUMBER> results;
    Random random;
    for (int i = 0; i < 4096; ++i) {
        const NUMBER a = make_input<NUMBER>(random, i, {}), b = make_input<NUMBER>(random, i + 5, {});
        results.push_back(a + b);
        results.push_back(__hmul(a, b));
        results.push_back(__hmax(a, b));
        results.push_back(NAME(__float2, _ru)(float(a) * 1.0625f));
        results.push_back(NUMBER(a < b ? 1.0f : 0.0f));
    }
    print(name, results, 0);
}

#define TEXT(name) TEXT_OF(name)
#define TEXT_OF(name) #name
#define TEST(name) TEST_OF(name)
#define TEST_OF(name) test_##name
#define RUN_ALL(name, Out) conformance::run_all<Out, NUMBER>(TEXT(name), TEST(name));
#define RUN_INEXACT(name, low, high) conformance::run<NUMBER, NUMBER>(TEXT(name), TEST(name), 1, {low, high}, 512);
#define RUN_PAIR(name) conformance::run<PAIR, PAIR>(TEXT(name), TEST(name), 0, {}, 4096);
#define RUN_INEXACT_PAIR(name2, name) conformance::run<int, PAIR>(TEXT(name2), TEST(same_##name2), 0);
#define RUN_BINARY(name, Out) conformance::run<Out, NUMBER, NUMBER>(TEXT(name), TEST(name), 0, {}, 32768);
#define RUN_PAIR_BINARY(name, Out) conformance::run<Out, PAIR, PAIR>(TEXT(name), TEST(name), 0, {}, 32768);
#define RUN_TERNARY(name, type) conformance::run<type, type, type, type>(TEXT(name), TEST(name), 0, {}, 65536);
#define RUN_FROM_INTEGER(name, type) conformance::run<NUMBER, type>(TEXT(name), TEST(name), 0, {}, 16384);
#define RUN_NEAR(name, type) conformance::run_near_numbers<NUMBER, type>(TEXT(name), TEST(name));

int main() {
    EXACT_FUNCTIONS(RUN_ALL)
    INEXACT_FUNCTIONS(RUN_INEXACT)
    PAIR_FUNCTIONS(RUN_PAIR)
    INEXACT_PAIR_FUNCTIONS(RUN_INEXACT_PAIR)
    BINARY_FUNCTIONS(RUN_BINARY)
    PAIR_BINARY_FUNCTIONS(RUN_PAIR_BINARY)
    TERNARY_FUNCTIONS(RUN_TERNARY, NUMBER, )
    TERNARY_FUNCTIONS(RUN_TERNARY, PAIR, 2)
    RUN_TERNARY(__hcmadd, PAIR)
    FROM_INTEGERS(RUN_FROM_INTEGER)
    CONSTRUCTORS(RUN_FROM_INTEGER)
    RUN_FROM_INTEGER(NAME(__short_as_, ), short)
    RUN_FROM_INTEGER(NAME(__ushort_as_, ), unsigned short)
    RUN_NEAR(NAME(__float2, ), float)
    RUN_NEAR(NAME(__float2, _rn), float)
    RUN_NEAR(NAME(__float2, _rz), float)
    RUN_NEAR(NAME(__float2, _rd), float)
    RUN_NEAR(NAME(__float2, _ru), float)
    RUN_NEAR(NAME(__double2, ), double)
    RUN_NEAR(from_float, float)
    RUN_NEAR(from_double, double)
    conformance::run<PAIR, float>(TEXT(NAME(__float2, 2_rn)), TEST(NAME(__float2, 2_rn)), 0, {-9, 9}, 4096);
    conformance::run<PAIR, float2>(TEXT(NAME(__float22, 2_rn)), TEST(NAME(__float22, 2_rn)), 0, {-9, 9}, 4096);
    conformance::run<float2, PAIR>(TEXT(NAME(__, 22float2)), TEST(NAME(__, 22float2)), 0, {}, 4096);
    conformance::run<float, PAIR>("low_and_high", test_low_and_high, 0, {}, 4096);
    conformance::run<PAIR, float, float>(TEXT(NAME(__floats2, 2_rn)), TEST(NAME(__floats2, 2_rn)), 0, {-9, 9}, 4096);
    run_kernels("atomicAdd", "parameters_and_shared_memory");
    run_in_host_code("host_code");
    run_other_tests();
}
