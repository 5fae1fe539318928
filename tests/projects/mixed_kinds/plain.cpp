// Launches a kernel, and changes a device variable, that another file defines.
#include "launch.hpp"

KBUILD_KERNEL void external(int* out);
extern int exported;

int run_external() {
    set_variable(exported, 70);
    return run_by_name(external);
}
