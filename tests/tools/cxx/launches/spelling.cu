// Launches whose tokens are hard to read: brackets, comments, literals, macros, and layout.
#include <stddef.h>

typedef void (*pointer)(int);
__global__ void kernel(int) {}
template <int N>
__global__ void kernel_number(int) {}
template <bool B, int N = 3>
__global__ void kernel_bool(int) {}
template <class T, class U = int>
__global__ void kernel_types(int) {}
template <class T>
__global__ void kernel_template(int, T) {}
template <char C>
__global__ void kernel_character(int) {}
template <class T>
struct Box {
    typedef T type;
    static constexpr unsigned value = 3;
    static unsigned get(unsigned n) { return n; }
};
template <class T>
constexpr unsigned Box<T>::value;
constexpr int three = 3;
struct Object {
    unsigned member;
    unsigned operator>>(unsigned n) const { return member >> n; }
    unsigned operator<<(unsigned n) const { return member << n; }
    template <int N>
    unsigned get() const { return N; }
};
unsigned shift(unsigned n) { return n; }
const char* text_of(const char* text) { return text; }

// Brackets

void brackets() {
    kernel_number<(1 << 2)><<<1, 2>>>(__LINE__), kernel_number<(64 >> 2)><<<1, 2>>>(__LINE__);  //> void kernel_number<4>(int) | void kernel_number<16>(int)
    kernel_bool<(three > 2)><<<1, 2>>>(__LINE__), kernel_bool<(three < 2), (1 << 2)><<<1, 2>>>(__LINE__);  //> void kernel_bool<true, 3>(int) | void kernel_bool<false, 4>(int)
    kernel_number<1 << 2><<<1, 2>>>(__LINE__), kernel_bool<three == 3><<<1, 2>>>(__LINE__);  //> void kernel_number<4>(int) | void kernel_bool<true, 3>(int)
    kernel_bool<three <= 3><<<1, 2>>>(__LINE__), kernel_bool<three >= 4><<<1, 2>>>(__LINE__);  //> void kernel_bool<true, 3>(int) | void kernel_bool<false, 3>(int)
    kernel_bool<(three < 4 && three > 2)><<<1, 2>>>(__LINE__), kernel_bool<!three><<<1, 2>>>(__LINE__);  //> void kernel_bool<true, 3>(int) | void kernel_bool<false, 3>(int)
    kernel_types<Box<Box<int>>><<<1, 2>>>(__LINE__), kernel_types<Box<Box<Box<int>>>><<<1, 2>>>(__LINE__);  //> void kernel_types<Box<Box<int> >, int>(int) | void kernel_types<Box<Box<Box<int> > >, int>(int)
    kernel_types<Box<int>, Box<Box<int> > ><<<1, 2>>>(__LINE__);  //> void kernel_types<Box<int>, Box<Box<int> > >(int)
    kernel_types<Box<int>::type, decltype(1 > 2)><<<1, 2>>>(__LINE__);  //> void kernel_types<int, bool>(int)
    kernel_types<void (*)(Box<int>), int[3]><<<1, 2>>>(__LINE__), kernel_types<int&&, const int&><<<1, 2>>>(__LINE__);  //> void kernel_types<void (*)(Box<int>), int [3]>(int) | void kernel_types<int&&, int const&>(int)
    kernel_character<'>'><<<1, 2>>>(__LINE__), kernel_character<'<'><<<1, 2>>>(__LINE__), kernel_character<'\''><<<1, 2>>>(__LINE__);  //> void kernel_character<(char)62>(int) | void kernel_character<(char)60>(int) | void kernel_character<(char)39>(int)
    kernel_number<sizeof(Box<Box<int>>)><<<1, 2>>>(__LINE__), kernel_number<Box<int>::value><<<1, 2>>>(__LINE__);  //> void kernel_number<1>(int) | void kernel_number<3>(int)
    kernel_number<three><<<shift(1) < 2 ? 5 : 6, shift(3) > 2 ? 7 : 8>>>(__LINE__);  //> void kernel_number<3>(int) [5,1,1 7,1,1 0]
    kernel<<<shift(16) >> 2, 1u << 2>>>(__LINE__), kernel<<<(shift(16) >> 2), (1u << 2)>>>(__LINE__);  //> kernel(int) [4,1,1 4,1,1 0] | kernel(int) [4,1,1 4,1,1 0]
    kernel<<<Object{8} >> 1, Object{8} << 1>>>(__LINE__), kernel<<<Object{3}.get<2>(), Object().get<3>()>>>(__LINE__);  //> kernel(int) [4,1,1 16,1,1 0] | kernel(int) [2,1,1 3,1,1 0]
    kernel<<<Box<Box<Box<int>>>::get(5), Box<Box<Box<Box<int>>>>::value>>>(__LINE__);  //> kernel(int) [5,1,1 3,1,1 0]
    kernel<<<1, 2, sizeof(Box<Box<int>>)>>>(__LINE__), kernel<<<1, Box<Box<int>>::value>>>(__LINE__);  //> kernel(int) [1,1,1 2,1,1 1] | kernel(int) [1,1,1 3,1,1 0]
    kernel<<<shift(4) >> 1>>>(__LINE__), kernel<<<(8 >> (1)), 2>>>(__LINE__);  //> kernel(int) [2,1,1 1,1,1 0] | kernel(int) [4,1,1 2,1,1 0]
    kernel<<<{1, 2, 3}, {4}>>>(__LINE__), kernel<<<{5, 6}, dim3{7, 8}, {}>>>(__LINE__);  //> kernel(int) [1,2,3 4,1,1 0] | kernel(int) [5,6,1 7,8,1 0]
    kernel<<<dim3(1, 2), dim3((3), (4))>>>(__LINE__), kernel<<<(dim3)(5), {1}, 0, nullptr>>>(__LINE__);  //> kernel(int) [1,2,1 3,4,1 0] | kernel(int) [5,1,1 1,1,1 0]
    const uint3 three_numbers = {3, 4, 5};
    kernel<<<three_numbers, three_numbers, size_t(6), 0>>>(__LINE__);  //> kernel(int) [3,4,5 3,4,5 6]
    kernel<<<[] { return 3u > 2u ? 4u : 5u; }(), [](unsigned n) -> unsigned { return n << 2; }(1)>>>(__LINE__);  //> kernel(int) [4,1,1 4,1,1 0]
    kernel<<<true, 'a' - '`', false>>>(__LINE__), kernel<<<01, 0x2>>>(__LINE__), kernel<<<1u, 2ul>>>(__LINE__);  //> kernel(int) [1,1,1 1,1,1 0] | kernel(int) | kernel(int)
    kernel_template<<<1, 2>>>(__LINE__, 3 < 4), kernel_template<<<1, 2>>>(__LINE__, 8 >> 1);  //> void kernel_template<bool>(int, bool) | void kernel_template<int>(int, int)
    kernel_template<bool><<<1, 2>>>(__LINE__, shift(1) < shift(2)), kernel_template<Box<int>><<<1, 2>>>(__LINE__, {});  //> void kernel_template<bool>(int, bool) | void kernel_template<Box<int> >(int, Box<int>)
    bool less = shift(1) < shift(2), more = shift(3) > shift(4);
    unsigned two = 2;
    if (less < two) kernel_number<3><<<1, 2>>>(__LINE__); if (more > less) kernel<<<2, 2>>>(__LINE__);  //> void kernel_number<3>(int)
    (void)(less < more), kernel_number<4><<<1, 2>>>(__LINE__), (void)(more > less);  //> void kernel_number<4>(int)
    for (unsigned i = 0; i < 1; kernel_number<5><<<1, 2>>>(__LINE__), ++i) {}  //> void kernel_number<5>(int)
}

