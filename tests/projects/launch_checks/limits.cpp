// Launches whose validity depends on the device: launch bounds, a grid that is larger than the one that
// CPU kernels are optimized for, and host memory as an argument.
#include "kernels.hpp"

#include <cstdio>

int main()
{
    const int local = 0;
    auto error = kbuild::launch(ns::bounded, {1, 128}, nullptr);
    std::printf("%d\n", error.code());
    for (int i = 0; i < 2; i++) {
        error = kbuild::launch(ns::bounded, {1, 64}, &local);
        std::printf("%d\n", error.code());
    }
    error = kbuild::launch(ns::bounded, {1 << 22, 1}, &local);
    std::printf("%d\n", error.code());
}
