// If two kernel libraries define a variable, its name does not say which one is meant.
#include <kbuild/kbuild.hpp>

#include <cstdio>

extern float weights[4];
extern float factor;
KBUILD_KERNEL void weigh(const float* in, float* out);
KBUILD_KERNEL void read_other(float* out);

int main()
{
    const float values[4] = {1, 2, 3, 4};
    const auto ambiguous = kbuild::copy_to_symbol(weights, values);
    const auto sound = kbuild::copy_to_symbol(factor, values);
    std::printf("%s\n%s\n", ambiguous.message(), sound.message());
    // Both libraries are linked.
    const void* const kernels[] = {reinterpret_cast<const void*>(weigh),
                                   reinterpret_cast<const void*>(read_other)};
    return ambiguous && !sound && kernels[0] != kernels[1] ? 0 : 1;
}
