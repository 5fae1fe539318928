// Loops that seem to count, or to update memory by atomicCAS, and wait for another thread: the names and operators in
// them are those of the user. With the ones of CUDA, the last kernels are plain loops.
#include "region_results.h"

__device__ int read_flag(int* flag) { return atomicAdd(flag, 0); }
#define WAIT_FOR(flag, ...) \
    if (threadIdx.x == 0) { \
        __VA_ARGS__ \
        out[0] = 5; \
    } else { \
        out[threadIdx.x] = 6; \
        if (threadIdx.x == 40) \
            atomicExch(flag, 1); \
    }

namespace user {
__device__ int atomicCAS(int* flag, int seen, int) { return read_flag(flag) ? seen : seen + 1; }
__global__ void function_of_a_namespace(int* out, int* flag)
{
    WAIT_FOR(flag, int old = 0, seen; do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
}
__global__ void local_function(int* out, int* flag)
{
    auto atomicCAS = [](int* p, int seen, int) { return read_flag(p) ? seen : seen + 1; };
    WAIT_FOR(flag, int old = 0, seen; do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
struct Value {
    int* flag;
    __device__ Value& operator++() { return *this; }
};
__device__ bool operator!=(Value a, Value) { return !read_flag(a.flag); }
__device__ bool operator<(Value a, int) { return !read_flag(a.flag); }
__device__ Value atomicCAS(int*, Value seen, int) { return seen; }
__global__ void comparison(int* out, int* flag)
{
    WAIT_FOR(flag, Value old{flag}; Value seen = old;
             do { seen = old; old = atomicCAS(flag, seen, 1); } while (seen != old);)
}
__global__ void counter_of_a_class(int* out, int* flag)
{
    WAIT_FOR(flag, for (Value i{flag}; i < 1; ++i) {})
}
__device__ int atomicRetry(int& i, int* flag) { return read_flag(flag) ? 0 : (i = -1); }
__global__ void changed_counter(int* out, int* flag)
{
    int result = 0;
    WAIT_FOR(flag, for (int i = 0; i < 1; ++i) result += atomicRetry(i, flag);)
}
// Operators of enumerations, and of objects that get the counter.
enum class Phase { first, last };
__device__ int* waited;
__device__ bool operator<(Phase, Phase) { return !read_flag(waited); }
__device__ Phase& operator++(Phase& phase) { return phase; }
__global__ void enumeration(int* out, int* flag)
{
    waited = flag;
    WAIT_FOR(flag, for (Phase i = Phase::first; i < Phase::last; ++i) {})
}
struct Stream {
    int* flag;
};
__device__ void operator>>(Stream stream, int& i) { i = read_flag(stream.flag) ? i : 0; }
__global__ void stream(int* out, int* flag)
{
    WAIT_FOR(flag, Stream stream{flag}; for (int i = 0; i < 10; ++i) stream >> i;)
}
struct Flags {
    int* flag;
    __device__ Flags begin() const { return *this; }
    __device__ Flags end() const { return *this; }
    __device__ int operator*() const { return 0; }
    __device__ void operator++() {}
    __device__ bool operator!=(Flags) const { return !read_flag(flag); }
};
__global__ void range(int* out, int* flag)
{
    WAIT_FOR(flag, for (int i : Flags{flag}) out[1] += i;)
}
// The kernel names no atomic function.
__device__ void set_flag(int* flag) { atomicExch(flag, 1); }
__global__ void functions_with_flags(int* out, int* flag)
{
    if (threadIdx.x == 0) {
        for (int i : Flags{flag})
            out[1] += i;
        out[0] = 5;
    } else {
        out[threadIdx.x] = 6;
        if (threadIdx.x == 40)
            set_flag(flag);
    }
}
// Not each turn counts, or not in the same direction, or by the same amount, or to the same limit.
__global__ void conditional_count(int* out, int* flag)
{
    WAIT_FOR(flag, for (int i = 0; i < 10;) if (read_flag(flag)) ++i;)
}
__global__ void count_down(int* out, int* flag)
{
    WAIT_FOR(flag, for (int i = 9; i > 0;) { --i; if (!read_flag(flag)) ++i; })
}
__global__ void amount(int* out, int* flag)
{
    int one = 0;
    WAIT_FOR(flag, for (int i = 0; i < 9; i += one) one = read_flag(flag);)
}
__global__ void limit(int* out, int* flag)
{
    int last = 3;
    WAIT_FOR(flag, for (int i = 0; i < last; ++i) if (!read_flag(flag)) ++last;)
}
// Something from before the loop refers to the counter, or the limit; or they are members.
#define WAITING_KERNEL(name, ...) \
    __global__ void name(int* out, int* flag) \
    { \
        WAIT_FOR(flag, __VA_ARGS__) \
    }
struct Reset {
    int& counter;
    __device__ void operator()(bool is_set) const { counter = is_set ? counter : 0; }
};
struct Cursor {
    int* flag;
    int place;
    __device__ void check() { place = read_flag(flag) ? place : 0; }
    __device__ void move()
    {
        for (place = 0; place < 9; ++place)
            check();
    }
};
__device__ void count_both(int& i, int& j, int* flag)
{
    for (; i < 9; ++i)
        j = read_flag(flag) ? j : 0;
}
WAITING_KERNEL(pointer_to_counter, for (int i = 0, *p = &i; i < 9; ++i) if (!read_flag(flag)) *p = 0;)
WAITING_KERNEL(reference_to_counter, int k = 0; int& r = k; for (; k < 9; ++k) r = read_flag(flag) ? r : 0;)
WAITING_KERNEL(object_with_counter, int k = 0; Reset reset{k}; for (; k < 9; ++k) reset(read_flag(flag));)
WAITING_KERNEL(lambda_with_limit, int n = 9; auto more = [&n](int set) { n += !set; };
               for (int i = 0; i < n; ++i) more(read_flag(flag));)
WAITING_KERNEL(counter_in_union, union { int k; int all; }; for (k = 0; k < 9; ++k) all *= read_flag(flag);)
WAITING_KERNEL(counter_of_an_object, (Cursor{flag, 0}).move();)
WAITING_KERNEL(same_counters, int k = 0; count_both(k, k, flag);)
// A lambda, an operator, and a destructor that call themselves.
struct Again {
    int* flag;
    __device__ Again& operator++() { return read_flag(flag) ? *this : ++*this; }
};
struct Last {
    int* flag;
    __device__ ~Last()
    {
        if (!read_flag(flag))
            Last last{flag};
    }
};
WAITING_KERNEL(recursive_lambda, const auto wait = [](auto self, int* p) -> int {
    return read_flag(p) ? 1 : self(self, p);
}; wait(wait, flag);)
WAITING_KERNEL(recursive_operator, Again again{flag}; ++again;)
WAITING_KERNEL(recursive_destructor, Last last{flag};)
// A function that calls itself is a loop, too.
__device__ void wait_again(int* flag)
{
    if (read_flag(flag) == 0)
        wait_again(flag);
}
__global__ void recursion(int* out, int* flag)
{
    WAIT_FOR(flag, wait_again(flag);)
}
struct Pair {
    int* flag;
    __device__ void wait()
    {
        if (read_flag(flag) == 0)
            this->wait_through();
    }
    __device__ void wait_through() { wait(); }
};
__global__ void recursion_of_two(int* out, int* flag)
{
    WAIT_FOR(flag, Pair{flag}.wait();)
}
struct Link {
    int* flag;
    Link* next;
    __device__ void follow()
    {
        if (read_flag(flag) == 0)
            next->follow();
    }
};
struct Owner;
struct Part {
    Owner* owner;
    __device__ void visit();
};
struct Owner {
    int* flag;
    Part* parts;
    __device__ void check_parts()
    {
        if (read_flag(flag) == 0)
            parts[0].visit();
    }
};
__device__ void Part::visit() { (*owner).check_parts(); }
__device__ void (*functions[1])(int*);
__device__ void wait_by_pointer(int* flag)
{
    if (read_flag(flag) == 0)
        functions[0](flag);
}
__global__ void recursion_of_objects(int* out, int* flag)
{
    WAIT_FOR(flag, Link a{flag, nullptr}; Link b{flag, &a}; a.next = &b; a.follow();)
}
__global__ void recursion_of_classes(int* out, int* flag)
{
    WAIT_FOR(flag, Part part{}; Owner owner{flag, &part}; part.owner = &owner; owner.check_parts();)
}
__global__ void recursion_through_a_pointer(int* out, int* flag)
{
    functions[0] = wait_by_pointer;
    WAIT_FOR(flag, wait_by_pointer(flag);)
}

// Another kernel made the object, so that the second one refers to no function.
struct Object {
    __device__ virtual int get() const { return __shfl_xor_sync(~0u, int(threadIdx.x), 1); }
};
__device__ Object* object;
__global__ void make_object() { object = new Object; }
__global__ void virtual_function(int* out) { out[threadIdx.x] = object->get(); }
__global__ void delete_object() { delete object; }

// Constant expressions can have such loops, too.
__host__ __device__ constexpr int count_bits(unsigned value)
{
    int count = 0;
    while (value >>= 1)
        ++count;
    return count;
}
__device__ unsigned long long total;
__global__ void real_update(int* out, int*)
{
    constexpr int size = count_bits(64);
    __shared__ int bits[count_bits(64)];
    bits[threadIdx.x % size] = 6;
    unsigned long long old = total, seen;
    do {
        seen = old;
        old = atomicCAS(&total, seen, seen + 1);
    } while (seen != old);
    out[threadIdx.x] = threadIdx.x ? bits[threadIdx.x % size] : 5;
}
__device__ int sum;
template <int N> __device__ void add_down(int* to)
{
    atomicAdd(to, N);
    if constexpr (N > 0)
        add_down<N - 1>(to);
}
__device__ void add_all(int*) {}
template <class... Rest> __device__ void add_all(int* to, int first, Rest... rest)
{
    atomicAdd(to, first);
    add_all(to, rest...);
}
__global__ void counted(int* out, int*)
{
    const int values[] = {1, 2, 3};
    for (int value : values)
        atomicAdd(&sum, value);
    add_down<3>(&sum);
    add_all(&sum, 1, 2, 3);
    for (int i = 0; i < 3; ++i)
        atomicAdd(&sum, values[i] + i * int(threadIdx.x));
    // What is in angle brackets is no operand.
    for (int i = 0; i < 3; ++i)
        atomicAdd(&sum, values[static_cast<unsigned>(threadIdx.x % 2) * i + i]);
    for (int i = 0; i < 3; ++i)
        atomicAdd(&sum, (int)(values[i]) * i);
    out[threadIdx.x] = threadIdx.x ? 6 : 5;
}
template <class T> __device__ T identity(T x) { return x; }
template <class T, T N> struct Number {
    static constexpr T value = N;
};
__global__ void calls_or_comparisons(int* out, int*)
{
    for (int i = 0; i < 3; ++i)
        atomicAdd(&sum, i + identity<int>(2) + Number<int, 2>::value * i);
    out[threadIdx.x] = threadIdx.x ? 6 : 5;
}
template <class T> __device__ T read_as(int* flag) { return atomicAdd(flag, 0); }
// The limit can be a call, as which it waits for another thread.
__global__ void limit_of_a_template(int* out, int* flag)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < 1 - read_as<int>(flag); i += *out >> 30)
            ;
    else
        atomicExch(flag, 1);
    out[threadIdx.x] = threadIdx.x ? 6 : 5;
}

// Loads and stores in PTX: a pair with an order, and a volatile one.
__device__ int load_in_order(const int* p)
{
    int value;
    asm("ld.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ void store_in_order(int* p, int value)
{
    asm("st.release.gpu.global.b32 [%0], %1;" :: "l"(p), "r"(value) : "memory");
}
__global__ void ordered_load(int* out, int* flag)
{
    if (threadIdx.x == 0)
        while (load_in_order(flag) == 0)
            ;
    else
        store_in_order(flag, 1);
    out[threadIdx.x] = threadIdx.x ? 6 : 5;
}
__global__ void polled_load(int* out, int* flag)
{
    int value = 1;
    if (threadIdx.x == 0)
        do
            asm("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(flag));
        while (value == 0);
    else
        asm("st.relaxed.gpu.global.s32 [%0], 1;" :: "l"(flag));
    out[threadIdx.x] = threadIdx.x ? 6 : 4 + value;
}

int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    const auto expected = [](int i) { return i ? 6 : 5; };
    int* flag = results + 100;
#define RUN(kernel) \
    *flag = 0; \
    kernel<<<1, 63>>>(results, flag); \
    check(#kernel, 63, expected)
    RUN(user::function_of_a_namespace);
    RUN(local_function);
    RUN(comparison);
    RUN(counter_of_a_class);
    RUN(changed_counter);
    RUN(enumeration);
    RUN(stream);
    RUN(range);
    RUN(functions_with_flags);
    RUN(conditional_count);
    RUN(count_down);
    RUN(amount);
    RUN(limit);
    RUN(pointer_to_counter);
    RUN(reference_to_counter);
    RUN(object_with_counter);
    RUN(lambda_with_limit);
    RUN(counter_in_union);
    RUN(counter_of_an_object);
    RUN(same_counters);
    RUN(recursive_lambda);
    RUN(recursive_operator);
    RUN(recursive_destructor);
    RUN(recursion);
    RUN(recursion_of_two);
    RUN(recursion_of_objects);
    RUN(recursion_of_classes);
    RUN(recursion_through_a_pointer);
    RUN(real_update);
    RUN(counted);
    RUN(calls_or_comparisons);
    RUN(limit_of_a_template);
    RUN(ordered_load);
    RUN(polled_load);
    make_object<<<1, 1>>>();
    virtual_function<<<1, 64>>>(results);
    check("virtual_function", 64, [](int i) { return i ^ 1; });
    delete_object<<<1, 1>>>();
    std::puts("done");
}
