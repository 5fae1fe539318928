// Launches each kernel once, each from a separate function, so that a debugger can show it.
#include <kbuild/kbuild.hpp>

#include "kernels.hpp"

#include <cstdio>
#include <vector>

namespace {

template <class T>
T* allocate(int n) {
    void* pointer = nullptr;
    if (const auto error = kbuild::allocate(&pointer, n * sizeof(T)))
        std::fprintf(stderr, "%s\n", error.message());
    return static_cast<T*>(pointer);
}

int failures = 0;

void check(const kbuild::error& error) {
    if (!error) return;
    std::fprintf(stderr, "%s\n", error.message());
    ++failures;
}

void launch_saxpy(float* x, float* y) {
    check(kbuild::launch(saxpy, {4, 256}, 1000, 2.0f, x, y));  // launches saxpy
}

void launch_scale(float* x) {
    check(kbuild::launch(ns::scale, {1, 64}, x, 0.5f, 64));  // launches scale
}

void launch_add(int* to) {
    check(kbuild::launch(ns::add<int>, {1, 1}, to, 42));  // launches add
}

void launch_reset(float* x) {
    check(kbuild::launch(reset, {1, 1}, x, 7));  // launches reset
}

void launch_fall(float* x) {
    check(kbuild::launch(fall, {1, 1}, Body{1.5f, -3}, 0.25, x));  // launches fall
}

}  // namespace

int main() {
    float* const x = allocate<float>(1000);
    float* const y = allocate<float>(1000);
    int* const ints = allocate<int>(1);
    launch_saxpy(x, y);
    launch_scale(x);
    launch_add(ints);
    launch_reset(x);
    launch_fall(x);
    check(kbuild::synchronize());
    return failures;
}
