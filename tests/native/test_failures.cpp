// Launches that cannot succeed have an error.
#include "launches.hpp"

#include "fibers/sanitizers.hpp"

#include <cstdlib>
#include <sys/resource.h>
#include <vector>

namespace {

TEST_CASE("a deadlock breaks the device") {
    Registered module;
    REQUIRE(launch(module.handle("wait_for_each_other"), make_config({5, 1, 1}, {64, 1, 1})) ==
            KBUILD_CPU_LAUNCH_FAILURE);
    int blocks = 0;
    REQUIRE(launch(module.handle("nothing"), make_config({1, 1, 1}, {1, 1, 1})) ==
            KBUILD_CPU_LAUNCH_FAILURE);  // as after a trap
    REQUIRE_SUCCESS(kbuild_cpu_device_count(&blocks));
}

TEST_CASE("invalid launches have an error") {
    Registered module;
    const void* saxpy = module.handle("saxpy");
    const void* nothing = module.handle("nothing");
    const auto one = make_config({1, 1, 1}, {1, 1, 1});
    void* no_args[] = {nullptr};

    REQUIRE(kbuild_cpu_launch(nothing, nullptr, no_args) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE(kbuild_cpu_launch(nullptr, &one, no_args) == KBUILD_CPU_INVALID_KERNEL);
    static const int not_a_kernel = 0;
    REQUIRE(launch(&not_a_kernel, one) == KBUILD_CPU_INVALID_HANDLE);
    REQUIRE(last_message_has(KBUILD_CPU_INVALID_HANDLE, "no kernel is registered at 0x"));
    REQUIRE(launch(reinterpret_cast<const void*>(&std::abort), one) == KBUILD_CPU_INVALID_HANDLE);
    REQUIRE(last_message_has(KBUILD_CPU_INVALID_HANDLE, "(abort)"));

    const kbuild_launch_config wrong[] = {
        make_config({0, 1, 1}, {1, 1, 1}),
        make_config({1, 1, 0}, {1, 1, 1}),
        make_config({1, 1, 1}, {1, 0, 1}),
        make_config({1, 1, 1}, {1025, 1, 1}),
        make_config({1, 1, 1}, {1, 1, 65}),
        make_config({1, 1, 1}, {32, 33, 1}),
        make_config({1, 1, 1}, {UINT32_MAX, UINT32_MAX, 1}),
        make_config({0x80000000u, 1, 1}, {1, 1, 1}),
        make_config({1, 65536, 1}, {1, 1, 1}),
        make_config({1, 1, 65536}, {1, 1, 1}),
    };
    for (const auto& config : wrong) REQUIRE(launch(nothing, config) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE(last_message_has(KBUILD_CPU_INVALID_VALUE, "grid is (1, 1, 65536)"));

    REQUIRE(kbuild_cpu_launch(saxpy, &one, nullptr) == KBUILD_CPU_INVALID_VALUE);
    int n = 0;
    float a = 0;
    void* incomplete[] = {&n, &a, nullptr, nullptr};
    REQUIRE(kbuild_cpu_launch(saxpy, &one, incomplete) == KBUILD_CPU_INVALID_VALUE);
    REQUIRE(last_message_has(KBUILD_CPU_INVALID_VALUE, "argument 2 of kernel saxpy"));
    REQUIRE_SUCCESS(kbuild_cpu_launch(nothing, &one, nullptr));

    REQUIRE_SUCCESS(launch(nothing, make_config({1, 1, 1}, {1, 1, 1}, 232448)));
    REQUIRE(launch(nothing, make_config({1, 1, 1}, {1, 1, 1}, 232449)) == KBUILD_CPU_INVALID_VALUE);

    auto config = one;
    config.cluster = {1, 1, 1};
    REQUIRE_SUCCESS(launch(nothing, config));
    config.cluster = {2, 1, 1};
    REQUIRE(launch(nothing, config) == KBUILD_CPU_INVALID_CLUSTER_SIZE);
    REQUIRE(last_message_has(KBUILD_CPU_INVALID_CLUSTER_SIZE,
                             "the cluster is (2, 1, 1), but each number must divide"));
    config.cluster = {1, 0, 1};
    REQUIRE(launch(nothing, config) == KBUILD_CPU_INVALID_CLUSTER_SIZE);
    config.cluster = {1, 1, 1};
    config.cooperative = 1;
    REQUIRE(launch(nothing, config) == KBUILD_CPU_NOT_SUPPORTED);
    config = one;
    config.cooperative = 1;
    REQUIRE_SUCCESS(launch(nothing, config));
    config = one;
    config.programmatic_dependent_launch = 1;
    REQUIRE(launch(nothing, config) == KBUILD_CPU_NOT_SUPPORTED);

    REQUIRE(launch(module.handle("absent"), one) == KBUILD_CPU_KERNEL_NOT_FOUND);
    REQUIRE(last_message_has(KBUILD_CPU_KERNEL_NOT_FOUND, "absent"));
}

TEST_CASE("the parameters of a module and its image must be the same") {
    TestModule module(test_image());
    module.add("saxpy", {{0, 4}, {4, 4}, {8, 8}});
    module.add("divide", {{0, 4}});
    REQUIRE_SUCCESS(kbuild_cpu_register(module.descriptor()));
    for (const char* name : {"saxpy", "divide"}) {
        REQUIRE(kbuild_cpu_resolve(module.handle(name)) == KBUILD_CPU_INVALID_IMAGE);
        REQUIRE(last_message_has(KBUILD_CPU_INVALID_IMAGE, name));
    }
    REQUIRE_SUCCESS(kbuild_cpu_resolve(module.handle("nothing")));
}

TEST_CASE("invalid modules are rejected") {
    REQUIRE(kbuild_cpu_register(nullptr) == KBUILD_CPU_INVALID_VALUE);
    TestModule module(test_image());
    auto wrong_abi = *module.descriptor();
    wrong_abi.abi = 99;
    REQUIRE(kbuild_cpu_register(&wrong_abi) == KBUILD_CPU_INVALID_VALUE);
    auto no_container = *module.descriptor();
    no_container.container_count = 0;
    REQUIRE(kbuild_cpu_register(&no_container) == KBUILD_CPU_INVALID_VALUE);
    kbuild_cpu_unregister(nullptr);
    kbuild_cpu_unregister(&wrong_abi);
}

// Sanitizers need more memory.
#if !defined(KBUILD_CPU_ASAN) && !defined(KBUILD_CPU_TSAN)
TEST_CASE("a launch can lack memory for stacks") {
    Registered module;
    check_saxpy(module, 10);
    const rlimit limit = {64 << 20, 64 << 20};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    std::vector<int> out(1, -1);
    REQUIRE(launch(module.handle("early_exit"), make_config({1, 1, 1}, {1024, 1, 1}), out.data()) ==
            KBUILD_CPU_OUT_OF_MEMORY);
    REQUIRE(out[0] == -1);
    REQUIRE_SUCCESS(
        launch(module.handle("early_exit"), make_config({1, 1, 1}, {32, 1, 1}), out.data()));
    REQUIRE(out[0] == 16);
}
#endif

}  // namespace
