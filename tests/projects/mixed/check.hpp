// Counts the checks that fail; the program's exit status is their number.
#pragma once
#include <cstdio>

inline int failures = 0;

inline void check(const char* what, bool holds) {
    if (!holds) {
        std::printf("FAILED %s\n", what);
        ++failures;
    }
}
