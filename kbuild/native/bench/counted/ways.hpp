// The ways to make a launch. Each is a function in another file than main.cpp, and reads the
// configuration and arguments from memory, so that compilers cannot use constant values.
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

// A way to launch: its name in tables, whether it calls the runtime directly as a person would
// write it, and a function that returns 0 on success.
struct Way {
    const char* name;
    bool is_by_hand;
    int (*launch)();
};

// The ways of the runtime, in <backend>.cpp, and those of kbuild. A null name ends each list.
extern const Way runtime_ways[];
extern const Way kbuild_ways[];
