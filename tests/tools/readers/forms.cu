// Forms of declarations and launches. Two readers of C++ must find the same ones.

using size_t = decltype(sizeof 0);
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
using stream_t = struct stream*;
template <class T>
struct is_small {
    static constexpr bool value = sizeof(T) < 8;
};
template <class T, class U>
struct Pair {
    T first;
    U second;
};

// Functions.
__global__ void plain();
__global__ void plain() {}
static __global__ void with_static(void) {}
void __global__ word_after_type(int a, float b);
__global__ __launch_bounds__(64) void bounds_before_type(int) {}
__global__ void __launch_bounds__(64, 2) bounds_after_type(const int (&array)[2], int (*f)(int, int)) {}
extern "C" __global__ void with_language(int, ...);
extern "C" {
__global__ void in_language_block(int* __restrict__ p) { *p = 1; }
}
[[maybe_unused]] __global__ void with_attribute(Pair<int, Pair<int, int>> p, int n = 1 << 2) {}
__device__ auto trailing(int n) -> Pair<int, float> { return {n, 1}; }
__host__ __device__ constexpr int both(int a, int b) noexcept(noexcept(a < b)) { return a < b; }
__device__ decltype(both(1, 2)) with_decltype(int n);
__device__ __host__ inline int (*returns_pointer(int n))(int, int) { return nullptr; }
__device__ const char* literal(char c = ')') { return "__global__ void in_a_string() {"; }

template <class T>
__global__ void templated(T* p, int n = 3) {}
template <>
__global__ void templated<double>(double* p, int n) {}
template __global__ void templated<short>(short*, int);
template <class T, int N = (1 > 0), bool is_small = ::is_small<T>::value>
__global__ void with_numbers(T v = T(3)) {}
template <int N, class T, Pair<int, char> (*F)(int) = nullptr>
__device__ T with_function(T v) { return v; }
template <class... T>
__global__ void pack(T... values) {}
template <template <class, class> class P, class T>
__global__ void template_template(P<T, T> p) {}
template <class T>
concept Small = sizeof(T) < 8;
template <Small T>
__global__ void constrained(T v) {}
template <class T> requires Small<T> || (sizeof(T) > 16)
__global__ void required(T v) {}
template <class T>
__global__ void required_after(T v) requires requires(T t) { t + 1; } {}
__device__ void abbreviated(auto v, const auto*... others) {}

// Variables.
__device__ int variable;
__device__ int one, *two = nullptr, three[2][3] = {{1, 2, 3}, {4, 5, 6}}, (*four)(int, int);
static __constant__ float initialized{1.0f};
extern __device__ int declared_only;
__constant__ const char* const names[] = {"x;", "}", "'"};
__managed__ Pair<int, Pair<int, int>> managed = {1, {2, 3}};
template <class T>
__constant__ T variable_template[4];
__device__ constexpr dim3 constructed(1, 2);
alignas(16) __device__ unsigned char aligned[16];

namespace outer {
namespace inner::deep {
__global__ void in_nested(int);
inline namespace v1 {
__device__ int in_inline;
}
}  // namespace inner::deep
namespace {
__global__ void in_unnamed(int) {}
}
struct Forward;
__device__ void after_forward(struct Forward* p) {}
}  // namespace outer
__global__ void outer::inner::deep::in_nested(int) {}

// Classes.
class Members {
   public:
    __host__ __device__ Members() : value(1), pair{1, 2}, array{} {}
    __device__ explicit Members(int n) noexcept : Members() { value = n; }
    __host__ __device__ ~Members() {}
    __device__ int method(int a) const& { return a; }
    __device__ static int of_class() { return 1; }
    virtual __device__ int virtual_one() { return 0; }
    __device__ bool operator()(int a, int b) const { return a < b; }
    __device__ bool operator<(const Members& o) const { return value < o.value; }
    __device__ Members& operator>>(int) { return *this; }
    __device__ int& operator[](int) { return value; }
    __device__ Members& operator=(const Members&) = default;
    __device__ operator bool() const { return true; }
    template <class T>
    __device__ T member_template(T v) { return v; }
    __device__ auto defined_outside(int) -> int;
    friend __global__ void friend_kernel(Members m) {}
    template <class T>
    friend __device__ void friend_template(T);
    struct Inner {
        __device__ void in_inner() {}
    };
    template <class T> struct Launcher;

