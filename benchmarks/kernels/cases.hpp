// The cases to compare. Each one runs as kernels and as loops, on separate data.
#pragma once

#include <functional>
#include <string>
#include <vector>

struct Case {
    std::string name;
    int size;
    std::function<void()> run_kernel;
    std::function<void()> run_loop;
    std::function<bool()> agree; // whether both computed the same, after one run of each
};

// `is_tiny` selects only the smallest size of each case.
std::vector<Case> make_cases(bool is_tiny);
