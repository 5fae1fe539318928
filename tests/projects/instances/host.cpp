// Plain C++: launches an instance of a library.
#define HOST_ONLY
#include "fill.cuh"

#include <cstdio>
#include <kbuild/kbuild.hpp>

int main() {
    void* memory = nullptr;
    float result = 0;
    if (kbuild_malloc(&memory, sizeof result) != 0) return 2;
    const auto error = kbuild::launch(ns::fill<float, 8>, {.grid = 1, .block = 1},
                                      static_cast<float*>(memory), 0.5f);
    if (error) std::printf("%s\n", error.message());
    kbuild_memcpy(&result, memory, sizeof result, KBUILD_COPY_TO_HOST);
    return result != 8.5f;
}