   private:
    int value;
    Pair<int, int> pair;
    int array[2];
};
__device__ auto Members::defined_outside(int) -> int { return 0; }
__host__ __device__ bool operator==(const Members& a, const Members& b) { return true; }
template <class T, bool is_small = ::is_small<T>::value>
struct Leaf {
    T x;
    __host__ __device__ T& get() { return x; }
    __host__ __device__ Leaf(T x) : x(x) {}
    void run();
};
template <class T>
struct Leaf<T*, true> : Pair<T, T> {
    __device__ void specialized() {}
};
template <>
struct Leaf<char, false> {
    __device__ void specialized() {}
};
template <class T, bool B>
void Leaf<T, B>::run() {
    templated<T><<<1, 2>>>(&x);
    templated<T> <<<dim3(1, 2), B ? 1 : 2, sizeof(T)>>>(this->x, {});
}
enum class Kind { A, B };
union Union {
    int a;
    __device__ Union() : a(0) {}
};
struct {
    __device__ int in_unnamed_class() { return 1; }
} object;
typedef struct Named {
    __device__ int in_typedef() { return 1; }
} Alias;
struct Base {
    __device__ virtual ~Base();
};
__device__ Base::~Base() {}
struct Derived final : public Base, Pair<int, int> {
    __device__ void in_derived();
};

// Launches.
template <class F, class... A>
void call(F f, A... a) { f(a...); }
template <class F>
__global__ void apply(F f) { f(1); }
struct Holder {
    void (*pointer)(int);
    void (*pointers[2])(int);
    template <class T> void (*get())(T);
};
template <class T>
void launch_template(T* p, Holder h) {
    templated<T><<<1, 1>>>(p, 2);
    templated<<<(1 < 2) ? 1 : 2, 1 >> 0>>>(p);
    pack<T, Pair<T, Pair<T, T>>><<<1, sizeof(Pair<T, T>)>>>(*p, {});
}
void launch(Holder* h, stream_t stream, int n) {
    dim3 grid(1), block{2, 2};
    plain<<<1, 1>>>();
    ::plain<<<grid, block>>>();
    outer::inner::deep::in_nested<<<grid, block, 0, stream>>>(1), word_after_type<<<1, n>>>(1, 2.0f);
    outer::inner::deep::v1::in_inline;
    (plain)<<<1, 1>>>();
    (&plain)<<<1, 1>>>();
    (*&plain)<<<1, 1>>>();
    h->pointer<<<1, 1>>>(both(1, 2));
    (*h).pointers[0]<<<1, 1>>>(n);
    h[1].pointers[n < 2 ? 0 : 1]<<<1, 1>>>(n);
    (n ? h->pointer : h->pointers[1])<<<n << 1, n >> 1>>>(n);
    static_cast<void (*)(int)>(nullptr)<<<1, 1>>>(1);
    h->get<int>()<<<1, 1>>>(1);
    with_numbers<int, (1 > 0)><<<1, 1>>>(2);
    with_numbers<int, 1, (2 < 3)><<<dim3(1), (1 << 2)>>>();
    pack<><<<1, 1>>>();
    pack<int, Pair<int, int>><<<1, 1>>>(1, {2, 3});
    template_template<Pair><<<1, 1>>>(Pair<int, int>{1, 2});
    templated < int > << < 1, 2 >> > (&n);
    if (n) plain<<<1, 1>>>();
    else plain<<<2, 1>>>();
    for (int i = 0; i < 2; ++i) with_static<<<i, 1>>>();
    do plain<<<1, 1>>>(); while (n < 0);
    switch (n) {
        case 1: plain<<<1, 1>>>(); break;
        default: plain<<<1, 1>>>();
    }
    int sum = n < 3 ? n << 3 : n >> 3;
    call([=](int i) { plain<<<1, i>>>(); }, 3);
    apply<<<1, 1>>>([=] __device__(int i) { (void)i; });
    apply<<<1, 1>>>([n] __host__ __device__(int i) mutable -> int { return n + i; });
    auto both_words = [sum] __device__ __host__ { return sum; };
    auto generic = []<class T> __device__(T v) { return v; };
    [&] { word_after_type<<<n, n>>>(n, 1); }();
    auto nested = [&](auto... values) { pack<<<1, 1>>>(values...); };
    { plain<<<1, 1>>>(), plain<<<1, 1>>>(); }
    (void)(n ? plain<<<1, 1>>>() : plain<<<2, 2>>>());
label:
    plain<<<1, 1>>>();
    const char* text = "plain<<<1, 1>>>()";
    __device__ static int in_block;
}

