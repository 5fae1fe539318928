// Launches in every place where an expression can be, and of expressions that are not names.
#include <initializer_list>
#include <stddef.h>

typedef void (*pointer)(int);
__global__ void kernel(int) {}
__global__ void kernel_other(int) {}
template <class T>
__global__ void kernel_template(int, T) {}

int number() { return 3; }
template <class F>
auto apply(F f) -> decltype(f()) { return f(); }

// Initializers and defaults

int global = (kernel<<<1, 2>>>(__LINE__), 1);  //> kernel(int)
static const int constant = (kernel_template<<<1, 2>>>(__LINE__, 'a'), 2);  //> void kernel_template<char>(int, char)
int from_lambda = [] { kernel<<<1, 2>>>(__LINE__); return 3; }();  //> kernel(int)
struct Member {
    int a = (kernel<<<1, 2>>>(__LINE__), 1);  //> kernel(int)
    int b{(kernel_template<<<1, 2>>>(__LINE__, 2), 1)};  //> void kernel_template<int>(int, int)
    int c = [] { kernel<<<3, 4>>>(__LINE__); return 1; }();  //> kernel(int) [3,1,1 4,1,1 0]
    static int d;
};
int Member::d = (kernel<<<1, 2>>>(__LINE__), 1);  //> kernel(int)
struct Constructed {
    int a, b;
    Constructed() : a((kernel<<<1, 2>>>(__LINE__), 1)), b{(kernel<<<2, 2>>>(__LINE__), 2)} { kernel<<<3, 2>>>(__LINE__); }  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0] | kernel(int) [3,1,1 2,1,1 0]
    ~Constructed() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    operator int() const { return kernel<<<1, 2>>>(__LINE__), 3; }  //> kernel(int)
    void operator()(int n) const { kernel<<<1, 2>>>(n); }
    void operator<<(int n) const { kernel<<<1, 2>>>(n); }
};
int default_argument(int n = (kernel<<<1, 2>>>(__LINE__), 1)) { return n; }  //> kernel(int)
template <class T>
int template_default(T n = (kernel_template<<<1, 2>>>(__LINE__, T()), 1)) { return n; }  //> void kernel_template<short>(int, short)
int array[] = {(kernel<<<1, 2>>>(__LINE__), 1), (kernel<<<2, 2>>>(__LINE__), 2)};  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
namespace nested {
namespace {
int global = (::kernel<<<1, 2>>>(__LINE__), 1);  //> kernel(int)
}
int use() { return global; }
}  // namespace nested

// Functions

