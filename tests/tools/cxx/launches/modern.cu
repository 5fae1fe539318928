// Launches in what C++17 and C++20 have.
#include <concepts>
#include <coroutine>
#include <initializer_list>
#include <tuple>

typedef void (*pointer)(int);
__global__ void kernel(int) {}
__global__ void kernel_other(int) {}
template <class T>
__global__ void kernel_template(int, T) {}
template <auto N>
__global__ void kernel_auto_value(int) {}
template <class T>
concept Small = sizeof(T) < 8;
template <Small T>
__global__ void kernel_constrained(int, T) {}
template <class T>
    requires Small<T> && (sizeof(T) > 1)
__global__ void kernel_required(int, T) {}
struct Pair {
    pointer kernel, kernel_template;
};
struct Literal {
    int value;
};
namespace a::b::inline c {
__global__ void kernel_nested(int) {}
__global__ void kernel_used(int) {}
}  // namespace a::b::inline c
using a::b::kernel_nested, a::b::kernel_used;
inline int variable = (kernel<<<1, 2>>>(__LINE__), 1);  //> kernel(int)
template <class T>
int variable_template = (kernel_template<<<1, 2>>>(__LINE__, T()), 1);  //> void kernel_template<short>(int, short)
template <pointer P>
constexpr pointer constant = P;

template <class... T>
void fold(T... values) {
    (kernel_template<<<1, 2>>>(__LINE__, values), ...);  //> void kernel_template<int>(int, int) | void kernel_template<char>(int, char)
    (..., kernel_template<T><<<1, 2>>>(__LINE__, values));  //> void kernel_template<int>(int, int) | void kernel_template<char>(int, char)
    (void)((kernel_template<<<1, 2>>>(__LINE__, values), true) && ...);  //> void kernel_template<int>(int, int) | void kernel_template<char>(int, char)
    [... captured = values] { (kernel_template<<<1, 2>>>(__LINE__, captured), ...); }();  //> void kernel_template<int>(int, int) | void kernel_template<char>(int, char)
}
template <class... K>
void fold_pointers(K... kernel) {
    (kernel<<<1, 2>>>(__LINE__), ...);  //> kernel(int) | kernel_other(int)
}
template <auto kernel>
void value_parameter() { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
template <auto... kernel>
void value_parameters() { (kernel<<<1, 2>>>(__LINE__), ...); }  //> kernel_other(int) | kernel(int)
void automatic(auto kernel) { kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
void constrained(Small auto value, std::invocable<int> auto&& kernel) { (void)value, kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
template <class T>
void conditional(T value) {
    if constexpr (sizeof(T) == 1) kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    else if constexpr (sizeof(T) == 4) { kernel_template<<<1, 2>>>(__LINE__, value); }  //> void kernel_template<int>(int, int)
    else kernel<<<1, 2>>>(__LINE__, value, value);
}
constexpr int evaluated(int n) {
    if (std::is_constant_evaluated()) return n;
    kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    return n;
}
struct Task {
    struct promise_type {
        Task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() {}
    };
};
Task coroutine() {
    kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    co_return kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
}

template <class... T>
void expanded(T... values) { ([&] { kernel_template<<<1, 2>>>(__LINE__, values); }(), ...); }  //> void kernel_template<int>(int, int) | void kernel_template<char>(int, char)

int main() {
    expanded(1, 'a');
    (void)variable, (void)variable_template<short>;
    fold(1, 'a'), fold_pointers(kernel, kernel_other), value_parameter<kernel_other>();
    value_parameters<kernel_other, kernel>(), automatic(kernel_other), constrained(1, kernel_other);
    conditional('a'), conditional(1), (void)evaluated(variable), coroutine();
    a::b::kernel_nested<<<1, 2>>>(__LINE__), a::b::c::kernel_nested<<<1, 2>>>(__LINE__), kernel_used<<<1, 2>>>(__LINE__);  //> a::b::c::kernel_nested(int) | a::b::c::kernel_nested(int) | a::b::c::kernel_used(int)
    kernel_auto_value<3><<<1, 2>>>(__LINE__), kernel_auto_value<'a'><<<1, 2>>>(__LINE__), kernel_auto_value<Literal{3}><<<1, 2>>>(__LINE__);  //> void kernel_auto_value<3>(int) | void kernel_auto_value<(char)97>(int) | void kernel_auto_value<Literal{3}>(int)
    kernel_constrained<<<1, 2>>>(__LINE__, 1), kernel_required<<<1, 2>>>(__LINE__, 1);  //> void kernel_constrained<int>(int, int) | void kernel_required<int>(int, int)
    { auto [kernel, other] = std::tuple(&kernel_other, 1); (void)other, kernel<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    { auto&& [other, kernel_template] = Pair{kernel, kernel_other}; (void)other, kernel_template<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    for (auto [kernel, other] : {Pair{kernel_other, nullptr}}) (void)other, kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    if (pointer kernel = kernel_other; kernel) kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    if (kernel<<<1, 2>>>(__LINE__); variable) {}  //> kernel(int)
    switch (pointer kernel_template = kernel_other; variable) { default: kernel_template<<<1, 2>>>(__LINE__); }  //> kernel_other(int)
    for (pointer kernel = kernel_other; int n : {1}) (void)n, kernel<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    [kernel = &kernel_other] { kernel<<<1, 2>>>(__LINE__); }();  //> kernel_other(int)
    { pointer other = kernel_other; [&kernel = other] { kernel<<<1, 2>>>(__LINE__); }(); }  //> kernel_other(int)
    { pointer other = kernel_other; [&kernel(other)] { kernel<<<1, 2>>>(__LINE__); }(); }  //> kernel_other(int)
    [kernel_template(&kernel_other)]() mutable { kernel_template<<<1, 2>>>(__LINE__); }();  //> kernel_other(int)
    [](auto kernel) { kernel<<<1, 2>>>(__LINE__); }(kernel_other);  //> kernel_other(int)
    [](auto&& kernel_template) { kernel_template<<<1, 2>>>(__LINE__); }(kernel_other);  //> kernel_other(int)
    []<class T>(T kernel) { kernel<<<1, 2>>>(__LINE__); }(kernel_other);  //> kernel_other(int)
    []<pointer kernel>() { kernel<<<1, 2>>>(__LINE__); }.operator()<&kernel_other>();  //> kernel_other(int)
    [](auto... kernels) { (kernels<<<1, 2>>>(__LINE__), ...); }(kernel, kernel_other);  //> kernel(int) | kernel_other(int)
    [](auto value) { kernel_template<<<1, 2>>>(__LINE__, value); }(1);  //> void kernel_template<int>(int, int)
    [](auto value) { return [=](auto other) { kernel_template<<<1, 2>>>(__LINE__, value + other); }; }(1)('a');  //> void kernel_template<int>(int, int)
    constant<kernel_other><<<1, 2>>>(__LINE__), ::constant<&kernel_other><<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    kernel_template<<<1, 2>>>(__LINE__, Literal{.value = (1 > 2)}), kernel_template<<<1, 2>>>(__LINE__, 1'000);  //> void kernel_template<Literal>(int, Literal) | void kernel_template<int>(int, int)
    if (variable) [[likely]] kernel<<<1, 2>>>(__LINE__); else [[unlikely]] kernel<<<2, 2>>>(__LINE__);  //> kernel(int)
}
