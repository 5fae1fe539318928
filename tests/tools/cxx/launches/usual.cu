// Kernels and launches that programs often have.
#include <initializer_list>
#include <stddef.h>

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

enum Size { large = 64 };
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
    void inside() { kernel_c<<<1, 1>>>(__LINE__); }  //> kernel_late(int) [1,1,1 1,1,1 0]
    void outside();
    template <class T>
    void templated(T* p) { kernel_template<T><<<1, 1>>>(__LINE__, p); }  //> void kernel_template<double>(int, double*, double) [1,1,1 1,1,1 0]
};
void Runner::outside() { kernel_late<<<1, 1>>>(__LINE__), outer::kernel_deep<<<1, 1>>>(__LINE__); }  //> kernel_c [1,1,1 1,1,1 0] | outer::deep::kernel_deep(int) [1,1,1 1,1,1 0]

namespace other {
void (*kernel_defaults)(int) = kernel_late;
void run() { kernel_defaults<<<1, 1>>>(__LINE__); }  //> kernel_late(int) [1,1,1 1,1,1 0]
}  // namespace other

template <class T, void (*kernel_c)(int)>
void launch_parameter(T* p) {
    kernel_c<<<1, 1>>>(__LINE__);  //> kernel_late(int) [1,1,1 1,1,1 0]
    kernel_template<<<1, 1>>>(__LINE__, p);  //> void kernel_template<double>(int, double*, double) [1,1,1 1,1,1 0]
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
    kernel_forward<<<1, 2>>>(__LINE__); kernel_template<int> /* > */ <<<dim3(1, 2),  //> kernel_forward(int, int)
        32, // comment
        0>>>
        (__LINE__, p, 4);  //> void kernel_template<int>(int, int*, int) [1,2,1 32,1,1 0]
    static_assert(__LINE__ == 123, "");
    kernel_forward<<<1, 2>>>(__LINE__, 5);  //> kernel_forward(int, int)
    kernel_spelled<<<1, 2>>>(__LINE__, 3, nullptr, p, nullptr);  //> kernel_spelled(int, unsigned int, float const*, int*, int (*)(int, int))
    kernel_incomplete<<<1, 2>>>(__LINE__, Incomplete{3});  //> kernel_incomplete(int, Incomplete)
    outer::kernel_inline<<<1, 2>>>(__LINE__), outer::v1::kernel_inline<<<1, 2>>>(__LINE__);  //> outer::v1::kernel_inline(int) | outer::v1::kernel_inline(int)
    outer::kernel_deep<<<1, 2>>>(__LINE__), ::alias::kernel_deep<<<1, 2>>>(__LINE__);  //> outer::deep::kernel_deep(int) | outer::deep::kernel_deep(int)
    kernel_adl<<<1, 2>>>(__LINE__, alias::Argument());  //> outer::deep::kernel_adl(int, outer::deep::Argument)
    alias::kernel_pack<3><<<1, 2>>>(__LINE__, 1, 2.0);  //> void outer::deep::kernel_pack<3, int, double>(int, int, double)
    kernel_friend<<<1, 2>>>(__LINE__, Friend{3});  //> kernel_friend(int, Friend)
    kernel_friend_template<<<1, 2>>>(__LINE__, Box<int>{3});  //> void kernel_friend_template<int>(int, Box<int>)
    (kernel_c)<<<1, 2>>>(__LINE__);  //> kernel_c
    kernel_overloaded<<<1, 2>>>(__LINE__), kernel_overloaded<<<1, 2>>>(__LINE__, f);  //> kernel_overloaded(int) | kernel_overloaded(int, float*, int)
    kernel_overloaded<<<1, 2>>>(__LINE__, d, 2.0);  //> void kernel_overloaded<double>(int, double*, double)
    kernel_beside_host<<<1, 2>>>(__LINE__), kernel_beside_host(2.0f);  //> kernel_beside_host(int)
    kernel_nested<<<1, 2>>>(__LINE__, Box<int>{3});  //> void kernel_nested<Box, int>(int, Box<int>)
    kernel_unnamed<<<1, 2>>>(__LINE__, HasType{});  //> void kernel_unnamed<HasType, int, 3>(int, HasType)
    kernel_late<<<1, 2>>>(__LINE__);  //> kernel_late(int)
    kernel_defaults<<<1, 2>>>(__LINE__);  //> kernel_defaults(int, Box<Box<int> >, bool)
    LAUNCH(kernel_template, __LINE__, d);  //> void kernel_template<double>(int, double*, double) [2,1,1 32,1,1 0]
    Traits::kernel_deep<<<1, 2>>>(__LINE__);  //> outer::deep::kernel_deep(int)
    {
        using alias::kernel_deep;
        kernel_deep<<<1, 2>>>(__LINE__);  //> outer::deep::kernel_deep(int)
    }
    Runner runner;
    runner.kernel_c = ::kernel_late;
    runner.Base::kernel_late = kernel_c;
    runner.inside(), runner.outside(), runner.templated(d), other::run();
    launch_parameter<double, &kernel_late>(d);
    launch_argument(kernel_late, __LINE__);  //> kernel_late(int) [1,1,1 1,1,1 0]
    void (*kernels[])(int) = {kernel_c, kernel_late};
    kernels[1]<<<1, 2>>>(__LINE__), (p ? kernel_c : kernels[1])<<<1, 2>>>(__LINE__);  //> kernel_late(int) | kernel_late(int)
    runner.kernel_c<<<1, 2>>>(__LINE__), (&runner)->kernel_c<<<1, 2>>>(__LINE__);  //> kernel_late(int) | kernel_late(int)
    for (auto kernel_c : {kernels[1]}) kernel_c<<<1, 2>>>(__LINE__);  //> kernel_late(int)
    if (p) return 3; else kernel_c<<<1, 2>>>(__LINE__);  //> kernel_c
    apply([&] { kernel_template<int><<<1, 2>>>(__LINE__, p); });  //> void kernel_template<int>(int, int*, int)
    kernel_c<<<1, 2>>>([&] { kernel_c<<<3, 4>>>(__LINE__); return __LINE__; }());  //> kernel_c [3,1,1 4,1,1 0] | kernel_c
    kernel_c<<<Nested<Nested<Nested<int>>>::get(5), static_cast<unsigned>(identity(1 < 2))>>>(__LINE__);  //> kernel_c [5,1,1 1,1,1 0]
    kernel_c<<<{1, 2, 3}, large, sizeof(int), nullptr>>>(__LINE__);  //> kernel_c [1,2,3 64,1,1 4]
    kernel_c<<<Extents(), uint3{4, 5, 6}, 0, 0>>>(__LINE__);  //> kernel_c [7,8,9 4,5,6 0]
    kernel_c<<<6ul>>>(__LINE__);  //> kernel_c [6,1,1 1,1,1 0]
    int order = 0;
    kernel_c<<<static_cast<unsigned>(++order), 1>>>(__LINE__);  //> kernel_c [1,1,1 1,1,1 0]
    const char* text = "<<<1, 2>>>(3)";
    return text == nullptr;
}
