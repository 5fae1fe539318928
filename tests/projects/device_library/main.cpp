#include "base.hpp"
#include "plugin/plugin.hpp"

#include <cstdio>

bool run_kernels(int (&values)[steps]);

int main()
{
    int values[steps] = {};
    bool passed = run_kernels(values) && values[0] == 2 && values[3] == 8;
    // The program's kernel and the library's kernel use one variable.
    passed = passed && count_in_base(10) == 111;
    set_table({5, 6, 7, 8});
    passed = passed && run_kernels(values) && values[3] == 16 && count_in_base(0) == 112;
    // The shared library has its own copy of the device code.
    passed = passed && look_up_in_plugin(3) == 4;
    std::puts(passed ? "PASSED" : "FAILED");
    return passed ? 0 : 1;
}
