// Launches in every form that the rewriter distinguishes. The first argument is the launch's number.
// Launch 0 checks with __LINE__ that line numbers do not change.
#include <initializer_list>
#include <stddef.h>

#define __global__ __kbuild_global__

typedef unsigned int number;
using real = float;
typedef const real* reals;

struct Friend {
    int value;
    friend __global__ void kernel_friend(int, Friend f);
};
template <class T>
struct Box {
    T value;
    template <class U>
    friend __global__ void kernel_friend_template(int, Box<U> b);
};
struct HasType {
    using type = int;
};

template <class T>
__global__ void kernel_template(int, T* p, T v = T()) { *p = v; }
template <>
__global__ void kernel_template<double>(int, double* p, double v) { *p = v; }
template __global__ void kernel_template<short>(int, short*, short);

__global__ void kernel_forward(int, int n = 3);
__global__ void kernel_forward(int, const int n) { (void)n; }
__global__ void kernel_spelled(int, number, reals, int a[4], int (*f)(int, int));
__global__ void kernel_spelled(int, unsigned, const float* __restrict__ const, int*,
                               int (*)(int x, int y)) {}
struct Incomplete;
__global__ void kernel_incomplete(int, Incomplete i);
struct Incomplete {
    int value;
};
__global__ void kernel_incomplete(int, Incomplete) {}

namespace outer {
inline namespace v1 {
__global__ void kernel_inline(int);
}
namespace deep {
struct Argument {};
__global__ void kernel_deep(int) {}
__global__ void kernel_adl(int, Argument) {}
template <int N, class... T>
__global__ void kernel_pack(int, T... t) {}
}  // namespace deep
using deep::kernel_deep;
}  // namespace outer
__global__ void outer::v1::kernel_inline(int) {}
namespace alias = outer::deep;

__global__ void kernel_friend(int, Friend) {}
template <class U>
__global__ void kernel_friend_template(int, Box<U>) {}
extern "C" __global__ void kernel_c(int) {}
__global__ void kernel_overloaded(int) {}
__global__ void kernel_overloaded(int, float* __restrict__, const int = 4) {}
template <class T>
__global__ void kernel_overloaded(int, T* const __restrict__, T) {}
void kernel_beside_host(float) {}
__global__ void kernel_beside_host(int) {}
template <template <class> class C, class T>
__global__ void kernel_nested(int, C<T>) {}
template <class T, class = typename T::type, int = 3>
__global__ void kernel_unnamed(int, T) {}
void __global__ __attribute__((aligned(64))) kernel_late(int) {}
__global__ void kernel_defaults(int, Box<Box<int>> = Box<Box<int>>{{3}}, bool = (1 < 2)) {}

template <class... T, class U>
__global__ void kernel_pack_first(int, U, T...) {}
__global__ void kernel_sizes(int a, int* p, size_t n = sizeof(*p) + sizeof(a)) { (void)n; }
#if __cplusplus >= 202002L
template <class T>
concept Large = sizeof(T) > 2;
template <Large T>
    requires(sizeof(T) > 3) || requires(T t) { t.x; }
__global__ void kernel_concept(int, T) {}
__global__ void kernel_auto(int, Large auto, auto*...) {}
#endif

enum Size { large = 64 };
struct Stream {
    operator void*() const { return nullptr; }
};
struct Extents {
    operator dim3() const { return dim3(7, 8, 9); }
};

struct Traits {
    static constexpr void (*kernel_deep)(int) = &outer::deep::kernel_deep;
};
struct Base {
    void (*kernel_late)(int);
};
struct Runner : Base {
    void (*kernel_c)(int);
    void inside() { kernel_c<<<1, 1>>>(1); }
    void outside();
    template <class T>
    void templated(T* p) { kernel_template<T><<<1, 1>>>(2, p); }
};
void Runner::outside() { kernel_late<<<1, 1>>>(3), outer::kernel_deep<<<1, 1>>>(4); }

namespace other {
void (*kernel_defaults)(int) = kernel_late;
void run() { kernel_defaults<<<1, 1>>>(5); }
}  // namespace other

