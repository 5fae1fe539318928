// The ways to make one launch, each a function of its own in a file that main.cpp does not look
// into.  Configuration and arguments are values that no compiler knows.
#pragma once
#include <kbuild/kbuild.hpp>

#include <cstddef>

extern "C" KBUILD_KERNEL void direct(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void stubbed(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void elsewhere(int n, float a, const float* x, float* y);

struct LaunchValues {
    int grid, block;
    std::size_t bytes;
    void* stream;
    int n;
    float a;
    const float* x;
    float* y;
};
extern "C" const LaunchValues* values;

// Its name in tables; whether it is a call of the runtime as a person writes it.  0 is success.
struct Way {
    const char* name;
    bool is_by_hand;
    int (*launch)();
};

// The runtime's own, in <backend>.cpp, and kbuild's; a null name ends them.
extern const Way runtime_ways[];
extern const Way kbuild_ways[];
