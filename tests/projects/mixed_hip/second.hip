#include <hip/hip_runtime.h>
#include "shared.h"

static __global__ void same_name(int* p) { *p = 2; }

int add_one(int value) { return value + 1; }

void run_second() {
    int* p = nullptr;
    fill<<<6, 1>>>(p, 6);
    same_name<<<7, 1>>>(p);
}