// Further forms of functions.
namespace more {
using ::Pair;
struct Set;
struct Value {
    static constexpr int value = 2;
    static constexpr bool is_small = true;
    int Set::*member;
};
template <class T, class = void>
__global__ void with_void(T) noexcept;
template <int... I>
__device__ int numbers(int (&... arrays)[I]);
template <auto V, class T = decltype(V)>
__device__ T of_value(T v) { return V < v ? V : v; }
template <class T, bool B = (sizeof(T) > 2) && ::is_small<T>::value, int = B ? 1 : 2>
__device__ void computed(T) {}
template <class T, class U = Pair<T, Pair<T, T>>>
__device__ U nested_default(T) { return {}; }
template <class T, Pair<int, T> (*F)(T, int) = nullptr, int (Value::*M)() = nullptr>
__device__ void pointers(T) {}
extern template __device__ void computed<char>(char);
__device__ void declarators(void (*)(int), int (&)[3], int Value::*, int (Value::*m)(int) const, int (*)[2]);
__device__ void defaults(int a = (1 < 2), Pair<int, int> p = Pair<int, int>{1, 2}, const char* s = ")};", dim3 d = dim3(1, 2, 3), int n = [] { return 1; }());
unsigned __device__ long int unsigned_long(unsigned long long, long double) { return 1; }
[[nodiscard, gnu::noinline]] __device__ int attributes(int n [[maybe_unused]]) { return 1; }
__device__ __attribute__((noinline, aligned(16))) static int gnu_attributes(int) { return 1; }
__device__ auto deduced(int a, int b) noexcept(sizeof(int) < 4) -> decltype(a < b) { return a < b; }
__device__ int local_class() {
    struct Local {
        __device__ int method() const { return 1; }
        __device__ Local() {}
    };
    return Local().method();
}
__device__ int operator""_x(unsigned long long v) { return v; }
__device__ void with_struct_parameter(struct Set* s, enum Kind k);
static inline __device__ void volatile_asm() { asm volatile("" ::: "memory"); }
extern "C++" {
__device__ int in_cxx_block;
}

// Further forms of variables.
__device__ struct Inline {
    int x;
    __device__ int get() { return x; }
} inline_class, *inline_pointer;
__device__ const struct Inline of_struct = {1};
__constant__ enum Letter { A, B = (1 > 0) } letter = A;
__device__ auto lambda_variable = [](int a, int b) { return a < b; };
__device__ int by_calls[] = {numbers(), sizeof(Pair<int, int>), (1, 2)}, after_calls = 1 < 2, last = {3};
__device__ void (*function_pointer)(int, Pair<int, int>) = nullptr;
__device__ int (*pointers_to_functions[2])(int) = {nullptr, nullptr};
__device__ int Value::*member_pointer = nullptr;
__device__ int (Value::*method_pointer)(int, int) const = nullptr;
__device__ int& reference = by_calls[0];
__device__ int (&array_reference)[3] = by_calls;
__device__ volatile unsigned long long counter;
__device__ int with_attribute [[maybe_unused]] = 1;
__device__ Pair<int, Pair<int, char>> of_pair{1, {2, '}'}};
__device__ decltype(1 < 2) of_decltype = true;
__device__ int shifted = 1 << 2 >> 1, after_shift;
template <class T, int N>
__device__ T of_two[N] = {};
static __device__ constexpr int from_condition = Value::value < 3 ? 1 : 2;

// Further classes.
enum Plain : int { first, second };
struct alignas(16) Aligned {
    __device__ Aligned();
};
class __attribute__((aligned(8))) Attributed final : Pair<int, int>, private virtual Value {
    __device__ void method();
};
template <int N, bool B>
struct Number {
    enum : int { value = N < 3 };
    enum class Inner { A } inner;
    __device__ int after_enum() { return 1; }
};
template <>
struct Number<(1 > 2), (3 > 2)> {
    __device__ int in_specialization() { return 1; }
};
template <int N>
struct Number<N, (sizeof(int) < 2)> : Number<N - 1, (2 > 1)> {
    __device__ int in_partial() { return 1; }
};
struct Operators {
    int a, b = [] { return 1; }();
    template <class T>
    __device__ explicit(sizeof(T) < 2) Operators(T t) : a{[] { return 1; }()}, b(t < 2 ? 1 : 2) {}
    template <class... T>
    __device__ Operators(T... t, int) : a((t + ...)), b{} {}
    __host__ Operators() try : a(1) { b = 2; } catch (...) { b = 3; }
    __device__ Operators(const Operators&) = delete;
    __device__ operator Pair<int, int>() const { return {}; }
    __device__ operator int*() { return nullptr; }
    __device__ explicit operator const char* const() const;
    __device__ int operator()() { return 1; }
    template <class T>
    __device__ int operator()(T, int = 1 < 2) & { return 1; }
    __device__ static void* operator new(size_t);
    __device__ static void* operator new[](size_t);
    __device__ static void operator delete[](void*);
    __device__ int operator,(int) { return 1; }
    __device__ Operators* operator->() { return this; }
    __device__ int operator->*(int) { return 1; }
    __device__ int operator<=>(int) const { return 1; }
    __device__ int operator>>=(int) { return 1; }
    __device__ int operator<<(int) { return 1; }
    __device__ int operator<=(int) { return 1; }
    __device__ int operator>(int) { return 1; }
    __device__ int operator&&(int) { return 1; }
    __device__ int operator!() { return 1; }
    __device__ int operator~() { return 1; }
    __device__ Operators& operator++() { return *this; }
    __device__ bool operator==(const Operators&) const = default;
    __device__ virtual int pure(int) const = 0;
    static __device__ int static_member;
    static inline __constant__ int inline_member = 1;
    __device__ int bit_field() { struct { int a : 2, b : 3; } s; return s.a; }
    friend __device__ bool operator<(Operators const&, int) { return true; }
    friend struct Value;
    friend __device__ bool ::operator==(const Members&, const Members&);
};
__device__ Operators::operator const char* const() const { return ""; }
__device__ int Operators::static_member = 1;
template <int N, bool B>
struct Outer {
    template <class T>
    struct Middle {
        template <class U>
        __device__ U method(T, U);
        __device__ int simple();
        __device__ Middle();
        static __device__ int variable;
    };
};
template <int N, bool B>
template <class T>
template <class U>
__device__ U Outer<N, B>::Middle<T>::method(T, U u) { return u; }
template <int N, bool B>
template <class T>
__device__ int Outer<N, B>::Middle<T>::simple() { return N < 2; }
template <int N, bool B>
template <class T>
__device__ Outer<N, B>::Middle<T>::Middle() {}
template <int N, bool B>
template <class T>
__device__ int Outer<N, B>::Middle<T>::variable = 1;
struct WithObject {
    __device__ int in_class() { return 1; }
} static const with_object = {};
auto after_object = [] { struct InLambda { __device__ int method() { return 1; } }; return 1; };

// Further launches.
template <class T, int N = 1>
__global__ void kernel(T v) {}
template <auto V>
__global__ void of(int) {}
__global__ void lists(Pair<int, int>, dim3) {}
template <class T>
struct Kernels {
    static void (*pointer)(T);
    template <class U>
    static void (*template_pointer)(U);
    void (*member)(T);
    int value = (kernel<T><<<1, 1>>>({}), 1);
    Kernels() : member((kernel<T><<<1, 2>>>({}), nullptr)) { this->member<<<1, 1>>>({}); }
    void run() const;
    using Type = T;
};
template <class T>
void Kernels<T>::run() const {
    Kernels<T>::pointer<<<1, 1>>>({});
    Kernels<T>::template template_pointer<T><<<1, 1>>>({});
    kernel<typename Kernels<T>::Type><<<1, sizeof(typename Kernels<T>::Type)>>>({});
    if constexpr (sizeof(T) < 3) kernel<T><<<1, 1>>>({});
    else if (sizeof(T) > 3) (kernel<T>)<<<1, 2>>>({});
}
void (*choose(int))(int);
auto launch(int n, Pair<int, int>* p, void (*f)(int), Kernels<int>& k) {
    kernel<int, (1 < 2)><<<n >> 1, n << 1>>>(n);
    kernel<int, (8 >> 1)><<<(n >> 1), (n > 1)>>>(n > 2);
    kernel<Pair<int, Pair<int, int>>><<<1, 1>>>({1, {2, 3}});
    kernel<Pair<int, Pair<int, int>>>  <<<1, sizeof(Pair<int, Pair<int, int>>)>>>({1, {2, 3}});
    kernel<int[2]><<<1, 1>>>(nullptr), kernel<void(int)><<<1, 1>>>(nullptr);
    kernel<decltype(1 < 2)><<<1, 1>>>(true);
    kernel<int, static_cast<int>(3.0)><<<1, 1>>>(1);
    kernel<int, '<'><<<1, '>'>>>('"');
    kernel<int><<<Value::value < 3 ? 1 : 2, [] { return 1; }()>>>([] { return 1; }());
    kernel<int><<<dim3{1, 2}, dim3(3, 4), p->first, nullptr>>>(p->second);
    of<&both><<<1, 1>>>(1);
    of<Pair<int, int>{1, 2}.first><<<1, 1>>>(1);
    of<nullptr><<<1, 1>>>(1), ::more::of<1><<<1, 1>>>(2);
    lists<<<1, Pair<int, Pair<int, int>>{1, {2, 3}}.first>>>({1, 2}, {3, 4, 5});
    lists<<<1, Number<1, true>::value>>>(Pair<int, int>{1, 2}, dim3(3, 4));
    choose(1)<<<1, 1>>>(1), (choose(1))<<<1, 1>>>(2), (*choose)(1)<<<1, 1>>>(3);
    (n ? f : choose(1))<<<1, 1>>>(1);
    (void)f<<<1, 1>>>(1);
    if (n) (f)<<<1, 1>>>(1);
    else (*f)<<<1, 2>>>(1);
    while (n--) (f)<<<1, 1>>>(1);
    for (int i : *static_cast<int (*)[2]>(nullptr)) { (f)<<<1, i>>>(i); }
    for (;;) f<<<1, 1>>>(1);
    do (f)<<<1, 1>>>(1); while (n);
    try { f<<<1, 1>>>(1); } catch (...) { f<<<2, 2>>>(2); }
    { int a; } (f)<<<1, 1>>>(1);
    k.member<<<1, 1>>>(1), (&k)->member<<<1, 1>>>(2), (*&k).member<<<1, 1>>>(3);
    int x = (f<<<1, 1>>>(1), 2), y[] = {(f<<<1, 1>>>(1), 1), 2};
    n < 2 ? f<<<1, 1>>>(1) : f<<<2, 1>>>(2);
    n && (f<<<1, 1>>>(1), true) || (f<<<1, 2>>>(1), false);
    [&](int i = 1) mutable noexcept -> void { f<<<1, i>>>(i); }(1);
    auto inner = [=, &k](auto... v) { return kernel<int><<<1, sizeof...(v)>>>(v...); };
    struct Local { void run() { kernel<int><<<1, 1>>>(1); } };
    [] __device__ {}();
    [=, v = p[n < 1]] __host__ __device__(int i) mutable { return v.first; }(1);
    [x, p] __device__(auto a) noexcept -> Pair<int, int> { return {}; };
    int z = y[([] { return 0; }())], w = y[0] + y[1];
    kernel<int><<<1, 1>>>([=] __host__ __device__ { return n; }());
    return f<<<1, 1>>>(1);
}
}  // namespace more