// Space and comments

void layout() {
    kernel <<<1, 2>>> (__LINE__), kernel<<< 1 , 2 >>>( __LINE__ );  //> kernel(int) | kernel(int)
    kernel<<</* >>>( */ 1, /* <<< */ 2 /* , 3 */>>>(/* ) */ __LINE__ /* ( */);  //> kernel(int)
    kernel /* a */ <<< /* b */ 1, 2 /* c */ >>> /* d */ (__LINE__);  //> kernel(int)
    kernel_types < int, Box < int > > <<<1, 2>>>(__LINE__);  //> void kernel_types<int, Box<int> >(int)
    kernel  // a comment with kernel<<<1, 2>>>(3)
        <<<  // and >>>(
            1,
            2  // continued \
            >>>(4)
        >>>
        (
            __LINE__  //> kernel(int)
        )
        ;
    ker\
nel<\
<<1, 2>\
>>(__LINE__);  //> kernel(int)
    kernel<<<1, 2>>>(__LINE__); const char* text = "kernel<<<1, 2>>>(3)"; (void)text;  //> kernel(int)
    kernel<<<sizeof(">>>("), sizeof '('>>>(__LINE__);  //> kernel(int) [5,1,1 1,1,1 0]
    kernel<<<sizeof(R"(>>>(")"), sizeof(R"x()" <<< )x")>>>(__LINE__);  //> kernel(int) [6,1,1 8,1,1 0]
    kernel_template<<<1, 2>>>(__LINE__, text_of(R"(<<<1, 2>>>()")), kernel_template<<<1, 2>>>(__LINE__, '"');  //> void kernel_template<char const*>(int, char const*) | void kernel_template<char>(int, char)
    const char* raw = R"delimiter(
        kernel<<<1, 2>>>(4);
    )" )delimiter"; kernel<<<1, 2>>>(__LINE__); (void)raw;  //> kernel(int)
    kernel_character<'"'><<<1, 2>>>(__LINE__), (void)'"';  //> void kernel_character<(char)34>(int)
    kernel<<<1, 2>>>(__LINE__);(void)u8"<<<";(void)L'<';(void)U"\\";  //> kernel(int)
