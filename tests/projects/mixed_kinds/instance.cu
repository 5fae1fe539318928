#include "shared.cuh"

#define JOIN(a, b) a##b
#define EXPORT extern "C" __attribute__((visibility("default")))
#define DEFINE(name, what) EXPORT int JOIN(what, name)()

DEFINE(NAME, run_fill_) { return run(fill<int>); }
DEFINE(NAME, run_count_) { return run(count); }
