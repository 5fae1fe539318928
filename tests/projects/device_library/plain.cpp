#include "base.hpp"

#include <cstdio>

int main()
{
    std::puts(count_in_base(10) == 110 ? "PASSED" : "FAILED");
}