template <class T, void (*kernel_c)(int)>
void launch_parameter(T* p) {
    kernel_c<<<1, 1>>>(6);
    kernel_template<<<1, 1>>>(7, p);
}
template <class K>
void launch_argument(K kernel_c, int n) { kernel_c<<<1, 1>>>(n); }
template <class F>
void apply(F f) { f(); }
int identity(int n) { return n; }
template <class T>
struct Nested {
    static unsigned get(unsigned n) { return n; }
};
#define LAUNCH(kernel, ...) kernel<<<2, 32>>>(__VA_ARGS__)

int main() {
    int* p = nullptr;
    double* d = nullptr;
    float* f = nullptr;
    kernel_forward<<<1, 2>>>(__LINE__ == 137 ? 0 : 99); kernel_template<int> /* > */ <<<dim3(1, 2),
        32, // comment
        0>>>
        (__LINE__ == 140 ? 8 : 98, p, 4);
    static_assert(__LINE__ == 141, "");
    kernel_forward<<<1, 2>>>(9, 5);
    kernel_spelled<<<1, 2>>>(10, 3, nullptr, p, nullptr);
    kernel_incomplete<<<1, 2>>>(11, Incomplete{3});
    outer::kernel_inline<<<1, 2>>>(12), outer::v1::kernel_inline<<<1, 2>>>(13);
    outer::kernel_deep<<<1, 2>>>(14), ::alias::kernel_deep<<<1, 2>>>(15);
    kernel_adl<<<1, 2>>>(16, alias::Argument());
    alias::kernel_pack<3><<<1, 2>>>(17, 1, 2.0);
    kernel_friend<<<1, 2>>>(18, Friend{3});
    kernel_friend_template<<<1, 2>>>(19, Box<int>{3});
    (kernel_c)<<<1, 2>>>(20);
    kernel_overloaded<<<1, 2>>>(21), kernel_overloaded<<<1, 2>>>(22, f);
    kernel_overloaded<<<1, 2>>>(23, d, 2.0);
    kernel_beside_host<<<1, 2>>>(24), kernel_beside_host(2.0f);
    kernel_nested<<<1, 2>>>(25, Box<int>{3});
    kernel_unnamed<<<1, 2>>>(26, HasType{});
    kernel_late<<<1, 2>>>(27);
    kernel_defaults<<<1, 2>>>(28);
    LAUNCH(kernel_template, 29, d);
    Traits::kernel_deep<<<1, 2>>>(30);
    {
        using alias::kernel_deep;
        kernel_deep<<<1, 2>>>(31);
    }
    Runner runner;
    runner.kernel_c = ::kernel_late;
    runner.Base::kernel_late = kernel_c;
    runner.inside(), runner.outside(), runner.templated(d), other::run();
    launch_parameter<double, &kernel_late>(d);
    launch_argument(kernel_late, 32);
    void (*kernels[])(int) = {kernel_c, kernel_late};
    kernels[1]<<<1, 2>>>(33), (p ? kernel_c : kernels[1])<<<1, 2>>>(34);
    runner.kernel_c<<<1, 2>>>(35), (&runner)->kernel_c<<<1, 2>>>(36);
    for (auto kernel_c : {kernels[1]}) kernel_c<<<1, 2>>>(37);
    if (p) return 3; else kernel_c<<<1, 2>>>(38);
    apply([&] { kernel_template<int><<<1, 2>>>(39, p); });
    kernel_c<<<1, 2>>>([&] { kernel_c<<<3, 4>>>(40); return 41; }());
    kernel_c<<<Nested<Nested<Nested<int>>>::get(5), static_cast<unsigned>(identity(1 < 2))>>>(42);
    kernel_c<<<{1, 2, 3}, large, sizeof(int), Stream()>>>(43);
    kernel_c<<<Extents(), uint3{4, 5, 6}, 0, 0>>>(44);
    kernel_c<<<6ul>>>(45);
    kernel_pack_first<<<1, 2>>>(47, 2.0, 'a'), kernel_sizes<<<1, 2>>>(48, p);
#if __cplusplus >= 202002L
    kernel_concept<<<1, 2>>>(49, 3), kernel_auto<<<1, 2>>>(50, 3, p, d);
#endif
    int order = 0;
    kernel_c<<<static_cast<unsigned>(++order), 1>>>(45 + order);
    const char* text = "<<<1, 2>>>(3)";
    return text == nullptr;
}
