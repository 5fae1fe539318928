#include "launch.hpp"

#include <cstdio>
#include <dlfcn.h>

extern "C" int run_fill_one();
extern "C" int run_fill_two();
extern "C" int run_count_one();
extern "C" int run_count_two();
namespace one {
KBUILD_KERNEL void external(int* out);
}  // namespace one
namespace two {
KBUILD_KERNEL void external(int* out);
}  // namespace two
int run_archive();
int run_second();
int run_external();
int run_objects();
int count_devices();

static int failures = 0;

static void expect(const char* what, int found, int expected) {
    if (found != expected) {
        std::printf("FAILED %s: %d instead of %d\n", what, found, expected);
        ++failures;
    }
}

int main() {
    expect("template in the first library", run_fill_one(), 1);
    expect("template in the second library", run_fill_two(), 2);
    expect("variables of the first library", run_count_one(), 1101);
    expect("variables of the second library", run_count_two(), 2201);
    expect("kernel of the first library", run_by_name(one::external), 11);
    expect("kernel of the second library", run_by_name(two::external), 12);
    expect("first source of the archive", run_archive(), 33301);
    expect("second source of the archive", run_second(), 44401);
    expect("kernel and variable of another file", run_external(), 73);
    expect("object library", run_objects(), 55501);
    expect("source without kernels", count_devices() > 0, 1);
    void* plugin = dlopen(PLUGIN, RTLD_NOW);
    auto* run_plugin = plugin ? reinterpret_cast<int (*)()>(dlsym(plugin, "run_plugin")) : nullptr;
    expect("plugin", run_plugin ? run_plugin() : -1, 60060);
    if (failures == 0) std::printf("PASSED\n");
    return failures;
}
