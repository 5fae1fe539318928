// Launches the kernels in kernels.cu through kbuild.hpp. The handles are variables with the
// kernels' names, as in a stub unit.
#include "test_module.hpp"

#include <kbuild/kbuild.hpp>

extern "C" KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void nothing();
void* saxpy_handle __asm__("saxpy") = nullptr;
void* nothing_handle __asm__("nothing") = nullptr;

int launch_from_other_unit(float* y);

int main(int argc, char** argv) {
    CHECK(argc == 2);
    TestModule module(read_file(argv[1]));
    module.share("saxpy", &saxpy_handle);
    module.share("nothing", &nothing_handle);
    SUCCEED(kbuild_cpu_register(module.descriptor()));

    float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    const auto err = kbuild::launch(saxpy, {1, 256}, 3, 2, x, y);
    CHECK(!err && err.code() == 0 && *err.message() == '\0');
    CHECK(y[0] == 12 && y[1] == 24 && y[2] == 36);
    CHECK(launch_from_other_unit(y) == 0 && y[0] == 24);

    CHECK(!kbuild::launch(nothing, {}));
    for (const auto& wrong :
         {kbuild::LaunchConfig{-1, 1}, kbuild::LaunchConfig{1, -5L},
          kbuild::LaunchConfig{std::size_t{1} << 32, 1}, kbuild::LaunchConfig{0}}) {
        const auto failure = kbuild::launch(nothing, wrong);
        CHECK(failure && failure.code() == KBUILD_CPU_INVALID_VALUE);
        CHECK(std::strstr(failure.message(), "must be from (1, 1, 1)") != nullptr);
    }
    return 0;
}
