// Launches with kbuild's host API in C++.
#include "ways.hpp"

extern "C" int launch_by_c();

namespace {

int launch_directly() {
    const LaunchValues& v = *values;
    if (kbuild::launch(direct, {v.grid, v.block, v.bytes, v.stream}, v.n, v.a, v.x, v.y)) return 1;
    return 0;
}

int launch_elsewhere() {
    const LaunchValues& v = *values;
    if (kbuild::launch(elsewhere, {v.grid, v.block, v.bytes, v.stream}, v.n, v.a, v.x, v.y))
        return 1;
    return 0;
}

int launch_by_stub() {
    const LaunchValues& v = *values;
    if (kbuild::launch(stubbed, {v.grid, v.block, v.bytes, v.stream}, v.n, v.a, v.x, v.y)) return 1;
    return 0;
}

}  // namespace

const Way kbuild_ways[] = {
    {"kbuild::launch", false, launch_directly},
    {"kbuild::launch, kernel in another file", false, launch_elsewhere},
    {"kbuild_launch in C", false, launch_by_c},
    {"kbuild::launch, debug stub", false, launch_by_stub},
    {nullptr, false, nullptr},
};
