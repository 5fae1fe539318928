// Kernels that a compiler finds in namespaces, through their arguments, and among overloads.
#include <stddef.h>

typedef void (*pointer)(int);

// Namespaces

namespace a {
__global__ void kernel(int) {}
namespace b {
__global__ void kernel(int) {}
namespace c {
__global__ void kernel_deep(int) {}
template <class T>
__global__ void kernel_template(int, T) {}
void call() { kernel<<<1, 2>>>(__LINE__), a::kernel<<<1, 2>>>(__LINE__), b::kernel<<<1, 2>>>(__LINE__); }  //> a::b::kernel(int) | a::kernel(int) | a::b::kernel(int)
}  // namespace c
inline namespace v1 {
__global__ void kernel_inline(int) {}
inline namespace v2 {
__global__ void kernel_inline_twice(int) {}
}  // namespace v2
}  // namespace v1
}  // namespace b
void call() { kernel<<<1, 2>>>(__LINE__), b::kernel<<<1, 2>>>(__LINE__); }  //> a::kernel(int) | a::b::kernel(int)
}  // namespace a
__global__ void kernel(int) {}
namespace {
__global__ void kernel_unnamed(int) {}
namespace inside {
template <class T>
__global__ void kernel_unnamed_template(int, T) {}
}  // namespace inside
}  // namespace
static __global__ void kernel_static(int) {}
namespace d {
namespace {
__global__ void kernel_unnamed(int) {}
void call() { kernel_unnamed<<<1, 2>>>(__LINE__), ::kernel_unnamed<<<1, 2>>>(__LINE__); }  //> d::(anonymous namespace)::kernel_unnamed(int) | (anonymous namespace)::kernel_unnamed(int)
}  // namespace
using namespace a::b;
void call_deep() { c::kernel_deep<<<1, 2>>>(__LINE__), kernel_inline<<<1, 2>>>(__LINE__); }  //> a::b::c::kernel_deep(int) | a::b::v1::kernel_inline(int)
}  // namespace d
namespace e = a::b;
namespace f = e;
namespace g {
namespace e = a;
using a::kernel;
using ::kernel_static;
void call() { kernel<<<1, 2>>>(__LINE__), e::kernel<<<1, 2>>>(__LINE__), kernel_static<<<1, 2>>>(__LINE__); }  //> a::kernel(int) | a::kernel(int) | kernel_static(int)
}  // namespace g
namespace h {
using g::kernel;
void call() { kernel<<<1, 2>>>(__LINE__), h::kernel<<<1, 2>>>(__LINE__), ::h::kernel<<<1, 2>>>(__LINE__); }  //> a::kernel(int) | a::kernel(int) | a::kernel(int)
}  // namespace h
namespace reopened {
__global__ void kernel(int);
}
namespace reopened {
void call() { kernel<<<1, 2>>>(__LINE__); }  //> reopened::kernel(int)
}
__global__ void reopened::kernel(int) {}
namespace facade {
using namespace a::b::c;
}
extern "C" {
namespace language {
__global__ void kernel_language(int) {}
}
__global__ void kernel_c(int);
}
extern "C" __global__ void kernel_c(int) {}

void namespaces() {
    kernel<<<1, 2>>>(__LINE__), ::kernel<<<1, 2>>>(__LINE__), a::kernel<<<1, 2>>>(__LINE__);  //> kernel(int) | kernel(int) | a::kernel(int)
    e::kernel<<<1, 2>>>(__LINE__), f::kernel<<<1, 2>>>(__LINE__), ::f::kernel<<<1, 2>>>(__LINE__);  //> a::b::kernel(int) | a::b::kernel(int) | a::b::kernel(int)
    f::c::kernel_deep<<<1, 2>>>(__LINE__), f::c::kernel_template<<<1, 2>>>(__LINE__, 1);  //> a::b::c::kernel_deep(int) | void a::b::c::kernel_template<int>(int, int)
    a::b::kernel_inline<<<1, 2>>>(__LINE__), a::b::v1::v2::kernel_inline_twice<<<1, 2>>>(__LINE__);  //> a::b::v1::kernel_inline(int) | a::b::v1::v2::kernel_inline_twice(int)
    e::kernel_inline_twice<<<1, 2>>>(__LINE__), a::b::v1::kernel_inline_twice<<<1, 2>>>(__LINE__);  //> a::b::v1::v2::kernel_inline_twice(int) | a::b::v1::v2::kernel_inline_twice(int)
    kernel_unnamed<<<1, 2>>>(__LINE__), inside::kernel_unnamed_template<<<1, 2>>>(__LINE__, 'a');  //> (anonymous namespace)::kernel_unnamed(int) | void (anonymous namespace)::inside::kernel_unnamed_template<char>(int, char)
    ::inside::kernel_unnamed_template<int><<<1, 2>>>(__LINE__, 'a'), kernel_static<<<1, 2>>>(__LINE__);  //> void (anonymous namespace)::inside::kernel_unnamed_template<int>(int, int) | kernel_static(int)
    language::kernel_language<<<1, 2>>>(__LINE__), kernel_c<<<1, 2>>>(__LINE__);  //> kernel_language | kernel_c
    facade::kernel_deep<<<1, 2>>>(__LINE__);  //> a::b::c::kernel_deep(int)
    { using namespace a::b::c; kernel_deep<<<1, 2>>>(__LINE__); kernel_template<float><<<1, 2>>>(__LINE__, 1); }  //> a::b::c::kernel_deep(int) | void a::b::c::kernel_template<float>(int, float)
    { using a::b::kernel; kernel<<<1, 2>>>(__LINE__); { using a::kernel; kernel<<<1, 2>>>(__LINE__); } kernel<<<1, 2>>>(__LINE__); }  //> a::b::kernel(int) | a::kernel(int) | a::b::kernel(int)
    { using e::kernel_inline; kernel_inline<<<1, 2>>>(__LINE__); }  //> a::b::v1::kernel_inline(int)
    { namespace local = a::b; local::kernel<<<1, 2>>>(__LINE__); using local::kernel; kernel<<<1, 2>>>(__LINE__); }  //> a::b::kernel(int) | a::b::kernel(int)
    { using facade::kernel_deep; kernel_deep<<<1, 2>>>(__LINE__); }  //> a::b::c::kernel_deep(int)
    kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    a::b::c::call(), a::call(), d::call(), d::call_deep(), g::call(), h::call(), reopened::call();
}

