// A second source, with host code that the image of the first one does not contain.
#include "shared.h"

bool is_second_built = true;

int add_in_host_library(int x) { return add_one(x); }

int launch_from_second() {
    int value = 0;
    shared_template<<<1, 1>>>(&value);
    return value;
}
