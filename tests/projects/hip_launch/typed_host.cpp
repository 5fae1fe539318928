// (c) kbuild::launch. If a launch fails, the program prints the message and exits with 3.
#include <kbuild/kbuild.hpp>

#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>

extern float weights[4];
extern int factor;
extern int calls;
extern double sums[2];
KBUILD_KERNEL void read(double* out);

namespace {

void check(const kbuild::error& error, const char* what)
{
    if (!error) return;
    std::printf("%s: %s\n", what, error.message());
    std::exit(3);
}

// Kernels are registered before the program's own constructors run.
struct Early {
    Early() : error(kbuild::launch(nothing, {})) {}
    kbuild::error error;
} const early;

} // namespace

int main()
{
    std::printf("calls is %savailable\n", kbuild::is_available(calls) ? "" : "not ");
    check(early.error, "before main");
    void* memory = nullptr;
    check(kbuild::allocate(&memory, 64), "allocate");
    auto* const floats = static_cast<float*>(memory);
    auto* const doubles = static_cast<double*>(memory);
    const float values[4] = {1, 2, 3, 4};
    check(kbuild::copy_to_symbol(weights, values), "copy_to_symbol");
    float third = 0;
    check(kbuild::copy_from_symbol(&third, weights, sizeof third, 8), "copy_from_symbol");
    kbuild::managed(calls) += 5;
    std::printf("weights[2] %g, calls %d, sums %g %g\n", third, kbuild::managed(calls),
                kbuild::managed(sums)[0], kbuild::managed(sums)[1]);

    check(kbuild::launch(ns::scale, {{7, 8, 9}, {32, 2, 1}, 48, reinterpret_cast<void*>(0x1230)}, floats, 1.5f, -2), "scale");
    check(kbuild::launch(static_cast<void (*)(int*, int)>(over), {}, static_cast<int*>(memory), 77), "over int");
    check(kbuild::launch(static_cast<void (*)(int*, double)>(over), {}, static_cast<int*>(memory), 7.5), "over double");
    check(kbuild::launch(advance, {2, 3}, 'f', {'t', 0.5, -3, {1, 2, -7}}, doubles), "advance");
    check(kbuild::launch(copy<float>, {1, 64}, floats, floats + 1, 200), "copy float");
    check(kbuild::launch(copy<double>, {1, 64}, doubles, doubles + 1, 201), "copy double");
    kbuild::LaunchConfig cooperative{3, 4};
    cooperative.cooperative = true;
    check(kbuild::launch(nothing, cooperative), "cooperative");
    cooperative.priority = 1;
    if (!kbuild::launch(nothing, cooperative)) return 1;
    if (!kbuild::launch(nothing, {0, 1})) return 1;
    if (!kbuild::launch(nothing, {-1, 1})) return 1;
    if (!kbuild::launch(nothing, {{1, 1, -1}, 1})) return 1;
    check(kbuild::synchronize(), "synchronize");
    check(kbuild::release(memory), "release");
    std::puts("done");
    return 0;
}
