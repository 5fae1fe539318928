#pragma once
#include <cstdio>
#include <cstdlib>

// Waits for launches before it checks what they have done.
#define CHECK(condition)                                                  \
    do {                                                                  \
        cudaDeviceSynchronize();                                          \
        if (!(condition)) {                                               \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);   \
            std::exit(1);                                                 \
        }                                                                 \
    } while (0)