// Names, types, and places that need care.
namespace third {
template <class T>
struct Box {
    using type = T;
    template <class U>
    struct Inner { U u; };
    T t;
    __device__ Box(int n);
    __device__ ~Box();
    __device__ operator T() const;
    template <class U>
    __device__ operator U*() const { return nullptr; }
    __device__ operator const Pair<T, Pair<T, int>>&() const&;
    __device__ int operator()(int) const;
    __device__ Box& operator=(const Box& o);
    __device__ bool operator<(const Box<Pair<T, T>>& o) const { return t < 1; }
    void (*launched)(int);
    Box* next;
    Box& chain();
};
template <class T>
__device__ Box<T>::Box(int n) : t(n < 2), next{nullptr} {}
template <class T>
__device__ Box<T>::~Box() {}
template <class T>
__device__ Box<T>::operator T() const { return t; }
template <class T>
__device__ Box<T>::operator const Pair<T, Pair<T, int>>&() const& { return *(Pair<T, Pair<T, int>>*)this; }
template <class T>
__device__ int Box<T>::operator()(int n) const { return n < 2; }
template <class T>
__device__ Box<T>& Box<T>::operator=(const Box& o) { return *this; }

template <class T>
__device__ typename Box<T>::type of_typename(T) { return {}; }
template <class T>
__device__ const typename Box<T>::template Inner<T>& of_template(T*);
__device__ decltype(auto) of_decltype_auto(int n) { return (n); }
__device__ struct Later* of_struct(int) { return nullptr; }
__device__ enum Kind of_enum(int);
__device__ int (&of_array(int n))[3];
__device__ const Pair<int, int>* (*of_pointer(int n, char c))(Pair<int, int>);
__device__ void (Box<int>::*of_member(int n))(char);
__device__ auto of_arrow(int n) -> int (*)(char);
template <class T>
__device__ auto constrained(T t) noexcept(sizeof(T) < 4) -> decltype(t.x) requires (sizeof(T) > 2) && Small<T>;
__device__ void parameters(int[], const int (&)[2][3], int&&, int f(int), int n = 1 < 2 ? 3 : 4, int m = 5);
template <class... T>
__global__ void forwards(T&&... values);
static __device__ __constant__ int two_words = 1;
__device__ __managed__ int two_more_words;
extern "C" {
namespace in_language {
__device__ int in_namespace;
}
}
namespace {
namespace {
extern "C" __device__ int in_unnamed(int n);
}
}  // namespace
auto at_namespace_scope = [] __device__(int n) { return n < 2; };
struct InClass {
    int n = [] __device__ { return 1; }();
    int m{[] __host__ __device__(int i = 3) { return i; }()};
    InClass() : n([this] __device__ { return m; }()) {}
    void method(int k = [] __device__ { return 2; }()) {}
};
template <class T>
__global__ void generic(T, int = 0) {}
void (*table[2][2])(int);
void (*get(int = 0))(int);
void launch(int n, void (*f)(int), void (*g)(int), Box<int>* b, Box<int>& c) {
    ::third::generic <int> <<<1, 1>>>(1);
    (third::generic<int>)<<<1, 1>>>(1), (&third::generic<int>)<<<1, 1>>>(1, 2), ((f))<<<1, 1>>>(1);
    (g, f)<<<1, 1>>>(1), (f = g)<<<1, 1>>>(1);
    [&] { return f; }()<<<1, 1>>>(1);
    table[0][n < 1]<<<1, 1>>>(1), get()<<<1, 1>>>(1), get(get(1) == f)<<<1, 1>>>(1);
    b->next->launched<<<1, 1>>>(1), c.chain().chain().launched<<<1, 1>>>(1), (*b).next[0].launched<<<1, 1>>>(1);
    Box<int>(*b).launched<<<1, 1>>>(1);
    reinterpret_cast<void (*)(Pair<int, int>)>(f)<<<1, 1>>>({1, 2});
    if (int i = n; i < 2) (f)<<<1, i>>>(1);
    else return (f)<<<1, 2>>>(1);
    if (n > 1) [[likely]] f<<<1, 1>>>(1);
    for (int i = 0, j = n < 2; i < j && n > 1; ++i) (f)<<<i, j>>>(1);
    { struct { int a; } s; } (f)<<<1, 1>>>(1);
    (f)<<<1, 1>>>(1); (g)<<<1, 1>>>(1);
again: (f)<<<1, 1>>>(1);
    switch (n) { case 1: (f)<<<1, 1>>>(1); default: (g)<<<1, 1>>>(1); }
    n = n << 2, (f)<<<n >> 2, n >> 1>>>(n >> 3);
    n = n < 2 && n > 1, generic<Pair<int, int>><<<n < 1, (n > 2)>>>({n < 1, 2});
    generic<Box<Pair<int, int>>*><<<1, 1>>>(nullptr);
    auto l = [f](auto... v) { (f<<<1, v>>>(v), ...); ((f)<<<1, 1>>>(v), ...); };
    auto m = [=] { return [=] __device__ { return [=] __device__(int i) { return n < i; }; }; };
    generic<<<dim3(n), dim3{1, 2}, sizeof(Box<int>), nullptr>>>([=] __device__(int i) -> Pair<int, int> { return {i, n}; }, 1);
    generic<decltype([] __device__ { return 1; })><<<1, 1>>>({});
    return n < 2 ? f<<<1, 1>>>(1) : (g)<<<1, 1>>>(2);
}
template <class T> struct Held { void (*launched)(T); };
void temporary(Held<int> held) { Held<int>{held}.launched<<<1, 2>>>(3); }
}  // namespace third
