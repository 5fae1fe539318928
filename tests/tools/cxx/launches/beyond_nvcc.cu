// Kernels that g++ and clang compile. nvcc rejects them, or its programs do not launch them.
#include <stddef.h>

template <class T>
struct Box {
    T value;
};
struct Point {
    int x;
    int get() const { return x; }
};
struct Stream {
    operator void*() const { return nullptr; }
};
typedef void (*pointer)(int);

__global__ void kernel(int) {}
__global__ void kernel_other(int) {}
template <class... T, class U>
__global__ void kernel_pack_first(int, U, T...) {}
template <class T, class... U, class V>
__global__ void kernel_pack_middle(int, T, V, U...) {}
__global__ void kernel_sizes(int a, int* p, size_t n = sizeof(*p) + sizeof(a)) { (void)n; }
__global__ void kernel_noexcept(int) noexcept {}
__global__ void kernel_members(int, int Point::*, int (Point::*)() const) {}
template <pointer P>
__global__ void kernel_pointer(int) {}
template <int Point::*M, int (Point::*G)() const>
__global__ void kernel_of_members(int) {}
template <class, int, template <class> class>
__global__ void kernel_unnamed(int) {}
template <class T>
__global__ void kernel_const(int, T, const int n = 3);
template <class T>
__global__ void kernel_const(int, const T value, int n) {}
template <class T>
concept Large = sizeof(T) > 2;
template <Large T>
    requires(sizeof(T) > 3) || requires(T t) { t.x; }
__global__ void kernel_concept(int, T) {}
__global__ void kernel_auto(int, Large auto, auto*...) {}
template <class T>
__global__ void kernel_after(int, T) requires Large<T> {}
template <class T>
__global__ void kernel_after(int, T) requires(!Large<T>) {}

int main() {
    int* p = nullptr;
    kernel<<<1, 2, 0, Stream()>>>(__LINE__);  //> kernel(int)
    kernel_pack_first<<<1, 2>>>(__LINE__, 2.0, 'a');  //> void kernel_pack_first<char, double>(int, double, char)
    kernel_pack_middle<<<1, 2>>>(__LINE__, 1, 'a');  //> void kernel_pack_middle<int, , char>(int, int, char)
    kernel_sizes<<<1, 2>>>(__LINE__, p), kernel_noexcept<<<1, 2>>>(__LINE__);  //> kernel_sizes(int, int*, unsigned long) | kernel_noexcept(int)
    kernel_members<<<1, 2>>>(__LINE__, &Point::x, &Point::get);  //> kernel_members(int, int Point::*, int (Point::*)() const)
    kernel_pointer<kernel><<<1, 2>>>(__LINE__), kernel_pointer<&kernel_other><<<1, 2>>>(__LINE__);  //> void kernel_pointer<&(kernel(int))>(int) | void kernel_pointer<&(kernel_other(int))>(int)
    kernel_of_members<&Point::x, &Point::get><<<1, 2>>>(__LINE__);  //> void kernel_of_members<&Point::x, &(Point::get() const)>(int)
    kernel_unnamed<int, 3, Box><<<1, 2>>>(__LINE__);  //> void kernel_unnamed<int, 3, Box>(int)
    kernel_const<<<1, 2>>>(__LINE__, 1), kernel_const<char><<<1, 2>>>(__LINE__, 1, 2);  //> void kernel_const<int>(int, int, int) | void kernel_const<char>(int, char, int)
    kernel_concept<<<1, 2>>>(__LINE__, 3), kernel_auto<<<1, 2>>>(__LINE__, 3, p, p);  //> void kernel_concept<int>(int, int) | void kernel_auto<int, int, int>(int, int, int*, int*)
    kernel_after<<<1, 2>>>(__LINE__, 3), kernel_after<<<1, 2>>>(__LINE__, 'a');  //> void kernel_after<int>(int, int) | void kernel_after<char>(int, char)
}
