#define VALUE 4
#include "../shared.cuh"

int run_second() { return run(fill<int>) * 10000 + run(count); }
