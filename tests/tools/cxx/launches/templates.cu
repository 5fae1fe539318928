// Kernels with every kind of template parameter, parameter, and declaration.
#include <stddef.h>

typedef unsigned int number;
using real = float;
struct Point {
    int x, y;
    int get() const { return x; }
};
template <class T, int N = 2>
struct Array {
    T values[N];
};
template <class T>
struct Box {
    T value;
    typedef T type;
    template <class U>
    struct Inner {
        U value;
    };
};
struct Incomplete;
enum class Color { red, green = 7 };
enum Old { old_zero, old_one };
int variable = 3;
extern const int constant;
const int constant = 4;
void function(int) {}
typedef void (*pointer)(int);

// Template parameters

template <class T>
__global__ void kernel_class(int) {}
template <typename>
__global__ void kernel_unnamed(int) {}
template <class, int, class>
__global__ void kernel_unnamed_all(int) {}
template <template <class, int> class C, class T, int N>
__global__ void kernel_deduced(int, C<T, N>) {}
template <template <class...> class C, class... T>
__global__ void kernel_template_pack(int, C<T...>) {}
template <Color C, Old O>
__global__ void kernel_enum(int) {}
template <int* P, const int& R>
__global__ void kernel_pointers(int) {}
template <unsigned char... N>
__global__ void kernel_numbers(int) {}
template <class... T>
__global__ void kernel_types(int, T... t) {}
template <class T, class V, class... U>
__global__ void kernel_middle(int, T, V, U...) {}
template <class T, T N, class U = Box<T>, int M = sizeof(U) * 2>
__global__ void kernel_dependent(int, U = U()) {}
template <class T, bool = (sizeof(T) > 2), class = void>
__global__ void kernel_default(int, T) {}
template <class T, size_t N>
__global__ void kernel_array(int, T (*)[N]) {}
template <class R, class... A>
__global__ void kernel_function(int, R (*)(A...)) {}
template <class T>
__global__ void kernel_nested(int, typename Box<T>::type, typename Box<T>::template Inner<T*> = {}) {}
template <class F>
__global__ void kernel_functor(int, F f) {}
template <class T = int>
__global__ void kernel_all_default(int, T = 3) {}
template <class T>
__global__ void kernel_specialized(int, T) {}
template <>
__global__ void kernel_specialized<int>(int, int) {}
template <>
__global__ void kernel_specialized(int, char) {}
template <class T>
__global__ void kernel_instantiated(int, T) {}
template __global__ void kernel_instantiated<int>(int, int);
template __global__ void kernel_instantiated(int, char);
extern template __global__ void kernel_instantiated<long>(int, long);
template <class T>
__global__ void kernel_declared(int, T, int = 3);
template <typename U>
__global__ void kernel_declared(int n, U value, int other) {}

// Parameters

__global__ void kernel_scalars(int, bool, char, unsigned long long, double, long double, number, real) {}
__global__ void kernel_names(int unsigned_, const int* const* volatile p, unsigned q, struct Point r) {}
__global__ void kernel_restrict(int, float* __restrict__ a, const float* __restrict__ b, float* __restrict) {}
__global__ void kernel_arrays(int, int[], const int[4], int[2][3], const char* const[]) {}
__global__ void kernel_functions(int, int(int), int (*)(int), int (*(*)(int))(int), int (&)(int)) {}
__global__ void kernel_references(int, int&, const Point&, int (&)[3]) {}
__global__ void kernel_enums(int, Color, enum Old, Color = Color::green) {}
__global__ void kernel_objects(int, Point, Array<Box<int>>, Array<Point, (1 > 0 ? 2 : 3)>) {}
__global__ void kernel_defaults(int, int = (1, 2), int = sizeof(Array<int, 3>), Array<int, 3> = Array<int, 3>{{1, 2, 3}}, Point = {1, 2}, const char* = ",)>", bool = (1 < 2), char = ')') {}
__global__ void kernel_incomplete(int, Incomplete, Incomplete*);
struct Incomplete {
    int value;
};
__global__ void kernel_incomplete(int, Incomplete, Incomplete*) {}
__global__ void kernel_added(int, int, int);
__global__ void kernel_added(int, int, int = 3);
__global__ void kernel_added(int, int = 2, int);
__global__ void kernel_added(int, int, int) {}
__global__ void kernel_void(void) {}
[[gnu::unused]] __global__ void kernel_attributes(int, [[maybe_unused]] int a, int b __attribute__((unused))) {}

// Specifiers

