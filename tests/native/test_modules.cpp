// Modules are registered, used, and removed.
#include "launches.hpp"

#include "fibers/sanitizers.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

TEST_CASE("many threads launch at the same time") {
    Registered module;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 100; ++i) {
                check_saxpy(module, 2000);
                check_block_sum(module, 4, 128);
            }
        });
    for (auto& thread : threads) thread.join();
}

TEST_CASE("modules are registered while kernels run") {
    Registered stays;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            while (!stop) check_saxpy(stays, 1000);
        });
    // While a module is registered and unregistered repeatedly, its handles are either launched or
    // unknown.
    TestModule passing(test_image());
    const auto* descriptor = passing.descriptor();
    threads.emplace_back([&] {
        while (!stop) {
            const int code = launch(passing.handle("nothing"), make_config({4, 1, 1}, {8, 1, 1}));
            REQUIRE((code == KBUILD_CPU_SUCCESS || code == KBUILD_CPU_INVALID_HANDLE));
        }
    });
    for (int i = 0; i < 50; ++i) {
        REQUIRE_SUCCESS(kbuild_cpu_register(descriptor));
        check_saxpy(passing, 300);
        kbuild_cpu_unregister(descriptor);
        REQUIRE(launch(passing.handle("saxpy"), make_config({1, 1, 1}, {1, 1, 1})) ==
                KBUILD_CPU_INVALID_HANDLE);
    }
    stop = true;
    for (auto& thread : threads) thread.join();
}

TEST_CASE("the removal of a module waits for its launches") {
    TestModule module(test_image());
    const auto* descriptor = module.descriptor();
    REQUIRE_SUCCESS(kbuild_cpu_register(descriptor));
    static volatile int started = 0, stop = 0;
    std::atomic<bool> unregistered{false};
    std::thread launching([&] {
        REQUIRE_SUCCESS(
            launch(module.handle("spin"), make_config({1, 1, 1}, {1, 1, 1}), &started, &stop));
    });
    while (!started) std::this_thread::yield();
    std::thread removing([&] {
        kbuild_cpu_unregister(descriptor);
        unregistered = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(!unregistered);
    stop = 1;
    launching.join();
    removing.join();
}

TEST_CASE("a second registration of a kernel takes over") {
    TestModule first(test_image()), second(test_image());
    second.share("count_launches", first.handle("count_launches"));
    REQUIRE_SUCCESS(kbuild_cpu_register(first.descriptor()));
    REQUIRE_SUCCESS(kbuild_cpu_register(second.descriptor()));
    REQUIRE(kbuild_cpu_register(first.descriptor()) == KBUILD_CPU_INVALID_VALUE);
    const auto count = [&](const void* handle) {
        int out = -1;
        REQUIRE_SUCCESS(launch(handle, make_config({1, 1, 1}, {1, 1, 1}), &out));
        return out;
    };
    const void* handle = first.handle("count_launches");
    REQUIRE(count(handle) == 1);
    REQUIRE(count(handle) == 2);
    kbuild_cpu_unregister(first.descriptor());
    REQUIRE(count(handle) == 1);
    kbuild_cpu_unregister(second.descriptor());
    kbuild_cpu_unregister(second.descriptor());
    REQUIRE(kbuild_cpu_resolve(handle) == KBUILD_CPU_INVALID_HANDLE);
}

// ThreadSanitizer does not support threads in the child of a process with several threads.
#if !defined(KBUILD_CPU_TSAN)
TEST_CASE("a forked child launches kernels") {
    Registered module;
    check_saxpy(module, 10000);
    // Another thread launches kernels while the process forks.
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) check_block_sum(module, 8, 64);
    });
    for (int i = 0; i < 20; ++i) {
        require_in_child([&] {
            Registered another;
            check_saxpy(another, 10000);
            check_block_sum(module, 8, 64);
        });
    }
    stop = true;
    busy.join();
}
#endif

TEST_CASE("atexit handlers launch kernels") {
    static Registered* module = new Registered;
    // doctest's checks need variables of the thread, which do not exist anymore.
    std::atexit([] {
        int n = 1;
        float a = 2, x = 3, y = 4;
        auto *from = &x, *to = &y;
        if (launch(module->handle("saxpy"), make_config({1, 1, 1}, {1, 1, 1}), n, a, from, to) !=
                0 ||
            y != 10)
            std::_Exit(1);
    });
    check_saxpy(*module, 5000);
    std::exit(0);
}

}  // namespace
