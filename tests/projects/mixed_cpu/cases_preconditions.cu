// Each kernel is wrong without a precondition of "Edits of kernels on the CPU" that the other programs do not need.
#include "region_results.h"

__device__ int number = 7;
__global__ void memory(int* out)
{
    int x = number + threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        number = 99;
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void hidden_constant(int* out)
{
    constexpr int count = 3;
    int x = threadIdx.x * count;
    {
        constexpr int count = 5;
        __syncthreads();
        out[threadIdx.x] = x + count;
        __syncthreads();
    }
}
constexpr int factor = 3;
namespace outer {
namespace inner {
constexpr int factor = 5;
}
__global__ void hidden_by_directive(int* out)
{
    int x = factor * int(threadIdx.x);
    {
        using namespace inner;
        __syncthreads();
        out[threadIdx.x] = x + factor;
        __syncthreads();
    }
}
}
__global__ void hidden_in_parentheses(int* out)
{
    __shared__ int s[65];
    constexpr int count = 3;
    int x = threadIdx.x, y = threadIdx.x * count;
    s[x + 1] = 0;
    __syncthreads();
    {
        int(x)(63 - threadIdx.x);
        s[x + 1] += 7 * x;
    }
    {
        constexpr int one = 1, (count)(5);
        __syncthreads();
        out[threadIdx.x] = y + count * one;
        __syncthreads();
    }
    out[threadIdx.x] += s[x + 1] * 1000;
}
// A declaration that looks like an expression if the type is not known.
__global__ void declared_in_parentheses(int* out)
{
    using Number = int;
    constexpr int count = 3;
    __syncthreads();
    {
        Number(count)(63 - threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = count;
        __syncthreads();
    }
    out[threadIdx.x] += 1000 * count;
}

__global__ void aligned_array(int* out)
{
    alignas(32) int values[3] = {int(threadIdx.x), 1, 2};
    __syncthreads();
    values[1] += values[0];
    __syncthreads();
    out[threadIdx.x] = values[1] + 1000 * int(reinterpret_cast<unsigned long long>(values) % 32);
}

// A type that the text takes for a number, as another namespace has a number with its name.
namespace numbers {
using Value = int;
}
struct Value {
    const int* place;
    __device__ Value(const int& value) : place(&value) {}
};
__global__ void number_by_name(int* out)
{
    __shared__ const int* places[64];
    int x = threadIdx.x * 3;
    {
        Value value = x;
        places[threadIdx.x] = value.place;
    }
    __syncthreads();
    out[threadIdx.x] = *places[threadIdx.x];
}

// Names of arrays in shared memory that stand for something else elsewhere, or for no address.
__device__ int values[64];
__global__ void hidden_array(int* out)
{
    __shared__ int part[64];
    int* own = part + threadIdx.x;
    *own = threadIdx.x;
    __syncthreads();
    {
        int part[64] = {};
        __syncthreads();
        out[threadIdx.x] = *own + part[threadIdx.x];
        __syncthreads();
    }
}
__global__ void array_of_inner_block(int* out)
{
    int* own = values + threadIdx.x;
    *own = threadIdx.x;
    __syncthreads();
    {
        __shared__ int values[64];
        values[threadIdx.x] = 1000;
        __syncthreads();
        out[threadIdx.x] = *own + values[threadIdx.x];
        __syncthreads();
    }
}
struct Place {
    int* first;
    __device__ int* operator+(unsigned i) const { return first + i; }
};
__global__ void pointers_in_shared_memory(int* out)
{
    __shared__ int part[65], *pointer;
    __shared__ Place place;
    part[threadIdx.x] = threadIdx.x;
    pointer = part;
    place.first = part;
    __syncthreads();
    int *own = pointer + threadIdx.x, *same = place + threadIdx.x;
    __syncthreads();
    pointer = place.first = part + 1;
    __syncthreads();
    out[threadIdx.x] = *own + 1000 * *same;
}
__global__ void address(int* out)
{
    int x = threadIdx.x, *place = &x;
    __syncthreads();
    *place += 3;
    __syncthreads();
    out[threadIdx.x] = *place;
}
__global__ void some_threads_assign(int* out)
{
    int x = 3;
    if (threadIdx.x & 1) {
        x = 8;
        __syncwarp(0xaaaaaaaa);
    }
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void changed_since(int* out)
{
    int base = 3;
    int x = threadIdx.x + base;
    base = 50;
    __syncthreads();
    out[threadIdx.x] = x + base;
}
__global__ void own_limits(int* out)
{
    __shared__ int limits[64];
    limits[threadIdx.x] = threadIdx.x & 1 ? 64 : 0;
    __syncthreads();
    int limit = limits[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < limit)
        out[threadIdx.x] = 1;
    __syncthreads();
}

// Operators and functions of the user that read memory.
enum Kind { FIRST = 3 };
__device__ int operator+(Kind a, unsigned b) { return number + a + b; }
struct Number {
    int v;
    __device__ constexpr operator int() const { return v; }
};
__device__ int operator+(Number a, unsigned b) { return number + a.v + b; }
__device__ int max(short a, int b) { return number + a + b; }
__device__ int max(int& a, const unsigned& b) { return number + a + b; }
__device__ void set_number()
{
    if (threadIdx.x == 0)
        number = 99;
}
template <Kind kind> __global__ void operator_of_enum(int* out)
{
    int x = kind + threadIdx.x;
    __syncthreads();
    set_number();
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void operator_of_class(int* out)
{
    constexpr Number three{3};
    int x = three + threadIdx.x;
    __syncthreads();
    set_number();
    __syncthreads();
    out[threadIdx.x] = x;
}
namespace own {
__device__ int max(int a, int b) { return number + a + b; }
__global__ void max_of_namespace(int* out)
{
    int x = max(static_cast<int>(threadIdx.x), 3);
    __syncthreads();
    set_number();
    __syncthreads();
    out[threadIdx.x] = x;
}
}
__global__ void max_for_types(int* out, int three)
{
    int x = max(static_cast<short>(threadIdx.x), 3), y = max(three, threadIdx.x);
    __syncthreads();
    set_number();
    __syncthreads();
    out[threadIdx.x] = x + 100 * y;
}

// Objects that know where they are, are counted, or end.
struct Itself {
    int v, *place;
    Itself() = default;
    __device__ Itself(int v) : v(v), place(&this->v) {}
};
struct Counted {
    int v;
    __device__ explicit Counted(int v) : v(v) {}
    __device__ Counted(const Counted& o) : v(o.v + 1000) {}
};
__device__ Counted operator+(const Counted& a, int b) { return Counted(a.v + b); }
struct Ends {
    int* out;
    __device__ Ends(int* out) : out(out) {}
    __device__ ~Ends() { *out += 5; }
};
__device__ int by_value(Counted c)
{
    __syncthreads();
    return c.v;
}
__device__ int referred(const Counted& c)
{
    __syncthreads();
    return c.v;
}
__global__ void array_of_objects(int* out)
{
    Itself x[2] = {Itself(threadIdx.x), Itself(3)};
    __syncthreads();
    *x[1].place += 1;
    __syncthreads();
    out[threadIdx.x] = x[0].v + x[1].v;
}
__global__ void objects_of_auto(int* out)
{
    auto x = Itself(threadIdx.x);
    auto y = [z = Itself(3)]() mutable { return *z.place += 1; };
    __syncthreads();
    *x.place += 1;
    __syncthreads();
    out[threadIdx.x] = x.v + y();
}
__global__ void counted_argument(int* out)
{
    Counted c(threadIdx.x);
    out[threadIdx.x] = by_value(c);
}
__global__ void temporary_argument(int* out)
{
    Counted c(threadIdx.x);
    out[threadIdx.x] = referred(c + 1);
}
__global__ void end_of_block(int* out)
{
    out[threadIdx.x] = 1;
    __syncthreads();
    {
        Ends end = out + threadIdx.x;
        out[threadIdx.x] *= 3;
        __syncthreads();
        out[threadIdx.x] *= 10;
    }
    __syncthreads();
    out[threadIdx.x] *= 2;
}
__global__ void counted_auto(int* out)
{
    Counted a(threadIdx.x);
    auto b = a;
    const auto c = b.v > 0 ? a : b;
    auto d = Counted(3);
    __syncthreads();
    out[threadIdx.x] = b.v + c.v + d.v;
}

__global__ void hidden_by_binding(int* out)
{
    int x = threadIdx.x, y = 2 * x;
    {
        __syncthreads();
        auto [x, y] = int2{9, 8};
        __syncthreads();
        out[threadIdx.x] = x + y;
    }
    __syncthreads();
    out[threadIdx.x] += 100 * y;
}

// What lambdas capture lives in slots.
__global__ void lambdas(int* out, int three)
{
    int x = threadIdx.x * 2, y = out[threadIdx.x] + 5, z = 9;
    auto by_reference = [&] { return x + three; };
    auto by_name = [&z = y] { return z; };
    auto changed = [x, three]() mutable { return x + (three += 2); };
    __syncthreads();
    x += 100;
    int a = by_reference(), b = changed(), filler[8] = {a, b, a, b, a, b, a, b};
    __syncthreads();
    out[threadIdx.x] = a + b + changed() + by_name() + z + filler[three];
}
__global__ void lambda_for_shared_memory(int* out, int three)
{
    __shared__ int s[64];
    auto put = [=](int v) mutable { return s[threadIdx.x] = v; };
    __syncthreads();
    int x = put(threadIdx.x + three);
    __syncthreads();
    out[threadIdx.x] = x + 1000 * s[63 - threadIdx.x];
}
__global__ void names_of_lambdas(int* out)
{
    auto length = [] { return int(sizeof(__func__)); };
    __syncthreads();
    out[threadIdx.x] = length() + 100 * int(sizeof(__func__));
}

// What references refer to behind a barrier.
struct Bits {
    int low : 5, high : 27;
};
struct Converted {
    int v;
    __device__ operator const int&() const { return v; }
};
__device__ int& itself(int& x) { return x; }
__device__ const int& lesser(const int& a, const int& b) { return a < b ? a : b; }
__global__ void references(int* out, int three)
{
    __shared__ int s[64];
    int x = threadIdx.x, &y = x, *p = &y, *&q = p, a[3] = {1, 2, x}, (&b)[3] = a;
    int& mine = s[threadIdx.x];
    auto& other = s[63 - threadIdx.x];
    mine = x;
    __syncthreads();
    const int v = other;
    auto&& z = itself(three);
    *q += 2;
    q = &z;
    __syncthreads();
    mine += v;
    *p += 5;
    b[1] += y;
    __syncthreads();
    out[threadIdx.x] = other + 100 * x + 10000 * three + a[1];
}
__global__ void references_to_temporaries(int* out, int three)
{
    float f = 2.5f;
    const int &five = 5, &least = lesser(three, 50);
    const double &d = three, &e = f;
    int&& next = threadIdx.x + 1;
    const int& chosen = threadIdx.x & 1 ? three : 50;
    __syncthreads();
    next += 1;
    three = 8;
    f = 0;
    __syncthreads();
    out[threadIdx.x] = five + least + int(d) * 100 + int(10 * e) * 1000 + next + chosen;
}
__global__ void reference_by_conversion(int* out)
{
    Converted x{static_cast<int>(threadIdx.x)};
    const int& y = x;
    __syncthreads();
    x.v += 10;
    __syncthreads();
    out[threadIdx.x] = y;
}
__global__ void reference_to_bits(int* out, int three)
{
    Bits x{static_cast<int>(threadIdx.x % 16), 7};
    const int& y = x.low;
    __syncthreads();
    x.low = 3;
    int filler[4] = {three, three, three, three};
    __syncthreads();
    out[threadIdx.x] = y + 100 * x.low + filler[three];
}
__global__ void references_in_loops(int* out, int three)
{
    __shared__ int s[64];
    s[threadIdx.x] = 0;
    int sum = 0;
    for (int i = 0; i < three; ++i) {
        int& x = s[(threadIdx.x + i) % 64];
        const int& y = i;
        __syncthreads();
        x += i;
        __syncthreads();
        sum += x + y;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

// Operators and conversions of classes where a division of the text could choose others.
struct Either {
    int v;
    __device__ explicit operator int() const { return v; }
    __device__ operator long() const { return v + 1; }
};
struct Negated {
    int v;
    __device__ operator bool() const { return v > 0; }
    __device__ bool operator!() const { return false; }
};
struct Last {
    int v;
    __device__ Last& operator=(int&) { return v = 1, *this; }
    __device__ Last& operator=(const int&) { return v = 2, *this; }
    __device__ operator int() const { return v; }
};
struct Three {
    static constexpr int value = 3;
};
struct Nine {
    static constexpr int value = 9;
};
__device__ bool operator&&(bool a, Last) { return !a; }
template <class T> __global__ void conversion_to_number(T* out)
{
    Either both{5};
    T x = both;
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void condition_of_class(int* out)
{
    int turns = 0;
    for (Negated left{3}; left; --left.v) {
        __syncthreads();
        if (++turns > 9)
            break;
    }
    out[threadIdx.x] = turns;
}
__global__ void operator_behind_guard(int* out)
{
    Last last{1};
    int x = 0;
    __syncthreads();
    if (threadIdx.x < 5 && last)
        x = 1;
    __syncthreads();
    out[threadIdx.x] = x;
}
__global__ void second_assignment(int* out)
{
    Last last;
    int x = threadIdx.x * 3, y = last = x;
    __syncthreads();
    out[threadIdx.x] = x + 1000 * y;
}
struct Added {
    int v;
};
struct KnowsPlace {
    const KnowsPlace* place;
    __device__ KnowsPlace() : place(this) {}
    __device__ int operator+(int n) const { return n + (place == this); }
};
__device__ int operator+(int& x, Added y) { return 100 + x + y.v; }
__device__ int operator+(const int& x, Added y) { return 200 + x + y.v; }
// Both names mean something else in the inner block, where the text only knows the outer variables.
__global__ void other_types_in_block(int* out, int three)
{
    int x = 3, y = three, z = 4, sum = 0;
    if (threadIdx.x == 0)
        *out = 7;
    __syncthreads();
    {
        Added first{1}, y{2};
        sum = x + y;
    }
    {
        KnowsPlace z;
        sum += z + *out;
    }
    __syncthreads();
    out[threadIdx.x] = sum + x + y + z;
}
__global__ void hidden_qualifier(int* out)
{
    int x = threadIdx.x * Three::value;
    {
        using Three = Nine;
        __syncthreads();
        out[threadIdx.x] = x + 1000 * Three::value;
        __syncthreads();
    }
}

// A statement in an expression ends the thread.
#define UNLESS(condition, value) ({ if (condition) return; value; })
__global__ void returns_in_expressions(int* out)
{
    int x = threadIdx.x;
    __syncthreads();
    x += UNLESS(x > 40, 2);
    __syncthreads();
    out[threadIdx.x] = x;
}

__global__ void wraps(int* out)
{
    out[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x - 40u < 30u)
        out[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x - 40u > 100u)
        out[threadIdx.x] += 2;
    __syncthreads();
}

// Which function C++ chooses.
__device__ int pick(int)
{
    __syncthreads();
    return 2;
}
namespace other {
struct Base {};
__device__ int pick(Base)
{
    __syncthreads();
    return 1;
}
}
struct Owner {
    static __device__ int choose(int);
};
__device__ int Owner::choose(int)
{
    __syncthreads();
    return 1;
}
__device__ int choose(float)
{
    __syncthreads();
    return 2;
}
struct Derived : other::Base {
    __device__ operator int() const { return 5; }
};
__device__ int hidden(int)
{
    __syncthreads();
    return 2;
}
__device__ int __shfl_xor_sync(unsigned, Number a, int) { return a.v + threadIdx.x; }
struct Refers {
    int v;
    __device__ operator const int&() const { return v; }
};
__device__ int change(const int& x, Refers& y)
{
    y.v = 9;
    __syncthreads();
    return x;
}
__device__ int named = 5;
__device__ int own_parameter(int named)
{
    int turns = 0;
    for (; turns < named; ++turns)
        __syncthreads();
    return turns;
}
__global__ void function_of_namespace(int* out)
{
    Derived x;
    out[threadIdx.x] = pick(x);
}
__global__ void function_beside_member(int* out) { out[threadIdx.x] = choose(5); }
__global__ void hidden_function(int* out)
{
    int x = hidden(1);
    {
        struct Own {
            __device__ int operator()(int) const { return 3; }
        };
        constexpr Own hidden{};
        __syncthreads();
        x = 10 * x + hidden(1);
    }
    out[threadIdx.x] = x;
}
__global__ void own_operation(int* out)
{
    Number x{static_cast<int>(threadIdx.x)};
    int y = __shfl_xor_sync(~0u, x, 1);
    __syncthreads();
    out[threadIdx.x] = y;
}
__global__ void converted_reference(int* out)
{
    Refers x{static_cast<int>(threadIdx.x)};
    int y = change(x, x);
    out[threadIdx.x] = y;
}
__global__ void own_parameters(int* out, int three) { out[threadIdx.x] = own_parameter(three); }

// A compiler contracts the product and the sum where nothing else needs the product.
__global__ void rounded_values(int* out, float factor, float summand)
{
    __shared__ float sums[64], products[64];
    __shared__ int converted[64];
    const int t = threadIdx.x;
    const float product = t * factor;
    const auto sum = product + summand;
    const int integer = (product + summand) * 1e7f;
    sums[t] = sum;
    products[t] = product;
    converted[t] = integer;
    __syncthreads();
    out[t] = (sums[t] == sum) + 2 * (converted[t] == integer);
}
int main()
{
    cudaMallocManaged(&results, 512 * sizeof *results);
    memory<<<1, 64>>>(results);
    check("memory", 64, [](int i) { return i + 7; });
    const int seven = 7;
    cudaMemcpyToSymbol(number, &seven, sizeof seven);
    operator_of_enum<FIRST><<<1, 64>>>(results);
    check("operator_of_enum", 64, [](int i) { return i + 10; });
    cudaMemcpyToSymbol(number, &seven, sizeof seven);
    operator_of_class<<<1, 64>>>(results);
    check("operator_of_class", 64, [](int i) { return i + 10; });
    cudaMemcpyToSymbol(number, &seven, sizeof seven);
    own::max_of_namespace<<<1, 64>>>(results);
    check("max_of_namespace", 64, [](int i) { return i + 10; });
    cudaMemcpyToSymbol(number, &seven, sizeof seven);
    max_for_types<<<1, 64>>>(results, 3);
    check("max_for_types", 64, [](int i) { return i + 10 + 100 * (i + 10); });
    array_of_objects<<<1, 64>>>(results);
    check("array_of_objects", 64, [](int i) { return i + 4; });
    objects_of_auto<<<1, 64>>>(results);
    check("objects_of_auto", 64, [](int i) { return i + 1 + 4; });
    counted_argument<<<1, 64>>>(results);
    check("counted_argument", 64, [](int i) { return i + 1000; });
    temporary_argument<<<1, 64>>>(results);
    check("temporary_argument", 64, [](int i) { return i + 1; });
    end_of_block<<<1, 64>>>(results);
    check("end_of_block", 64, [](int) { return 70; });
    counted_auto<<<1, 64>>>(results);
    check("counted_auto", 64, [](int i) { return i + 1000 + i + 1000 + 3; });
    hidden_by_binding<<<1, 64>>>(results);
    check("hidden_by_binding", 64, [](int i) { return 17 + 200 * i; });
    lambdas<<<1, 64>>>(results, 3);
    check("lambdas", 64, [](int i) { return 2 * i + 103 + 2 * i + 5 + 2 * i + 7 + 5 + 9 + 2 * i + 5; });
    lambda_for_shared_memory<<<1, 64>>>(results, 3);
    check("lambda_for_shared_memory", 64, [](int i) { return i + 3 + 1000 * (66 - i); });
    names_of_lambdas<<<1, 64>>>(results);
    check("names_of_lambdas", 64, [](int) { return 11 + 1700; });
    references<<<1, 64>>>(results, 3);
    check("references", 64, [](int i) { return 63 + 100 * (i + 2) + 80000 + 2 + i + 2; });
    references_to_temporaries<<<1, 64>>>(results, 3);
    check("references_to_temporaries", 64, [](int i) { return 13 + 300 + 25000 + i + 2 + (i & 1 ? 3 : 50); });
    reference_by_conversion<<<1, 64>>>(results);
    check("reference_by_conversion", 64, [](int i) { return i + 10; });
    reference_to_bits<<<1, 64>>>(results, 3);
    check("reference_to_bits", 64, [](int i) { return i % 16 + 303; });
    references_in_loops<<<1, 64>>>(results, 3);
    check("references_in_loops", 64, [](int) { return 0 + 1 + 1 + 3 + 2; });
    conversion_to_number<<<1, 64>>>(results);
    check("conversion_to_number", 64, [](int) { return 6; });
    condition_of_class<<<1, 64>>>(results);
    check("condition_of_class", 64, [](int) { return 3; });
    operator_behind_guard<<<1, 64>>>(results);
    check("operator_behind_guard", 64, [](int i) { return i >= 5; });
    second_assignment<<<1, 64>>>(results);
    check("second_assignment", 64, [](int i) { return 3 * i + 1000; });
    other_types_in_block<<<1, 64>>>(results, 3);
    check("other_types_in_block", 64, [](int) { return 105 + 8 + 10; });
    hidden_qualifier<<<1, 64>>>(results);
    check("hidden_qualifier", 64, [](int i) { return 3 * i + 9000; });
    returns_in_expressions<<<1, 64>>>(results);
    check("returns_in_expressions", 64, [](int i) { return i > 40 ? 0 : i + 2; });
    wraps<<<1, 64>>>(results);
    check("wraps", 64, [](int i) { return i < 40 ? 2 : 1; });
    function_of_namespace<<<1, 64>>>(results);
    check("function_of_namespace", 64, [](int) { return 1; });
    function_beside_member<<<1, 64>>>(results);
    check("function_beside_member", 64, [](int) { return 2; });
    hidden_function<<<1, 64>>>(results);
    check("hidden_function", 64, [](int) { return 23; });
    own_operation<<<1, 64>>>(results);
    check("own_operation", 64, [](int i) { return 2 * i; });
    converted_reference<<<1, 64>>>(results);
    check("converted_reference", 64, [](int) { return 9; });
    own_parameters<<<1, 64>>>(results, 3);
    check("own_parameters", 64, [](int) { return 3; });
    hidden_constant<<<1, 64>>>(results);
    check("hidden_constant", 64, [](int i) { return 3 * i + 5; });
    outer::hidden_by_directive<<<1, 64>>>(results);
    check("hidden_by_directive", 64, [](int i) { return 3 * i + 5; });
    hidden_in_parentheses<<<1, 64>>>(results);
    check("hidden_in_parentheses", 64, [](int i) { return 3 * i + 5 + 7000 * i; });
    declared_in_parentheses<<<1, 64>>>(results);
    check("declared_in_parentheses", 64, [](int i) { return 63 - i + 3000; });
    aligned_array<<<1, 64>>>(results);
    check("aligned_array", 64, [](int i) { return i + 1; });
    number_by_name<<<1, 64>>>(results);
    check("number_by_name", 64, [](int i) { return 3 * i; });
    hidden_array<<<1, 64>>>(results);
    check("hidden_array", 64, [](int i) { return i; });
    array_of_inner_block<<<1, 64>>>(results);
    check("array_of_inner_block", 64, [](int i) { return i + 1000; });
    pointers_in_shared_memory<<<1, 64>>>(results);
    check("pointers_in_shared_memory", 64, [](int i) { return 1001 * i; });
    address<<<1, 64>>>(results);
    check("address", 64, [](int i) { return i + 3; });
    some_threads_assign<<<1, 64>>>(results);
    check("some_threads_assign", 64, [](int i) { return i & 1 ? 8 : 3; });
    changed_since<<<1, 64>>>(results);
    check("changed_since", 64, [](int i) { return i + 53; });
    own_limits<<<1, 64>>>(results);
    check("own_limits", 64, [](int i) { return i & 1; });
    rounded_values<<<1, 64>>>(results, 0.1f, 0.7f);
    check("rounded_values", 64, [](int) { return 3; });
    std::puts("done");
}