__attribute__((aligned(64))) __global__ void kernel_aligned(int) {}
void __global__ kernel_late(int) {}
__global__ inline void kernel_inline(int) {}
static __global__ void __launch_bounds__(128) kernel_bounds(int) {}
template <int N>
__global__ __launch_bounds__(N, 2) void kernel_bounds_template(int) {}
extern __global__ void kernel_extern(int);
__global__ void kernel_extern(int) {}
extern "C" __global__ void __launch_bounds__(64, 2) kernel_c(int) {}
__global__ auto kernel_trailing(int) -> void {}
__global__ void kernel_two_a(int), kernel_two_b(int);
__global__ void kernel_two_a(int) {}
__global__ void kernel_two_b(int) {}
struct Befriending {
    friend __global__ void kernel_befriended(int, Befriending);
    template <class T>
    friend __global__ void kernel_befriended_template(int, T, Befriending);

private:
    int value;
};
__global__ void kernel_befriended(int, Befriending) {}
template <class T>
__global__ void kernel_befriended_template(int, T, Befriending) {}

struct Functor {
    void operator()() const {}
};
template <class T>
struct Dependent {
    template <int N>
    void call(T value) {
        kernel_bounds_template<N><<<1, 2>>>(__LINE__), kernel_types<<<1, 2>>>(__LINE__, value);  //> void kernel_bounds_template<32>(int) | void kernel_types<float>(int, float)
        kernel_nested<T><<<1, 2>>>(__LINE__, value), kernel_array<T, N><<<1, 2>>>(__LINE__, nullptr);  //> void kernel_nested<float>(int, Box<float>::type, Box<float>::Inner<float*>) | void kernel_array<float, 32ul>(int, float (*) [32ul])
    }
};
template <class... T>
void forward(T... values) {
    kernel_types<<<1, 2>>>(__LINE__, values...), kernel_types<T...><<<1, 2>>>(__LINE__, values...);  //> void kernel_types<int, char>(int, int, char) | void kernel_types<int, char>(int, int, char)
    kernel_types<<<sizeof...(T), 2>>>(__LINE__, (values + 1)...), kernel_types<<<1, 2>>>(__LINE__, &values...);  //> void kernel_types<int, int>(int, int, int) [2,1,1 2,1,1 0] | void kernel_types<int*, char*>(int, int*, char*)
    int order[] = {(kernel_class<T><<<1, 2>>>(__LINE__), 0)...};  //> void kernel_class<int>(int) | void kernel_class<char>(int)
    (void)order;
}

