// The cases to compare. Each one runs as kernels and on the peers, on separate data.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

struct Side {
    std::string name;
    std::function<void()> run;
};

struct Case {
    std::string name;
    int size;
    std::vector<Side> sides; // the first one is kbuild
    // Whether a side computed the same as the first one, after one run of each.
    std::function<bool(std::size_t side)> agrees;
};

// `is_tiny` selects only the smallest size of each case.
std::vector<Case> make_cases(bool is_tiny);