// Arguments

namespace associated {
struct Argument {
    int value;
    friend __global__ void kernel_friend(int, Argument);
};
template <class T>
struct Box {
    T value;
};
__global__ void kernel_friend(int, Argument) {}
enum Color { red };
__global__ void kernel_associated(int, Argument) {}
__global__ void kernel_associated(int, Color) {}
template <class T>
__global__ void kernel_box(int, Box<T>) {}
template <class T, class U>
__global__ void kernel_explicit(int, Box<U>) {}
template <class T>
struct Vector {
    template <class U>
    friend __global__ void kernel_hidden(int, Vector<U>);
};
template <class U>
__global__ void kernel_hidden(int, Vector<U>) {}
typedef void (*Function)(Argument);
__global__ void kernel_function(int, Function) {}
}  // namespace associated
struct Derived : associated::Argument {};
template <class T>
void call_dependent(T value) {
    kernel_associated<<<1, 2>>>(__LINE__, value);  //> associated::kernel_associated(int, associated::Argument) | later::kernel_associated(int, later::Argument)
}
namespace later {
struct Argument {
    int value;
};
__global__ void kernel_associated(int, Argument) {}
}  // namespace later
void arguments() {
    associated::Argument argument = {1};
    associated::Box<double> box = {1};
    kernel_associated<<<1, 2>>>(__LINE__, argument), kernel_associated<<<1, 2>>>(__LINE__, associated::red);  //> associated::kernel_associated(int, associated::Argument) | associated::kernel_associated(int, associated::Color)
    kernel_friend<<<1, 2>>>(__LINE__, argument), kernel_hidden<<<1, 2>>>(__LINE__, associated::Vector<int>());  //> associated::kernel_friend(int, associated::Argument) | void associated::kernel_hidden<int>(int, associated::Vector<int>)
    kernel_box<<<1, 2>>>(__LINE__, box), kernel_box<<<1, 2>>>(__LINE__, associated::Box<Derived>());  //> void associated::kernel_box<double>(int, associated::Box<double>) | void associated::kernel_box<Derived>(int, associated::Box<Derived>)
    kernel_associated<<<1, 2>>>(__LINE__, Derived());  //> associated::kernel_associated(int, associated::Argument)
    associated::kernel_explicit<char><<<1, 2>>>(__LINE__, box);  //> void associated::kernel_explicit<char, double>(int, associated::Box<double>)
    associated::Function function = nullptr;
    kernel_function<<<1, 2>>>(__LINE__, function);  //> associated::kernel_function(int, void (*)(associated::Argument))
    call_dependent(argument), call_dependent(later::Argument());
}

// Overloads