void returning() { return kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
inline auto trailing() -> void { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
void no_throw() noexcept { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
void tried() try { kernel<<<1, 2>>>(__LINE__); throw 1; } catch (...) { kernel<<<2, 2>>>(__LINE__); }  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
struct Class {
    static void fixed() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    virtual void method() const { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    virtual ~Class() {}
    template <class T>
    void templated(T n) { kernel_template<T><<<1, 2>>>(__LINE__, n); }  //> void kernel_template<long>(int, long)
    void outside();
    struct Inner {
        void method() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
    };
    friend void friendly(Class) { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
};
void Class::outside() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)
template <class T>
struct ClassTemplate {
    void inside(T n) { kernel_template<<<sizeof(T), 2>>>(__LINE__, n); }  //> void kernel_template<int>(int, int) [4,1,1 2,1,1 0]
    template <class U>
    void outside(U n);
};
template <class T>
template <class U>
void ClassTemplate<T>::outside(U n) { kernel_template<T><<<1, 2>>>(__LINE__, static_cast<T>(n)); }  //> void kernel_template<int>(int, int)
template <int N>
struct Recursive {
    static void call() { kernel<<<N, 2>>>(__LINE__), Recursive<N - 1>::call(); }  //> kernel(int) [2,1,1 2,1,1 0] | kernel(int)
};
template <>
void Recursive<0>::call() {}
extern "C" void language() { kernel<<<1, 2>>>(__LINE__); }  //> kernel(int)

// Statements

void statements(int zero) {
    for (kernel<<<1, 2>>>(__LINE__); zero < 1; kernel<<<2, 2>>>(__LINE__), ++zero) kernel<<<3, 2>>>(__LINE__);  //> kernel(int) | kernel(int) [3,1,1 2,1,1 0] | kernel(int) [2,1,1 2,1,1 0]
    for (; kernel<<<1, 2>>>(__LINE__), zero;) --zero;  //> kernel(int) | kernel(int)
    while (kernel<<<1, 2>>>(__LINE__), zero) {}  //> kernel(int)
    do kernel<<<1, 2>>>(__LINE__); while (zero);  //> kernel(int)
    do { zero = 0; } while (kernel<<<1, 2>>>(__LINE__), zero);  //> kernel(int)
    if (!zero) kernel<<<1, 2>>>(__LINE__); else kernel<<<2, 2>>>(__LINE__);  //> kernel(int)
    if (zero) {} else if (kernel<<<1, 2>>>(__LINE__), !zero) kernel<<<2, 2>>>(__LINE__);  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    switch (zero) { case 0: kernel<<<1, 2>>>(__LINE__); break; default: kernel<<<2, 2>>>(__LINE__); }  //> kernel(int)
    switch (kernel<<<1, 2>>>(__LINE__), zero) case 0: default: ::kernel<<<2, 2>>>(__LINE__);  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    goto label;
label: kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    { kernel<<<1, 2>>>(__LINE__); } (kernel)<<<2, 2>>>(__LINE__);  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    if (zero == 0) (kernel)<<<1, 2>>>(__LINE__);  //> kernel(int)
    try { throw (kernel<<<1, 2>>>(__LINE__), 1); } catch (int) { kernel<<<2, 2>>>(__LINE__); }  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    ;;kernel<<<1, 2>>>(__LINE__);;  //> kernel(int)
}

// Expressions

void expressions(int zero) {
    zero ? kernel<<<1, 2>>>(__LINE__) : kernel<<<2, 2>>>(__LINE__);  //> kernel(int) [2,1,1 2,1,1 0]
    zero ? void() : zero ? kernel<<<1, 2>>>(__LINE__) : kernel<<<2, 2>>>(__LINE__);  //> kernel(int) [2,1,1 2,1,1 0]
    (void)(zero || (kernel<<<1, 2>>>(__LINE__), true)), (zero && (kernel<<<2, 2>>>(__LINE__), true)) ? void() : void();  //> kernel(int)
    ((kernel<<<1, 2>>>(__LINE__))), (((kernel))<<<2, 2>>>(__LINE__));  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    zero = (kernel<<<1, 2>>>(__LINE__), 0), zero += (kernel<<<2, 2>>>(__LINE__), 0);  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    int list[] = {0, (kernel<<<1, 2>>>(__LINE__), 1)};  //> kernel(int)
    (void)list[(kernel<<<1, 2>>>(__LINE__), 0)];  //> kernel(int)
    delete new int((kernel<<<1, 2>>>(__LINE__), 1));  //> kernel(int)
    (void)sizeof(kernel<<<1, 2>>>(__LINE__), 1);
    static_assert(sizeof((kernel<<<1, 2>>>(__LINE__), 'a')) == 1, "");
    kernel<<<number() > 2 ? 5u : 6u, number() < 4>>>(__LINE__);  //> kernel(int) [5,1,1 1,1,1 0]
    kernel<<<(kernel<<<1, 2>>>(__LINE__), 2), 2>>>(__LINE__);  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0]
    kernel<<<1, 2>>>((kernel<<<2, 2>>>(__LINE__), __LINE__));  //> kernel(int) [2,1,1 2,1,1 0] | kernel(int)
    kernel<<<1, 2>>>([] { kernel<<<[] { kernel<<<1, 2>>>(__LINE__); return 2u; }(), 2>>>(__LINE__); return __LINE__; }());  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0] | kernel(int)
    kernel_template<<<1, 2>>>(__LINE__, (kernel_template<<<1, 2>>>(__LINE__, 'a'), 1.0));  //> void kernel_template<char>(int, char) | void kernel_template<double>(int, double)
    __extension__({ kernel<<<1, 2>>>(__LINE__); });  //> kernel(int)
    (void)__extension__({ int n = 3; kernel<<<1, 2>>>(__LINE__); n; });  //> kernel(int)
}

// Lambdas

void lambdas() {
    [] { kernel<<<1, 2>>>(__LINE__); }();  //> kernel(int)
    [](int n) { kernel<<<1, 2>>>(n); }(__LINE__);  //> kernel(int)
    []() mutable noexcept -> void { return kernel<<<1, 2>>>(__LINE__); }();  //> kernel(int)
    auto outer = [](unsigned n) { return [n] { return [=] { kernel<<<n, 2>>>(__LINE__); }; }; };  //> kernel(int) [5,1,1 2,1,1 0]
    outer(5)()();
    apply([] { return kernel<<<1, 2>>>(__LINE__); });  //> kernel(int)
    apply([] { return &kernel_other; })<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    [] { return &kernel_other; }()<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    [](int) -> pointer { return kernel_other; }(1)<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    auto select = [](bool second) { return second ? kernel_other : kernel; };
    select(true)<<<1, 2>>>(__LINE__), select(false)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel(int)
    kernel_template<<<1, 2>>>(__LINE__, apply([] { return 1.5f; }));  //> void kernel_template<float>(int, float)
}

// Pointers

pointer get(int = 0) { return kernel_other; }
void (&get_reference())(int) { return kernel_other; }
void (*get_spelled(int))(int) { return kernel_other; }
template <class T>
T identity(T value) { return value; }
template <pointer P>
struct Constant {
    static constexpr pointer value = P;
    static pointer get() { return P; }
    template <class T>
    static pointer get_for() { return P; }
    operator bool() const { return true; }
    pointer operator*() const { return P; }
    pointer operator[](int) const { return P; }
    pointer operator()() const { return P; }
    const Constant* operator->() const { return this; }
    pointer member = P;
};
template <pointer P>
constexpr pointer Constant<P>::value;
template <class T>
struct Launcher {
    typedef Constant<kernel_other> type;
    void call() {
        T::value<<<1, 2>>>(__LINE__), T::get()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
        T::template get_for<int>()<<<1, 2>>>(__LINE__), typename T::type()()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    }
};
struct Types : Constant<kernel_other> {
    typedef Constant<kernel_other> type;
};
template <class S>
void dependent_object(S object) {
    object.template get_for<int>()<<<1, 2>>>(__LINE__);  //> kernel_other(int)
}
void pointers() {
    get()<<<1, 2>>>(__LINE__), ::get(1)<<<1, 2>>>(__LINE__), get_reference()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int) | kernel_other(int)
    get_spelled(1)<<<1, 2>>>(__LINE__), identity(&kernel_other)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    identity<pointer>(kernel_other)<<<1, 2>>>(__LINE__), identity<void (*)(int)>(&kernel_other)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    (&kernel)<<<1, 2>>>(__LINE__), (*kernel)<<<1, 2>>>(__LINE__), (**&kernel)<<<1, 2>>>(__LINE__);  //> kernel(int) | kernel(int) | kernel(int)
    pointer one = kernel_other, two[] = {kernel, kernel_other}, three[2][2] = {{one, one}, {kernel, one}};
    pointer* many = two;
    void* const address = reinterpret_cast<void*>(&kernel);
    one<<<1, 2>>>(__LINE__), (*one)<<<1, 2>>>(__LINE__), two[0]<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int) | kernel(int)
    three[1][0]<<<1, 2>>>(__LINE__), many[1]<<<1, 2>>>(__LINE__), (*many)<<<1, 2>>>(__LINE__);  //> kernel(int) | kernel_other(int) | kernel(int)
    (*++many)<<<1, 2>>>(__LINE__), (one = kernel)<<<1, 2>>>(__LINE__), (++many, kernel)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel(int) | kernel(int)
    (number() < 3 ? kernel : *kernel_other)<<<1, 2>>>(__LINE__), pointer(address)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel(int)
    ((pointer)address)<<<1, 2>>>(__LINE__), static_cast<void (*)(int, int)>(kernel_template)<<<1, 2>>>(__LINE__, 2);  //> kernel(int) | void kernel_template<int>(int, int)
    pointer{kernel_other}<<<1, 2>>>(__LINE__), decltype(one)(address)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel(int)
    reinterpret_cast<pointer>(reinterpret_cast<size_t>(&kernel_other))<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    Constant<kernel_other> object, *of_object = &object;
    Types::value<<<1, 2>>>(__LINE__), Constant<kernel_other>::value<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    object.member<<<1, 2>>>(__LINE__), of_object->member<<<1, 2>>>(__LINE__), object->member<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int) | kernel_other(int)
    (*object)<<<1, 2>>>(__LINE__), object[0]<<<1, 2>>>(__LINE__), object()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int) | kernel_other(int)
    Constant<kernel_other>()()<<<1, 2>>>(__LINE__), Constant<kernel_other>{}()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    Constant<&kernel_other>::get_for<int>()<<<1, 2>>>(__LINE__), object.get_for<int>()<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    pointer Constant<kernel_other>::*member = &Constant<kernel_other>::member;
    (object.*member)<<<1, 2>>>(__LINE__), (of_object->*member)<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    Launcher<Types>().call();
    (&kernel_template<int>)<<<1, 2>>>(__LINE__, 2), identity(&kernel_template<int>)<<<1, 2>>>(__LINE__, 2);  //> void kernel_template<int>(int, int) | void kernel_template<int>(int, int)
    void (*instance)(int, char) = kernel_template;
    instance<<<1, 2>>>(__LINE__, 3);  //> void kernel_template<char>(int, char)
    void (&reference)(int) = *one;
    reference<<<1, 2>>>(__LINE__);  //> kernel(int)
    const volatile pointer qualified = kernel_other;
    qualified<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    pointer list[] = {kernel_other};
    object.operator()()<<<1, 2>>>(__LINE__), 0[list]<<<1, 2>>>(__LINE__);  //> kernel_other(int) | kernel_other(int)
    [&]() -> pointer { return list[0]; }()<<<1, 2>>>(__LINE__);  //> kernel_other(int)
    dependent_object(object);
}

__global__ void kernel_attribute [[gnu::unused]] (int) {}
template <class T>
struct Box {};
void attributes() {
    kernel_attribute<<<1, 2>>>(__LINE__);  //> kernel_attribute(int)
    Box<decltype(kernel<<<1, 2>>>(__LINE__))> box;
    (void)box;
}

int main() {
    attributes();
    Member member;
    (void)member, (void)global, (void)constant, (void)from_lambda, (void)array, (void)nested::use();
    {
        Constructed constructed;
        (void)static_cast<int>(constructed);
        constructed(__LINE__), constructed << __LINE__;  //> kernel(int) | kernel(int)
    }
    default_argument(), template_default<short>(), returning(), trailing();
    no_throw(), tried(), Class::fixed(), Class().method(), Class().templated(1l);
    Class().outside(), Class::Inner().method(), friendly(Class());
    ClassTemplate<int>().inside(1), ClassTemplate<int>().outside(1.0), Recursive<2>::call();
    language(), statements(0), expressions(0), lambdas(), pointers();
}
