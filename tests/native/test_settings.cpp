// Environment variables that change how kernels run.
#include "launches.hpp"

#include <sched.h>

namespace {

void check_barriers() {
    const Registered module;
    for (const uint32_t threads : {1u, 1024u, 32u}) check_block_sum(module, 20, threads);
}

bool launch_fails_with(const char* text) {
    const Registered module;
    const int code = launch(module.handle("nothing"), make_config({1, 1, 1}, {1, 1, 1}));
    return code == KBUILD_CPU_INVALID_VALUE && last_message_has(code, text);
}

TEST_CASE("barriers work with small stacks") {
    setenv("KBUILD_CPU_STACK_BYTES", "20000", 1);
    check_barriers();
}

TEST_CASE("barriers work on one core") {
    cpu_set_t cores, first;
    REQUIRE(sched_getaffinity(0, sizeof cores, &cores) == 0);
    CPU_ZERO(&first);
    int core = 0;
    while (!CPU_ISSET(core, &cores)) ++core;
    CPU_SET(core, &first);
    REQUIRE(sched_setaffinity(0, sizeof first, &first) == 0);
    check_barriers();
}

TEST_CASE("a stack size that is too small is named") {
    setenv("KBUILD_CPU_STACK_BYTES", "12", 1);
    REQUIRE(launch_fails_with("KBUILD_CPU_STACK_BYTES is '12'; expected a number"));
}

TEST_CASE("a time limit that is not a number is named") {
    setenv("KBUILD_CPU_TIMEOUT", "soon", 1);
    REQUIRE(launch_fails_with("KBUILD_CPU_TIMEOUT is 'soon'; expected a number of"));
}

TEST_CASE("an unknown setting of signals is named") {
    setenv("KBUILD_CPU_SIGNALS", "no", 1);
    REQUIRE(launch_fails_with("KBUILD_CPU_SIGNALS is 'no'; expected on or off"));
}

}  // namespace