struct Convertible {
    operator int() const { return 1; }
};
struct FromInt {
    int value;
    FromInt(int v) : value(v) {}
};
__global__ void kernel_types(int, int) {}
__global__ void kernel_types(int, double) {}
__global__ void kernel_types(int, const char*) {}
__global__ void kernel_types(int, FromInt, int = 0) {}
template <class T>
__global__ void kernel_types(int, T*) {}
template <class T>
__global__ void kernel_types(int, const T*, T) {}
template <class T, int N>
__global__ void kernel_types(int, const T (*)[N]) {}
__global__ void kernel_order(int, int) {}
template <class T>
__global__ void kernel_order(int, T) {}
template <class T>
__global__ void kernel_order(int, T*) {}
template <>
__global__ void kernel_order(int, long*) {}
template <class... T>
__global__ void kernel_order(int, T...) {}
__global__ void kernel_host(int, int) {}
void kernel_host(int, const char*) {}
inline int kernel_host(int n) { return n; }
template <bool B, class T = int>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
    typedef T type;
};
template <class T, typename enable_if<sizeof(T) == 1>::type = 0>
__global__ void kernel_enabled(int, T) {}
template <class T, typename enable_if<sizeof(T) != 1>::type = 0>
__global__ void kernel_enabled(int, T) {}
template <int N>
__global__ void kernel_kinds(int) {}
template <class T>
__global__ void kernel_kinds(int) {}
template <template <class> class T>
__global__ void kernel_kinds(int) {}
__global__ void kernel_kinds(int) {}
__global__ void kernel_nothing() {}
__global__ void kernel_const(int, int* const, const int* const) {}
__global__ void kernel_const(int, const int*, int*) {}
__global__ void kernel_null(int, void*) {}
__global__ void kernel_null(int, int) {}
__global__ void kernel_long(int, long) {}
__global__ void kernel_long(int, unsigned long) {}
namespace more {
__global__ void kernel_types(int, float*) {}
using ::kernel_types;
__global__ void kernel_types(int, short*) {}
void call() {
    kernel_types<<<1, 2>>>(__LINE__, static_cast<float*>(nullptr));  //> more::kernel_types(int, float*)
    kernel_types<<<1, 2>>>(__LINE__, static_cast<short*>(nullptr));  //> more::kernel_types(int, short*)
    kernel_types<<<1, 2>>>(__LINE__, static_cast<double*>(nullptr));  //> void kernel_types<double>(int, double*)
}
}  // namespace more

void overloads() {
    int n = 0;
    kernel_types<<<1, 2>>>(__LINE__, 1), kernel_types<<<1, 2>>>(__LINE__, 1.0f), kernel_types<<<1, 2>>>(__LINE__, "a");  //> kernel_types(int, int) | kernel_types(int, double) | kernel_types(int, char const*)
    kernel_types<<<1, 2>>>(__LINE__, 1, 2), kernel_types<<<1, 2>>>(__LINE__, Convertible());  //> kernel_types(int, FromInt, int) | kernel_types(int, int)
    kernel_types<<<1, 2>>>(__LINE__, &n), kernel_types<<<1, 2>>>(__LINE__, &n, 3);  //> void kernel_types<int>(int, int*) | void kernel_types<int>(int, int const*, int)
    const char text[] = "ab";
    kernel_types<char, 3><<<1, 2>>>(__LINE__, &text);  //> void kernel_types<char, 3>(int, char const (*) [3])
    kernel_types<<<1, 2>>>(__LINE__, 'a');  //> kernel_types(int, int)
    kernel_order<<<1, 2>>>(__LINE__, 1), kernel_order<><<<1, 2>>>(__LINE__, 1), kernel_order<<<1, 2>>>(__LINE__, &n);  //> kernel_order(int, int) | void kernel_order<int>(int, int) | void kernel_order<int>(int, int*)
    kernel_order<<<1, 2>>>(__LINE__, static_cast<long*>(nullptr)), kernel_order<<<1, 2>>>(__LINE__, 1, 2);  //> void kernel_order<long>(int, long*) | void kernel_order<int, int>(int, int, int)
    kernel_host<<<1, 2>>>(__LINE__, 1), kernel_host(kernel_host(1), "");  //> kernel_host(int, int)
    kernel_enabled<<<1, 2>>>(__LINE__, 'a'), kernel_enabled<<<1, 2>>>(__LINE__, 1.0);  //> void kernel_enabled<char, 0>(int, char) | void kernel_enabled<double, 0>(int, double)
    kernel_kinds<<<1, 2>>>(__LINE__), kernel_kinds<3><<<1, 2>>>(__LINE__);  //> kernel_kinds(int) | void kernel_kinds<3>(int)
    kernel_kinds<int><<<1, 2>>>(__LINE__), kernel_kinds<associated::Box><<<1, 2>>>(__LINE__);  //> void kernel_kinds<int>(int) | void kernel_kinds<associated::Box>(int)
    kernel_nothing<<<1, 2, __LINE__>>>(), kernel_nothing<<<1, 2, __LINE__>>>(/* nothing */);  //> kernel_nothing() | kernel_nothing()
    const int* c = nullptr;
    kernel_const<<<1, 2>>>(__LINE__, &n, c), kernel_const<<<1, 2>>>(__LINE__, c, &n);  //> kernel_const(int, int*, int const*) | kernel_const(int, int const*, int*)
    kernel_null<<<1, 2>>>(__LINE__, nullptr), kernel_null<<<1, 2>>>(__LINE__, &n);  //> kernel_null(int, void*) | kernel_null(int, void*)
    kernel_long<<<1, 2>>>(__LINE__, 1l), kernel_long<<<1, 2>>>(__LINE__, sizeof(n));  //> kernel_long(int, long) | kernel_long(int, unsigned long)
    more::call();
}

namespace behind {
template <class T>
__global__ void kernel_behind(int, T) {}
}
namespace front { namespace inner { using namespace behind; } using namespace inner; }
void directives() {
    front::inner::kernel_behind<<<1, 2>>>(__LINE__, 'a'), front::kernel_behind<<<1, 2>>>(__LINE__, 1);  //> void behind::kernel_behind<char>(int, char) | void behind::kernel_behind<int>(int, int)
}

int main() { namespaces(), arguments(), overloads(), directives(); }
