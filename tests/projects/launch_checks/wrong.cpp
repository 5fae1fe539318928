#include "kernels.hpp"

#include <cstdio>
#include <limits>

static int launch(const kbuild::LaunchConfig& config, float value, float* out)
{
    auto error = kbuild::launch(ns::set, config, 4, value, Pair{1, 2.5f}, Mode::plain, true,
                                (unsigned char)200, out);
    std::printf("%d %s\n", error.code(), error.message());
    return 0;
}

int main()
{
    launch({1, 2048}, 1, nullptr); // line 17
    launch({{0, 1}, 32}, 1, nullptr);
    launch({1, 32, std::size_t{1} << 30}, 1, nullptr);
    launch({1, 32}, std::numeric_limits<float>::infinity(), nullptr);
    launch({1, 32}, 1, nullptr);
}
