#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstdlib>

extern float weights[4];
extern float factor;
extern int calls;
extern double sums[2];
extern "C" int plain_c;
namespace ns {
extern int offset;
}
KBUILD_KERNEL void weigh(const float* in, float* out);
KBUILD_KERNEL void read_table(int* out);

// Host variables with the names of static variables in device code.
int own = 123;
int own_managed[4] = {1, 2, 3, 4};

namespace {

void require(bool condition, const char* what)
{
    if (condition) return;
    std::printf("FAILED %s\n", what);
    std::exit(1);
}

void require(const kbuild::error& error, const char* what)
{
    if (!error) return;
    std::printf("FAILED %s: %s\n", what, error.message());
    std::exit(1);
}

float* allocate(std::size_t count)
{
    void* pointer = nullptr;
    require(kbuild::allocate(&pointer, count * sizeof(float)), "allocate");
    return static_cast<float*>(pointer);
}

} // namespace

int main()
{
    const float values[4] = {1, 2, 3, 4}, ones[4] = {1, 1, 1, 1};
    float out[4];
    int offset = 0;
    require(kbuild::copy_to_symbol(weights, values), "copy to __device__");
    const float three = 3;
    require(kbuild::copy_to_symbol(factor, &three), "copy to __constant__");
    require(kbuild::copy_from_symbol(&offset, ns::offset), "copy from a namespace's");
    require(offset == 40, "the initializer is the device's");
    kbuild::managed(calls) = 10;
    require(kbuild::managed(sums)[1] == 2, "the initializer of a __managed__ array");

    float* const in = allocate(4);
    float* const result = allocate(4);
    require(kbuild::copy(in, ones, sizeof ones, KBUILD_COPY_TO_DEVICE), "copy");
    require(kbuild::launch(weigh, {1, 4}, in, result), "launch");
    require(kbuild::synchronize(), "synchronize");
    require(kbuild::copy(out, result, sizeof out, KBUILD_COPY_TO_HOST), "copy back");
    for (int i = 0; i < 4; ++i)
        require(out[i] == values[i] * 3 + 40 + 3 + 7 + 5 + 2, "the kernel saw what was written");
    require(kbuild::managed(calls) == 11, "the host sees what the kernel wrote");
    require(kbuild::managed(sums)[0] == 3, "and in an array");
    require(kbuild::copy_from_symbol(&offset, ns::offset), "copy from");
    require(offset == 41, "the host reads what the kernel wrote");

    // Part of a variable, and its address.
    float one = 0;
    require(kbuild::copy_from_symbol(&one, weights, sizeof one, 2 * sizeof one), "part");
    require(one == 3, "the third element");
    void* address = nullptr;
    require(kbuild::symbol_address(&address, weights), "address");
    require(kbuild::copy(&one, static_cast<float*>(address) + 3, sizeof one, KBUILD_COPY_TO_HOST),
            "copy from the address");
    require(one == 4, "the fourth element");

    // Each source has its own `table`.
    require(kbuild::launch(read_table, {1, 1}, reinterpret_cast<int*>(result)), "launch");
    int sum = 0;
    require(kbuild::copy(&sum, result, sizeof sum, KBUILD_COPY_TO_HOST), "copy back");
    require(sum == 30, "the second source's table");

    // Invalid calls.
    require(kbuild::is_available(calls), "a managed variable");
    require(!kbuild::is_available(weights) && !kbuild::is_available(factor), "others are not managed");
    require(static_cast<bool>(kbuild::copy_to_symbol(weights, values, 20)), "too many bytes");
    require(static_cast<bool>(kbuild::copy_to_symbol(weights, values, 4, 16)), "behind the end");
    int mine = 0;
    require(static_cast<bool>(kbuild::copy_to_symbol(mine, values)), "a variable of the host");
    require(own == 123 && own_managed[0] == 1 && own_managed[1] == 2, "the host's own are left alone");
    std::puts("ok");
}
