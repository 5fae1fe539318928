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
    h.template get<T><<<1, 1>>>(*p);
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
