// Launches through kbuild.hpp. The handles are variables with the kernels' names, as in a stub unit.
#include "launches.hpp"

#include <kbuild/kbuild.hpp>

extern "C" KBUILD_KERNEL void saxpy(int n, float a, const float* x, float* y);
extern "C" KBUILD_KERNEL void nothing();
void* saxpy_handle __asm__("saxpy") = nullptr;
extern void* nothing_handle __asm__("nothing");  // test_vendor_api.cpp defines it

int launch_from_other_unit(float* y);

TEST_CASE("kernels are launched through kbuild.hpp") {
    TestModule module(test_image());
    module.share("saxpy", &saxpy_handle);
    module.share("nothing", &nothing_handle);
    const auto* descriptor = module.descriptor();
    REQUIRE_SUCCESS(kbuild_cpu_register(descriptor));

    float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    const auto err = kbuild::launch(saxpy, {1, 256}, 3, 2, x, y);
    REQUIRE(!err);
    REQUIRE(err.code() == 0);
    REQUIRE(*err.message() == '\0');
    REQUIRE(y[0] == 12);
    REQUIRE(y[1] == 24);
    REQUIRE(y[2] == 36);
    REQUIRE(launch_from_other_unit(y) == 0);
    REQUIRE(y[0] == 24);

    REQUIRE(!kbuild::launch(nothing, {}));
    for (const auto& wrong :
         {kbuild::LaunchConfig{-1, 1}, kbuild::LaunchConfig{1, -5L},
          kbuild::LaunchConfig{std::size_t{1} << 32, 1}, kbuild::LaunchConfig{0}}) {
        const auto failure = kbuild::launch(nothing, wrong);
        REQUIRE(failure);
        REQUIRE(failure.code() == KBUILD_CPU_INVALID_VALUE);
        REQUIRE(std::strstr(failure.message(), "must be from (1, 1, 1)") != nullptr);
    }
    kbuild_cpu_unregister(descriptor);
}
