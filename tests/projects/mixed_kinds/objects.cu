#define VALUE 5
#include "shared.cuh"

int run_objects() { return run(fill<int>) * 10000 + run(count); }
