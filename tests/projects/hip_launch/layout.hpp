#pragma once
struct Pair {
    long long first, second;
};