#if 0
    kernel<<<1, 2>>>(__LINE__);
#endif
    kernel<<<1,
#ifdef UNDEFINED
             4>>>(__LINE__ + 1);
#else
             2>>>(__LINE__);  //> kernel(int)
#endif
#pragma GCC diagnostic push
    kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
#pragma GCC diagnostic pop
    <% kernel<<<1, 2>>>(__LINE__); %>  //> kernel(int)
    pointer list<:2:> = <%kernel, kernel%>; list<:1:><<<1, 2>>>(__LINE__);  //> kernel(int)
    (not list[0]) or (kernel<<<1, 2>>>(__LINE__), false) ? void() : void();  //> kernel(int)
}

// Macros

#define LAUNCH(name, ...) name<<<1, 2>>>(__VA_ARGS__)
#define LAUNCH_WITH(grid, block, name, ...) name<<<grid, block>>>(__VA_ARGS__)
#define ARGUMENTS <int, Box<int>>
#define CONFIGURATION <<<3, 4>>>
#define OPEN <<<
#define CLOSE >>>
#define JOIN(a, b) a##b
#define TWICE(...) __VA_ARGS__; __VA_ARGS__
#define CHECKED(...) do { __VA_ARGS__; } while (0)
#define NAME kernel
#define EMPTY
#define SELECT(_1, _2, NAME, ...) NAME
#define ONE(a) kernel<<<1, 2>>>(a)
#define TWO(a, b) kernel_template<<<1, 2>>>(a, b)
#define ANY(...) SELECT(__VA_ARGS__, TWO, ONE)(__VA_ARGS__)
#define STRING(...) #__VA_ARGS__
#define DEFINE_KERNEL(name, type) \
    __global__ void kernel_##name(int, type) {} \
    void launch_##name() { kernel_##name<<<1, 2>>>(__LINE__, type()); }
DEFINE_KERNEL(float, float) DEFINE_KERNEL(double, double)  //> kernel_float(int, float) | kernel_double(int, double)
void macros() {
    LAUNCH(kernel, __LINE__), LAUNCH(kernel_template, __LINE__, 'a'), LAUNCH(::kernel, __LINE__);  //> kernel(int) | void kernel_template<char>(int, char) | kernel(int)
    LAUNCH_WITH((dim3{1, 2}), (3), (kernel_types<int, Box<int>>), __LINE__);  //> void kernel_types<int, Box<int> >(int) [1,2,1 3,1,1 0]
    kernel_types ARGUMENTS CONFIGURATION (__LINE__), kernel OPEN 1, 2 CLOSE (__LINE__);  //> void kernel_types<int, Box<int> >(int) [3,1,1 4,1,1 0] | kernel(int)
    JOIN(ker, nel)<<<1, 2>>>(__LINE__), NAME<<<1, 2>>>(__LINE__), EMPTY kernel EMPTY <<< EMPTY 1, 2 EMPTY >>>(__LINE__);  //> kernel(int) | kernel(int) | kernel(int)
    TWICE(kernel<<<1 EMPTY, 2>>>(__LINE__));  //> kernel(int) | kernel(int)
    CHECKED(kernel<<<1, 2>>>(__LINE__));  //> kernel(int)
    CHECKED(LAUNCH(kernel, (ONE(__LINE__), __LINE__)));  //> kernel(int) | kernel(int)
    ANY(__LINE__), ANY(__LINE__, 2.0);  //> kernel(int) | void kernel_template<double>(int, double)
    (void)STRING(kernel<<<1, 2>>>(3)), kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
    launch_float(), launch_double();
}

// Many in one line, and one line after another

void lines() {
    kernel<<<1, 2>>>(__LINE__);kernel<<<2, 2>>>(__LINE__),kernel<<<3, 2>>>(__LINE__);{kernel<<<4, 2>>>(__LINE__);}  //> kernel(int) | kernel(int) [2,1,1 2,1,1 0] | kernel(int) [3,1,1 2,1,1 0] | kernel(int) [4,1,1 2,1,1 0]
    kernel<<<
        1, 2>>>((kernel<<<1, 2>>>(__LINE__),  //> kernel(int)
        __LINE__)); kernel<<<3, 2>>>(__LINE__);  //> kernel(int) | kernel(int) [3,1,1 2,1,1 0]
    kernel_template<<<1, 2>>>(__LINE__, [] {  //> void kernel_template<int>(int, int)
        kernel<<<1, 2>>>(__LINE__);  //> kernel(int)
        return __LINE__;
    }());
    static_assert(__LINE__ == 163, "");
    kernel<<<1,
             2
             >>>(__LINE__); static_assert(__LINE__ == 166, "");  //> kernel(int)
}

int main() { brackets(), layout(), macros(), lines(); }
