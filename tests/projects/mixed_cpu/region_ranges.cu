// Loops over ranges around barriers. C++ says what a range, its iterators, and the operators are; each thread has its own.
#include "region_results.h"

constexpr int THREADS = 70;

struct Counter {
    int value, step;
    __host__ __device__ int operator*() const { return value; }
    __host__ __device__ Counter& operator++()
    {
        value += step;
        return *this;
    }
    __host__ __device__ bool operator!=(const Counter& other) const { return value < other.value; }
};
class Range {
public:
    __host__ __device__ Range(int first, int last, int step = 1) : first_(first), last_(last), step_(step) {}
    __host__ __device__ Counter begin() const { return {first_, step_}; }
    __host__ __device__ Counter end() const { return {last_, step_}; }

private:
    int first_, last_, step_;
};
__device__ Range range(int last) { return {0, last}; }
__device__ Range from_own_index(int last) { return {int(threadIdx.x), last, 7}; }

// The warps have ranges of different lengths, and the threads leave their loops in all ways.
__global__ void leaves(int* out)
{
    int sum = 0;
    for (int i : Range(0, out[threadIdx.x / 32 * 32] / 8 + 3)) {
        __syncwarp();
        if (i % 5 == 4)
            continue;
        sum += i;
        __syncwarp();
        if (sum > 20)
            break;
    }
    __syncthreads();
    for (int i : range(6)) {
        if (i == int(threadIdx.x % 8)) {
            out[threadIdx.x] = 1000 * i + sum;
            return;
        }
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
int leave(int i)
{
    int sum = 0;
    for (int k = 0; k < i / 32 * 4 + 3; ++k) {
        if (k % 5 == 4)
            continue;
        sum += k;
        if (sum > 20)
            break;
    }
    return i % 8 < 6 ? 1000 * (i % 8) + sum : sum;
}

// Iterators that read the index of the thread, as ranges with a stride do.
struct Stride {
    struct Iterator {
        int value;
        __device__ int operator*() const { return value + int(threadIdx.x); }
        __device__ void operator++() { value += 1 + int(threadIdx.x) % 3; }
        __device__ bool operator!=(const Iterator& end) const { return value + int(threadIdx.x) < end.value; }
    };
    int last;
    __device__ Iterator begin() const { return {int(threadIdx.x)}; }
    __device__ Iterator end() const { return {last}; }
};
__global__ void index(int* out)
{
    __shared__ int part[THREADS];
    int sum = 0;
    for (int i : Stride{90}) {
        part[threadIdx.x] = i;
        __syncwarp(1u << threadIdx.x % 32);
        sum += part[threadIdx.x];
    }
    __syncthreads();
    for (int i : from_own_index(40)) {
        sum += 100 * i;
        __syncwarp(1u << threadIdx.x % 32);
    }
    out[threadIdx.x] = sum;
}

// References to elements keep referring to them behind a barrier.
__global__ void elements(int* out)
{
    __shared__ int shared[4];
    int own[5] = {1, 2, 3, 4, int(threadIdx.x)};
    if (threadIdx.x < 4)
        shared[threadIdx.x] = 10;
    __syncthreads();
    for (auto& x : own) {
        int* place = &x;
        x += 10;
        __syncthreads();
        *place *= 2;
    }
    for (int& x : shared) {
        if (threadIdx.x == 3)
            x += 5;
        __syncthreads();
        own[0] += x;
        __syncthreads();
    }
    int sum = 0;
    for (const auto& x : own) {
        __syncthreads();
        sum += x;
    }
    for (const long& x : shared) {
        __syncthreads();
        shared[threadIdx.x % 4] = 100;
        __syncthreads();
        sum += 10000 * (x == 15 || x == 100);
    }
    out[threadIdx.x] = sum;
}

// A reference to a temporary object, and copies of objects.
struct Both {
    int a, b;
};
struct Pairs {
    struct Iterator {
        int value;
        __device__ Both operator*() const { return {value, int(threadIdx.x)}; }
        __device__ void operator++() { ++value; }
        __device__ bool operator!=(int end) const { return value != end; }
    };
    __device__ Iterator begin() { return {1}; }
    __device__ int end() { return 4; }
};
__global__ void temporaries(int* out)
{
    int sum = 0;
    for (const Both& x : Pairs()) {
        __syncthreads();
        sum += x.a * x.b;
    }
    for (auto&& x : Pairs()) {
        x.b += 1;
        __syncthreads();
        sum += x.a * x.b;
    }
    for (Both x : Pairs()) {
        x.a *= 2;
        __syncthreads();
        sum += x.a * x.b;
    }
    for (const auto x : Pairs()) {
        __syncthreads();
        sum += x.b;
    }
    out[threadIdx.x] = sum;
}

// Functions of the namespace of the range, and not others that are better or closer.
template <class T> __device__ int* begin(T& x) { return nullptr; }
template <class T> __device__ int* end(T& x) { return nullptr; }
namespace found {
struct Three {
    int values[3];
};
struct OnlyBegin {
    int values[2];
    __device__ int* begin() { return nullptr; } // not used, as `end` is no member
};
__global__ void hidden_members(int* out);
class Hidden {
    __device__ int* begin() { return values + 1; }
    __device__ int* end() { return values + 3; }
    friend void hidden_members(int* out);

public:
    int values[3];
};
enum Color { RED, GREEN, BLUE };
struct Names {
    int value;
    __device__ Color operator*() const { return Color(value); }
    __device__ void operator++() { ++value; }
    __device__ bool operator!=(const Names& other) const { return value != other.value; }
};
__device__ int* begin(Three& x) { return x.values; }
__device__ int* end(Three& x) { return x.values + 3; }
__device__ const int* begin(const Three& x) { return x.values + 1; }
__device__ const int* end(const Three& x) { return x.values + 3; }
__device__ int* begin(Hidden& x) { return x.values; }
__device__ int* end(Hidden& x) { return x.values + 3; }
__device__ int* begin(OnlyBegin& x) { return x.values; }
__device__ int* end(OnlyBegin& x) { return x.values + 2; }
__device__ Names begin(Color x) { return {x}; }
__device__ Names end(Color) { return {3}; }
__global__ void hidden_members(int* out)
{
    Hidden hidden;
    for (int i = 0; i < 3; ++i)
        hidden.values[i] = 1 << i;
    int sum = 0;
    for (int x : hidden) {
        __syncthreads();
        sum += x;
    }
    out[threadIdx.x] = sum;
}
} // namespace found
namespace kernels {
template <class T> __device__ int* begin(T& x) { return nullptr; }
template <class T> __device__ int* end(T& x) { return nullptr; }
__global__ void lookup(int* out)
{
    found::Three three{{1, 2, int(threadIdx.x)}};
    const found::Three constant{{100, 200, 300}};
    found::OnlyBegin only{{1000, 2000}};
    int sum = 0, begin = 7, end = 8;
    for (int x : three) {
        __syncthreads();
        sum += x;
    }
    for (int x : constant) {
        __syncthreads();
        sum += x;
    }
    for (int& x : only) {
        x += begin - end;
        __syncthreads();
        sum += x;
    }
    for (found::Color x : found::GREEN) {
        __syncthreads();
        sum += 10000 * x;
    }
    out[threadIdx.x] = sum;
}
} // namespace kernels

// Operators that only the kernel's namespace has.
namespace data {
struct Place {
    int value;
};
struct Places {
    int count;
    __device__ Place begin() const { return {0}; }
    __device__ Place end() const { return {count}; }
};
template <class T> __device__ bool operator!=(const Place&, const T&) { return false; }
} // namespace data
namespace operators {
__device__ bool operator!=(const data::Place& a, const data::Place& b) { return a.value != b.value; }
__device__ data::Place& operator++(data::Place& a)
{
    a.value += 2;
    return a;
}
__device__ int operator*(const data::Place& a) { return a.value; }
__global__ void own(int* out)
{
    int sum = 0;
    for (int x : data::Places{6}) {
        __syncthreads();
        sum += x + 1;
    }
    out[threadIdx.x] = sum;
}
} // namespace operators

// Constness, and the place of a range, to which its iterators point.
struct Box {
    int values[3];
    int used = 0;
    __host__ __device__ Box(int first) : values{first, first + 1, first + 2} {}
    __device__ int* begin()
    {
        used = 100;
        return values;
    }
    __device__ int* end() { return values + 3; }
    __device__ const int* begin() const { return values + 1; }
    __device__ const int* end() const { return values + 3; }
    __device__ Box* operator&() { return nullptr; }
};
__device__ const Box make_constant(int first) { return first; }
__global__ void constness(int* out)
{
    Box box(threadIdx.x);
    const Box constant(10);
    int sum = 0;
    for (int x : box) {
        __syncthreads();
        sum += x;
    }
    for (int x : constant) {
        __syncthreads();
        sum += x;
    }
    for (int x : make_constant(100)) {
        __syncthreads();
        sum += x;
    }
    for (int& x : Box(threadIdx.x)) {
        x *= 2;
        __syncthreads();
        sum += x;
    }
    out[threadIdx.x] = sum + box.used;
}
__global__ void sequences(int* out)
{
    Box box(threadIdx.x);
    int sum = 0;
    for (int x : (sum++, box)) {
        __syncthreads();
        sum += x;
    }
    out[threadIdx.x] = sum;
}

// What lives in the initializer of a range.
struct Note {
    int* place;
    int value;
    __device__ ~Note() { *place += value; }
    __device__ Range get() const { return {*place, *place + 3}; }
    int values[3] = {5, 6, 7};
};
__device__ const Box& pass(const Box& box) { return box; }
__global__ void lifetimes(int* out)
{
    out[threadIdx.x] = threadIdx.x;
    int sum = 0;
    for (int i : Note{out + threadIdx.x, 1000}.get()) {
        __syncthreads();
        sum += i + out[threadIdx.x]; // the note has ended
    }
    out[threadIdx.x] = sum;
}
__global__ void parts_of_temporaries(int* out)
{
    out[threadIdx.x] = threadIdx.x;
    int sum = 0;
    for (int i : Note{out + threadIdx.x, 1000}.values) {
        __syncthreads();
        sum += i + out[threadIdx.x]; // the note lives as long as the loop
    }
    out[threadIdx.x] = sum;
}
__global__ void converted(int* out)
{
    int sum = 0;
    for (int i : static_cast<const Box&>(Box(threadIdx.x))) {
        __syncthreads();
        sum += i;
    }
    out[threadIdx.x] = sum;
}
__global__ void returned(int* out)
{
    Box box(threadIdx.x);
    int sum = 0;
    for (int i : pass(box)) {
        __syncthreads();
        sum += i;
    }
    out[threadIdx.x] = sum;
}

// Names that are hidden, and conversions of elements.
struct Wide {
    int value;
    __device__ Wide(int x) : value(3 * x) {}
};
template <class T> __global__ void names(int* out, T last)
{
    int x = 2, sum = 0;
    for (int x : Range(0, last))
        for (int y : Range(x, 3)) {
            int* place = &x;
            __syncthreads();
            sum += *place * 10 + y;
        }
    for (Wide wide : range(x + 1)) {
        __syncthreads();
        sum += wide.value;
    }
    for (unsigned char c : Range(254, 258)) {
        __syncthreads();
        sum += c;
    }
    for (const bool b : Range(-1, 2))
        if (x == 2) {
            __syncthreads();
            sum += b;
        }
    for (auto unused : range(3))
        __syncthreads();
    out[threadIdx.x] = sum + x;
}

__global__ void own_name(int* out)
{
    int x = 2, sum = 0;
    for (int x : Range(x, 5)) {
        __syncthreads();
        sum += x;
    }
    out[threadIdx.x] = sum + x;
}

// Warp operations in the initializer and in the body, and a divided function.
__device__ int scan(int value, int* part)
{
    for (int offset : Range(1, 32, 3)) {
        part[threadIdx.x] = value;
        __syncthreads();
        if (int(threadIdx.x) >= offset)
            value += part[threadIdx.x - offset];
        __syncthreads();
    }
    return value;
}
__global__ void operations(int* out)
{
    __shared__ int part[THREADS];
    int sum = 0, count = threadIdx.x % 32 + 2;
    if (threadIdx.x < 64) {
        for (int i : range(__shfl_sync(~0u, count, 1)))
            sum += __shfl_xor_sync(~0u, int(threadIdx.x), i);
    }
    out[threadIdx.x] = scan(sum, part);
}

// A proxy for memory, and an element that is one.
struct Reference {
    int* place;
    __device__ Reference& operator=(int value)
    {
        *place = value;
        return *this;
    }
    __device__ operator int() const { return *place; }
};
struct Proxies {
    struct Iterator {
        int* place;
        __device__ Reference operator*() const { return {place}; }
        __device__ void operator++() { ++place; }
        __device__ bool operator!=(const Iterator& end) const { return place != end.place; }
    };
    int *first, *last;
    __device__ Iterator begin() const { return {first}; }
    __device__ Iterator end() const { return {last}; }
};
__global__ void proxies(int* out)
{
    __shared__ int part[3];
    int sum = 0;
    for (auto x : Proxies{part, part + 3}) {
        if (threadIdx.x == 0)
            x = 4;
        __syncthreads();
        sum += x;
        __syncthreads();
        if (threadIdx.x == 69)
            x = 50;
    }
    __syncthreads();
    out[threadIdx.x] = sum + part[0];
}

int main()
{
    if (cudaMallocManaged(&results, 512 * sizeof *results) != cudaSuccess)
        return 1;
    for (int i = 0; i < THREADS; ++i)
        results[i] = i;
    leaves<<<1, THREADS>>>(results);
    check("leaves", THREADS, leave);
    index<<<1, THREADS>>>(results);
    check("index", THREADS, [](int i) {
        int sum = 0;
        for (int value = i; value + i < 90; value += 1 + i % 3)
            sum += value + i;
        for (int value = i; value < 40; value += 7)
            sum += 100 * value;
        return sum;
    });
    elements<<<1, THREADS>>>(results);
    check("elements", THREADS, [](int i) { return 22 + 60 + 24 + 26 + 28 + 2 * (i + 10) + 40000; });
    temporaries<<<1, THREADS>>>(results);
    check("temporaries", THREADS, [](int i) { return 6 * i + 6 * (i + 1) + 12 * i + 3 * i; });
    kernels::lookup<<<1, THREADS>>>(results);
    check("lookup", THREADS, [](int i) { return 3 + i + 500 + 2998 + 30000; });
    found::hidden_members<<<1, THREADS>>>(results);
    check("hidden_members", THREADS, [](int) { return 6; });
    operators::own<<<1, THREADS>>>(results);
    check("own", THREADS, [](int) { return 9; });
    constness<<<1, THREADS>>>(results);
    check("constness", THREADS, [](int i) { return 3 * i + 3 + 23 + 203 + 6 * i + 6 + 100; });
    sequences<<<1, THREADS>>>(results);
    check("sequences", THREADS, [](int i) { return 1 + 3 * i + 3; });
    own_name<<<1, THREADS>>>(results);
    check("own_name", THREADS, [](int) { return 2 + 3 + 4 + 2; });
    lifetimes<<<1, THREADS>>>(results);
    check("lifetimes", THREADS, [](int i) { return 3 * i + 3 + 3 * (i + 1000); });
    parts_of_temporaries<<<1, THREADS>>>(results);
    check("parts_of_temporaries", THREADS, [](int i) { return 18 + 3 * i + 0 * 1000; });
    converted<<<1, THREADS>>>(results);
    check("converted", THREADS, [](int i) { return 2 * i + 3; });
    returned<<<1, THREADS>>>(results);
    check("returned", THREADS, [](int i) { return 2 * i + 3; });
    names<int><<<1, THREADS>>>(results, 4);
    check("names", THREADS, [](int) { return 0 + 0 + 1 + 2 + 10 + 1 + 10 + 2 + 20 + 2 + 9 + 254 + 255 + 0 + 1 + 2 + 2; });
    operations<<<1, THREADS>>>(results);
    check("operations", THREADS, [](int i) {
        int values[THREADS];
        for (int t = 0; t < THREADS; ++t) {
            values[t] = 0;
            for (int k = 0; k < 3 && t < 64; ++k)
                values[t] += t ^ k;
        }
        for (int offset = 1; offset < 32; offset += 3)
            for (int t = THREADS - 1; t >= offset; --t)
                values[t] += values[t - offset];
        return values[i];
    });
    proxies<<<1, THREADS>>>(results);
    check("proxies", THREADS, [](int) { return 62; });
    std::printf("done\n");
}
