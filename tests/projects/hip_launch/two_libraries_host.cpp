// If two kernel libraries define a variable, its name does not say which one is meant.
#include <kbuild/kbuild.hpp>

#include <cstdio>

extern float weights[4];
extern int factor;
KBUILD_KERNEL void read(double* out);
KBUILD_KERNEL void read_other(float* out);

int main()
{
    const float values[4] = {};
    const auto ambiguous = kbuild::copy_to_symbol(weights, values);
    const auto sound = kbuild::copy_to_symbol(factor, values);
    const auto first = kbuild::launch(read, {}, nullptr);
    const auto second = kbuild::launch(read_other, {}, nullptr);
    std::printf("weights %d, factor %d, launches %d %d\n", ambiguous.code(), sound.code(), first.code(), second.code());
    return 0;
}