int main() {
    Point point = {1, 2};
    int three[3] = {}, (*address)[3] = &three;
    kernel_class<int><<<1, 2>>>(__LINE__), kernel_class<Box<int>::Inner<char>><<<1, 2>>>(__LINE__);  //> void kernel_class<int>(int) | void kernel_class<Box<int>::Inner<char> >(int)
    kernel_unnamed<void><<<1, 2>>>(__LINE__), kernel_unnamed_all<int, 3, char><<<1, 2>>>(__LINE__);  //> void kernel_unnamed<void>(int) | void kernel_unnamed_all<int, 3, char>(int)
    kernel_deduced<<<1, 2>>>(__LINE__, Array<char, 3>()), kernel_template_pack<<<1, 2>>>(__LINE__, Box<int>());  //> void kernel_deduced<Array, char, 3>(int, Array<char, 3>) | void kernel_template_pack<Box, int>(int, Box<int>)
    kernel_enum<Color::green, old_one><<<1, 2>>>(__LINE__);  //> void kernel_enum<(Color)7, (Old)1>(int)
    kernel_pointers<&variable, constant><<<1, 2>>>(__LINE__);  //> void kernel_pointers<&variable, constant>(int)
    kernel_numbers<1, 'a', (1 << 2)><<<1, 2>>>(__LINE__), kernel_numbers<><<<1, 2>>>(__LINE__);  //> void kernel_numbers<(unsigned char)1, (unsigned char)97, (unsigned char)4>(int) | void kernel_numbers<>(int)
    kernel_types<<<1, 2>>>(__LINE__, 1, 2.0, point, &point), kernel_types<<<1, 2>>>(__LINE__);  //> void kernel_types<int, double, Point, Point*>(int, int, double, Point, Point*) | void kernel_types<>(int)
    kernel_types<long, char><<<1, 2>>>(__LINE__, 1, 2, 3), kernel_middle<<<1, 2>>>(__LINE__, 1, 'a');  //> void kernel_types<long, char, int>(int, long, char, int) | void kernel_middle<int, char>(int, int, char)
    kernel_dependent<char, 'a'><<<1, 2>>>(__LINE__), kernel_default<<<1, 2>>>(__LINE__, 'a');  //> void kernel_dependent<char, (char)97, Box<char>, 2>(int, Box<char>) | void kernel_default<char, false, void>(int, char)
    kernel_array<<<1, 2>>>(__LINE__, address), kernel_function<<<1, 2>>>(__LINE__, function);  //> void kernel_array<int, 3ul>(int, int (*) [3ul]) | void kernel_function<void, int>(int, void (*)(int))
    kernel_functor<<<1, 2>>>(__LINE__, Functor()), kernel_functor<<<1, 2>>>(__LINE__, Functor{});  //> void kernel_functor<Functor>(int, Functor) | void kernel_functor<Functor>(int, Functor)
    kernel_all_default<<<1, 2>>>(__LINE__), kernel_all_default<><<<1, 2>>>(__LINE__, 'a');  //> void kernel_all_default<int>(int, int) | void kernel_all_default<char>(int, char)
    kernel_specialized<<<1, 2>>>(__LINE__, 1), kernel_specialized<<<1, 2>>>(__LINE__, 'a'), kernel_specialized<<<1, 2>>>(__LINE__, 1.0);  //> void kernel_specialized<int>(int, int) | void kernel_specialized<char>(int, char) | void kernel_specialized<double>(int, double)
    kernel_instantiated<<<1, 2>>>(__LINE__, 1), kernel_instantiated<char><<<1, 2>>>(__LINE__, 1);  //> void kernel_instantiated<int>(int, int) | void kernel_instantiated<char>(int, char)
    kernel_declared<<<1, 2>>>(__LINE__, 1), kernel_declared<<<1, 2>>>(__LINE__, 'a', 2);  //> void kernel_declared<int>(int, int, int) | void kernel_declared<char>(int, char, int)
    Dependent<float>().call<32>(1), forward(1, 'a');

    kernel_scalars<<<1, 2>>>(__LINE__, 1, 2, 3, 4, 5, 6, 7);  //> kernel_scalars(int, bool, char, unsigned long long, double, long double, unsigned int, float)
    kernel_names<<<1, 2>>>(__LINE__, nullptr, 3u, {1, 2});  //> kernel_names(int, int const* const*, unsigned int, Point)
    float* floats = nullptr;
    kernel_restrict<<<1, 2>>>(__LINE__, floats, floats, floats);  //> kernel_restrict(int, float*, float const*, float*)
    int two[2][3] = {};
    kernel_arrays<<<1, 2>>>(__LINE__, three, three, two, nullptr);  //> kernel_arrays(int, int*, int const*, int (*) [3], char const* const*)
    kernel_enums<<<1, 2>>>(__LINE__, Color::red, old_one), kernel_enums<<<1, 2>>>(__LINE__, {}, {});  //> kernel_enums(int, Color, Old, Color) | kernel_enums(int, Color, Old, Color)
    kernel_objects<<<1, 2>>>(__LINE__, point, {}, Array<Point>());  //> kernel_objects(int, Point, Array<Box<int>, 2>, Array<Point, 2>)
    kernel_defaults<<<1, 2>>>(__LINE__), kernel_defaults<<<1, 2>>>(__LINE__, 1, 2, {{3}}, point);  //> kernel_defaults(int, int, int, Array<int, 3>, Point, char const*, bool, char) | kernel_defaults(int, int, int, Array<int, 3>, Point, char const*, bool, char)
    kernel_incomplete<<<1, 2>>>(__LINE__, Incomplete(), nullptr);  //> kernel_incomplete(int, Incomplete, Incomplete*)
    kernel_added<<<1, 2>>>(__LINE__), kernel_void<<<1, 2, __LINE__>>>();  //> kernel_added(int, int, int) | kernel_void()
    kernel_attributes<<<1, 2>>>(__LINE__, 1, 2), kernel_aligned<<<1, 2>>>(__LINE__), kernel_late<<<1, 2>>>(__LINE__);  //> kernel_attributes(int, int, int) | kernel_aligned(int) | kernel_late(int)
    kernel_inline<<<1, 2>>>(__LINE__), kernel_bounds<<<1, 2>>>(__LINE__), kernel_bounds_template<64><<<1, 2>>>(__LINE__);  //> kernel_inline(int) | kernel_bounds(int) | void kernel_bounds_template<64>(int)
    kernel_extern<<<1, 2>>>(__LINE__), kernel_c<<<1, 2>>>(__LINE__);  //> kernel_extern(int) | kernel_c
    kernel_trailing<<<1, 2>>>(__LINE__), kernel_two_a<<<1, 2>>>(__LINE__), kernel_two_b<<<1, 2>>>(__LINE__);  //> kernel_trailing(int) | kernel_two_a(int) | kernel_two_b(int)
    kernel_befriended<<<1, 2>>>(__LINE__, Befriending()), kernel_befriended_template<<<1, 2>>>(__LINE__, 'a', Befriending());  //> kernel_befriended(int, Befriending) | void kernel_befriended_template<char>(int, char, Befriending)
}
