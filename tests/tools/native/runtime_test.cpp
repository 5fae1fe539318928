// Checks of the CPU runtime. Usage: runtime_test <case> <container file>
// test_cpu_runtime.py runs each case in a separate process.
#include "test_module.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <functional>
#include <numeric>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

std::string container;

// A module that is registered while this object exists.
class Registered : public TestModule {
public:
    Registered() : TestModule(container) { SUCCEED(kbuild_cpu_register(module_ = descriptor())); }
    ~Registered() { kbuild_cpu_unregister(module_); }

private:
    const kbuild_module* module_;
};

bool last_message_has(int code, const char* text) {
    const char* message = kbuild_cpu_error_message(code);
    if (std::strstr(message, text) != nullptr) return true;
    std::fprintf(stderr, "the message is: %s\n", message);
    return false;
}

void check_saxpy(const TestModule& module, int n) {
    std::vector<float> x(static_cast<size_t>(n)), y(x.size(), 1.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    const auto blocks = static_cast<uint32_t>((n + 255) / 256);
    SUCCEED(launch(module.handle("saxpy"), make_config({blocks, 1, 1}, {256, 1, 1}), n, 2.0f,
                   x.data(), y.data()));
    for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == 1.0f + 2.0f * x[i]);
}

void saxpy() {
    Registered module;
    for (int n : {1, 256, 1000, 100000}) check_saxpy(module, n);
}

void indices() {
    Registered module;
    const kbuild_dim3 grid = {3, 2, 4}, block = {5, 3, 2};
    std::vector<kbuild_dim3> threads(3 * 2 * 4 * 5 * 3 * 2), blocks(threads.size());
    SUCCEED(launch(module.handle("store_indices"), make_config(grid, block), threads.data(),
                   blocks.data()));
    size_t i = 0;
    for (uint32_t bz = 0; bz < 4; ++bz)
        for (uint32_t by = 0; by < 2; ++by)
            for (uint32_t bx = 0; bx < 3; ++bx)
                for (uint32_t tz = 0; tz < 2; ++tz)
                    for (uint32_t ty = 0; ty < 3; ++ty)
                        for (uint32_t tx = 0; tx < 5; ++tx, ++i) {
                            CHECK(threads[i].x == tx && threads[i].y == ty && threads[i].z == tz);
                            CHECK(blocks[i].x == bx && blocks[i].y == by && blocks[i].z == bz);
                        }
}

void check_block_sum(const TestModule& module, uint32_t blocks, uint32_t threads) {
    std::vector<int> in(blocks * threads), out(blocks, -1);
    std::iota(in.begin(), in.end(), 0);
    SUCCEED(launch(module.handle("block_sum"), make_config({blocks, 1, 1}, {threads, 1, 1}),
                   in.data(), out.data()));
    for (uint32_t b = 0; b < blocks; ++b) {
        const auto begin = in.begin() + b * threads;
        CHECK(out[b] == std::accumulate(begin, begin + threads, 0));
    }
}

void barriers() {
    Registered module;
    for (uint32_t threads : {1u, 2u, 64u, 1024u, 32u}) check_block_sum(module, 20, threads);
}

void dynamic_shared() {
    Registered module;
    std::vector<int> in(512), out(512);
    std::iota(in.begin(), in.end(), 0);
    SUCCEED(launch(module.handle("reverse"), make_config({1, 1, 1}, {512, 1, 1}, 512 * sizeof(int)),
                   in.data(), out.data()));
    CHECK(std::equal(in.rbegin(), in.rend(), out.begin()));
}

void early_exit() {
    Registered module;
    std::vector<int> out(9);
    SUCCEED(launch(module.handle("early_exit"), make_config({9, 1, 1}, {101, 1, 1}), out.data()));
    for (int sum : out) CHECK(sum == 51);

    std::vector<int> waits(200);
    SUCCEED(
        launch(module.handle("staggered_exit"), make_config({1, 1, 1}, {200, 1, 1}), waits.data()));
    for (int i = 0; i < 200; ++i) CHECK(waits[static_cast<size_t>(i)] == i);
}

void votes() {
    Registered module;
    std::vector<int> out(7);
    SUCCEED(launch(module.handle("count_votes"), make_config({7, 1, 1}, {33, 1, 1}), out.data()));
    for (int vote : out) CHECK(vote == 10 * 100 + 1 * 10 + 0);
}

void atomics() {
    Registered module;
    std::vector<unsigned char> in(1000003);
    std::vector<unsigned> expected(256), bins(256);
    for (size_t i = 0; i < in.size(); ++i)
        ++expected[in[i] = static_cast<unsigned char>(i * i >> 3)];
    SUCCEED(launch(module.handle("histogram"), make_config({500, 1, 1}, {64, 1, 1}), in.data(),
                   static_cast<int>(in.size()), bins.data()));
    CHECK(bins == expected);
}

void struct_parameter() {
    Registered module;
    struct {
        double scale;
        int offset;
    } affine = {2.0, 3};
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.0f);
    SUCCEED(launch(module.handle("_ZN2ns5applyIfEEv6AffinePT_"), make_config({1, 1, 1}, {64, 1, 1}),
                   affine, values.data()));
    for (size_t i = 0; i < 64; ++i) CHECK(values[i] == 2.0f * static_cast<float>(63 - i) + 3.0f);
}

void floating_point_environment() {
    Registered module;
    std::fesetround(FE_UPWARD);
    float values[3] = {1.0f, 3.0f, 0.0f};
    SUCCEED(launch(module.handle("divide"), make_config({1, 1, 1}, {1, 1, 1}), values));
    CHECK(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    volatile float three = 3.0f;
    CHECK(values[2] == 1.0f / three);
}

void many_launching_threads() {
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

void registration_while_launching() {
    Registered stays;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            while (!stop) check_saxpy(stays, 1000);
        });
    // While a module is registered and unregistered repeatedly, its handles are either launched or
    // unknown.
    TestModule passing(container);
    const auto* descriptor = passing.descriptor();
    threads.emplace_back([&] {
        while (!stop) {
            const int code = launch(passing.handle("nothing"), make_config({4, 1, 1}, {8, 1, 1}));
            CHECK(code == KBUILD_CPU_SUCCESS || code == KBUILD_CPU_INVALID_HANDLE);
        }
    });
    for (int i = 0; i < 50; ++i) {
        SUCCEED(kbuild_cpu_register(descriptor));
        check_saxpy(passing, 300);
        kbuild_cpu_unregister(descriptor);
        CHECK(launch(passing.handle("saxpy"), make_config({1, 1, 1}, {1, 1, 1})) ==
              KBUILD_CPU_INVALID_HANDLE);
    }
    stop = true;
    for (auto& thread : threads) thread.join();
}

void unregister_waits() {
    TestModule module(container);
    const auto* descriptor = module.descriptor();
    SUCCEED(kbuild_cpu_register(descriptor));
    static volatile int started = 0, stop = 0;
    std::atomic<bool> unregistered{false};
    std::thread launching([&] {
        SUCCEED(launch(module.handle("spin"), make_config({1, 1, 1}, {1, 1, 1}), &started, &stop));
    });
    while (!started) std::this_thread::yield();
    std::thread removing([&] {
        kbuild_cpu_unregister(descriptor);
        unregistered = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!unregistered);
    stop = 1;
    launching.join();
    removing.join();
}

void second_registration_takes_over() {
    TestModule first(container), second(container);
    second.share("count_launches", first.handle("count_launches"));
    SUCCEED(kbuild_cpu_register(first.descriptor()));
    SUCCEED(kbuild_cpu_register(second.descriptor()));
    CHECK(kbuild_cpu_register(first.descriptor()) == KBUILD_CPU_INVALID_VALUE);
    const auto count = [&](const void* handle) {
        int out = -1;
        SUCCEED(launch(handle, make_config({1, 1, 1}, {1, 1, 1}), &out));
        return out;
    };
    const void* handle = first.handle("count_launches");
    CHECK(count(handle) == 1);
    CHECK(count(handle) == 2);
    kbuild_cpu_unregister(first.descriptor());
    CHECK(count(handle) == 1);
    kbuild_cpu_unregister(second.descriptor());
    kbuild_cpu_unregister(second.descriptor());
    CHECK(kbuild_cpu_resolve(handle) == KBUILD_CPU_INVALID_HANDLE);
}

void same_image_twice() {
    Registered first, second;
    int a = 0, b = 0;
    for (int i = 0; i < 3; ++i)
        SUCCEED(launch(first.handle("count_launches"), make_config({1, 1, 1}, {1, 1, 1}), &a));
    SUCCEED(launch(second.handle("count_launches"), make_config({1, 1, 1}, {1, 1, 1}), &b));
    CHECK(a == 3 && b == 1);
}

void forked_child() {
    Registered module;
    check_saxpy(module, 10000);
    // Another thread launches kernels while the process forks.
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) check_block_sum(module, 8, 64);
    });
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            {
                Registered another;
                check_saxpy(another, 10000);
                check_block_sum(module, 8, 64);
            }
            std::_Exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = true;
    busy.join();
}

void launch_at_exit() {
    static Registered* module = new Registered;
    std::atexit([] { check_saxpy(*module, 5000); });
    check_saxpy(*module, 5000);
    std::exit(0);
}

void warp_operations() {
    Registered module;
    std::vector<int> out(4 * 96, -1);
    SUCCEED(launch(module.handle("exchange"), make_config({4, 1, 1}, {96, 1, 1}), out.data()));
    for (size_t thread = 0; thread < out.size(); ++thread) {
        const int lane = static_cast<int>(thread % 96 % 32);
        int sum = 0;
        for (int i = 0; i < 50; ++i) sum += (lane + 2 * i) % 20 + i;
        CHECK(out[thread] == (lane < 20 ? sum : -1));
    }
}

void converging_lanes() {
    Registered module;
    std::vector<unsigned> out(50);
    SUCCEED(launch(module.handle("converge"), make_config({1, 1, 1}, {50, 1, 1}), out.data()));
    for (unsigned thread = 0; thread < 50; ++thread) {
        const unsigned lanes = thread < 32 ? ~0u : (1u << 18) - 1;
        const unsigned every_fourth = 0x11111111u << thread % 4;
        CHECK(out[thread] == (thread % 4 < 2 ? lanes & every_fourth : 0));
    }
}

void cooperative_launches() {
    Registered module;
    for (uint32_t blocks : {1u, 3u, 32u}) {
        std::vector<int> values(blocks * 40);
        std::iota(values.begin(), values.end(), 0);
        auto expected = values;
        std::rotate(expected.begin(), expected.begin() + 7 * 40 % values.size(), expected.end());
        auto config = make_config({blocks, 1, 1}, {40, 1, 1}, 160);
        config.cooperative = 1;
        SUCCEED(launch(module.handle("cooperate"), config, values.data(), 7));
        CHECK(values == expected);
    }
    auto config = make_config({1 << 20, 1, 1}, {64, 1, 1});
    config.cooperative = 1;
    CHECK(launch(module.handle("nothing"), config) == KBUILD_CPU_COOPERATIVE_LAUNCH_TOO_LARGE);
    CHECK(last_message_has(KBUILD_CPU_COOPERATIVE_LAUNCH_TOO_LARGE,
                           "has 1048576 blocks of 64 threads, but the maximum on "));
    int blocks = 0;
    SUCCEED(kbuild_cpu_occupancy(&blocks, module.handle("nothing"), 1024, 0, 0));
    config = make_config({static_cast<uint32_t>(blocks), 1, 1}, {1024, 1, 1});
    config.cooperative = 1;
    SUCCEED(launch(module.handle("nothing"), config));
}

void spinning_threads() {
    Registered module;
    int lock = 0, count = 0, arrived = 0;
    SUCCEED(launch(module.handle("lock"), make_config({8, 1, 1}, {64, 1, 1}), &lock, &count));
    CHECK(count == 8 * 64 * 3);
    SUCCEED(launch(module.handle("meet"), make_config({20, 1, 1}, {32, 1, 1}), &arrived));
    CHECK(arrived == 20);
}

// The threads of a block wait at the same time, although they run on one OS thread.
void threads_that_wait_by_clock() {
    Registered module;
    int count = 0;
    constexpr std::chrono::milliseconds wait{10};
    const auto start = std::chrono::steady_clock::now();
    SUCCEED(launch(module.handle("wait_by_clock"), make_config({4, 1, 1}, {256, 1, 1}), &count,
                   static_cast<int>(std::chrono::nanoseconds(wait).count())));
    CHECK(count == 4 * 256);
    CHECK(std::chrono::steady_clock::now() - start < 256 * wait / 2);
}

void unfinished_operations() {
    std::atomic<bool> is_open{false};
    const unsigned* const unfinished = kbuild_cpu_unfinished_operations();
    const auto wait = [](void* gate) {
        while (!*static_cast<std::atomic<bool>*>(gate)) std::this_thread::yield();
    };
    CHECK(*unfinished == 0);
    SUCCEED(kbuild_cpu_call_host(nullptr, wait, &is_open));
    CHECK(__atomic_load_n(unfinished, __ATOMIC_ACQUIRE) == 1);
    is_open = true;
    SUCCEED(kbuild_cpu_synchronize());
    CHECK(*unfinished == 0);
}

void deadlocks() {
    Registered module;
    CHECK(launch(module.handle("wait_for_each_other"), make_config({5, 1, 1}, {64, 1, 1})) ==
          KBUILD_CPU_LAUNCH_FAILURE);
    int blocks = 0;
    CHECK(launch(module.handle("nothing"), make_config({1, 1, 1}, {1, 1, 1})) ==
          KBUILD_CPU_LAUNCH_FAILURE);  // as after a trap
    SUCCEED(kbuild_cpu_device_count(&blocks));
}

void report(const char* kernel, kbuild_launch_config config, int error) {
    Registered module;
    int flag = 0;
    CHECK(launch(module.handle(kernel), config, &flag) == error);
}

void report_block() {
    report("wait_for_each_other", make_config({2, 1, 1}, {32, 1, 1}), KBUILD_CPU_LAUNCH_FAILURE);
}

void report_mask() {
    report("name_wrong_lane", make_config({1, 1, 1}, {32, 1, 1}), KBUILD_CPU_LAUNCH_FAILURE);
}

void report_grid() {
    auto config = make_config({3, 1, 1}, {4, 1, 1});
    config.cooperative = 1;
    report("exit_before_grid_barrier", config, KBUILD_CPU_LAUNCH_FAILURE);
}

void report_exit() {
    auto config = make_config({2, 1, 1}, {1, 1, 1});
    config.cooperative = 1;
    report("exit_after_others_wait", config, KBUILD_CPU_LAUNCH_FAILURE);
}

void report_spin() {
    report("spin_forever", make_config({3, 1, 1}, {8, 1, 1}), KBUILD_CPU_LAUNCH_TIMEOUT);
}

// Prints what the runtime writes to stderr while a kernel waits for the host.
void report_long_run() {
    Registered module;
    int ends[2];
    CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
    volatile int flag = 0;
    std::thread host([&] {
        char text[4096];
        const auto size = read(ends[0], text, sizeof text);
        flag = 1;
        CHECK(write(STDOUT_FILENO, text, static_cast<std::size_t>(size)) == size);
    });
    CHECK(launch(module.handle("wait_for_host"), make_config({1, 1, 1}, {1, 1, 1}), &flag) == 0);
    host.join();
}

void report_ordinary() {
    report("exit_before_grid_barrier", make_config({3, 1, 1}, {8, 1, 1}), KBUILD_CPU_LAUNCH_FAILURE);
}

void invalid_launches() {
    Registered module;
    const void* saxpy = module.handle("saxpy");
    const void* nothing = module.handle("nothing");
    const auto one = make_config({1, 1, 1}, {1, 1, 1});
    void* no_args[] = {nullptr};

    CHECK(kbuild_cpu_launch(nothing, nullptr, no_args) == KBUILD_CPU_INVALID_VALUE);
    CHECK(kbuild_cpu_launch(nullptr, &one, no_args) == KBUILD_CPU_INVALID_KERNEL);
    static const int not_a_kernel = 0;
    CHECK(launch(&not_a_kernel, one) == KBUILD_CPU_INVALID_HANDLE);
    CHECK(last_message_has(KBUILD_CPU_INVALID_HANDLE, "no kernel is registered at 0x"));
    CHECK(launch(reinterpret_cast<const void*>(&std::abort), one) == KBUILD_CPU_INVALID_HANDLE);
    CHECK(last_message_has(KBUILD_CPU_INVALID_HANDLE, "(abort)"));

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
    for (const auto& config : wrong)
        CHECK(launch(nothing, config) == KBUILD_CPU_INVALID_VALUE);
    CHECK(last_message_has(KBUILD_CPU_INVALID_VALUE, "grid is (1, 1, 65536)"));

    CHECK(kbuild_cpu_launch(saxpy, &one, nullptr) == KBUILD_CPU_INVALID_VALUE);
    int n = 0;
    float a = 0;
    void* incomplete[] = {&n, &a, nullptr, nullptr};
    CHECK(kbuild_cpu_launch(saxpy, &one, incomplete) == KBUILD_CPU_INVALID_VALUE);
    CHECK(last_message_has(KBUILD_CPU_INVALID_VALUE, "argument 2 of kernel saxpy"));
    SUCCEED(kbuild_cpu_launch(nothing, &one, nullptr));

    SUCCEED(launch(nothing, make_config({1, 1, 1}, {1, 1, 1}, 232448)));
    CHECK(launch(nothing, make_config({1, 1, 1}, {1, 1, 1}, 232449)) == KBUILD_CPU_INVALID_VALUE);

    auto config = one;
    config.cluster = {1, 1, 1};
    SUCCEED(launch(nothing, config));
    config.cluster = {2, 1, 1};
    CHECK(launch(nothing, config) == KBUILD_CPU_NOT_SUPPORTED);
    CHECK(last_message_has(KBUILD_CPU_NOT_SUPPORTED, "clusters"));
    config = one;
    config.cooperative = 1;
    SUCCEED(launch(nothing, config));
    config = one;
    config.programmatic_dependent_launch = 1;
    CHECK(launch(nothing, config) == KBUILD_CPU_NOT_SUPPORTED);

    CHECK(launch(module.handle("absent"), one) == KBUILD_CPU_KERNEL_NOT_FOUND);
    CHECK(last_message_has(KBUILD_CPU_KERNEL_NOT_FOUND, "absent"));
}

void layout_mismatch() {
    TestModule module(container);
    module.add("saxpy", {{0, 4}, {4, 4}, {8, 8}});
    module.add("divide", {{0, 4}});
    SUCCEED(kbuild_cpu_register(module.descriptor()));
    for (const char* name : {"saxpy", "divide"}) {
        CHECK(kbuild_cpu_resolve(module.handle(name)) == KBUILD_CPU_INVALID_IMAGE);
        CHECK(last_message_has(KBUILD_CPU_INVALID_IMAGE, name));
    }
    SUCCEED(kbuild_cpu_resolve(module.handle("nothing")));
}

void invalid_modules() {
    CHECK(kbuild_cpu_register(nullptr) == KBUILD_CPU_INVALID_VALUE);
    TestModule module(container);
    auto wrong_abi = *module.descriptor();
    wrong_abi.abi = 99;
    CHECK(kbuild_cpu_register(&wrong_abi) == KBUILD_CPU_INVALID_VALUE);
    auto no_container = *module.descriptor();
    no_container.container_count = 0;
    CHECK(kbuild_cpu_register(&no_container) == KBUILD_CPU_INVALID_VALUE);
    kbuild_cpu_unregister(nullptr);
    kbuild_cpu_unregister(&wrong_abi);
}

void memory() {
    int count = 0;
    SUCCEED(kbuild_cpu_device_count(&count));
    CHECK(count == 1 && kbuild_cpu_device_count(nullptr) == KBUILD_CPU_INVALID_VALUE);
    void* pointer = &count;
    SUCCEED(kbuild_cpu_allocate(&pointer, 0));
    CHECK(pointer == nullptr);
    SUCCEED(kbuild_cpu_allocate(&pointer, 1001));
    CHECK(reinterpret_cast<uintptr_t>(pointer) % 256 == 0);
    const std::string text(1001, 'k');
    SUCCEED(kbuild_cpu_copy(pointer, text.data(), text.size(), KBUILD_COPY_TO_DEVICE));
    CHECK(std::memcmp(pointer, text.data(), text.size()) == 0);
    CHECK(kbuild_cpu_copy(nullptr, text.data(), 1, KBUILD_COPY_TO_DEVICE) ==
          KBUILD_CPU_INVALID_VALUE);
    CHECK(kbuild_cpu_copy(pointer, nullptr, 1, KBUILD_COPY_TO_HOST) == KBUILD_CPU_INVALID_VALUE);
    CHECK(kbuild_cpu_copy(pointer, pointer, 1, static_cast<kbuild_copy_direction>(0)) ==
          KBUILD_CPU_INVALID_VALUE);
    SUCCEED(kbuild_cpu_copy(nullptr, nullptr, 0, KBUILD_COPY_ON_DEVICE));
    SUCCEED(kbuild_cpu_release(pointer));
    SUCCEED(kbuild_cpu_release(nullptr));
    CHECK(kbuild_cpu_allocate(nullptr, 1) == KBUILD_CPU_INVALID_VALUE);
    CHECK(kbuild_cpu_allocate(&pointer, SIZE_MAX / 2) == KBUILD_CPU_OUT_OF_MEMORY);
    CHECK(last_message_has(KBUILD_CPU_OUT_OF_MEMORY, "cannot allocate"));
    SUCCEED(kbuild_cpu_synchronize());
    CHECK(std::strcmp(kbuild_cpu_error_message(0), "no error") == 0);
    CHECK(std::strcmp(kbuild_cpu_error_message(-7), "unrecognized error code") == 0);
}

bool is_in(const void* pointer, const void* base, size_t bytes) {
    void* found = nullptr;
    size_t found_bytes = 1;
    SUCCEED(kbuild_cpu_find_allocation(pointer, &found, &found_bytes));
    return found == base && found_bytes == bytes;
}

void allocations() {
    CHECK(is_in(nullptr, nullptr, 0));
    void *first = nullptr, *second = nullptr;
    SUCCEED(kbuild_cpu_allocate(&first, 1000));
    SUCCEED(kbuild_cpu_allocate(&second, 1));
    auto* const bytes = static_cast<char*>(first);
    CHECK(is_in(bytes, first, 1000) && is_in(bytes + 999, first, 1000));
    CHECK(is_in(bytes - 1, nullptr, 0) && is_in(bytes + 1000, nullptr, 0));
    CHECK(is_in(second, second, 1) && is_in(static_cast<char*>(second) + 1, nullptr, 0));
    const int local = 0;
    const auto own = std::make_unique<int>(0);
    CHECK(is_in(&local, nullptr, 0) && is_in(own.get(), nullptr, 0));
    CHECK(kbuild_cpu_find_allocation(first, nullptr, nullptr) == KBUILD_CPU_INVALID_VALUE);
    SUCCEED(kbuild_cpu_release(first));
    CHECK(is_in(bytes, nullptr, 0) && is_in(second, second, 1));
    // The runtime does not see this free(), and can get the same memory again with another size.
    std::free(second);
    std::vector<void*> all(100);
    for (auto& pointer : all) SUCCEED(kbuild_cpu_allocate(&pointer, 2));
    for (auto* pointer : all) CHECK(is_in(static_cast<char*>(pointer) + 1, pointer, 2));
    for (auto* pointer : all) SUCCEED(kbuild_cpu_release(pointer));
    for (auto* pointer : all) CHECK(is_in(pointer, nullptr, 0));
}

void allocations_in_threads_and_children() {
    std::atomic<bool> stop{false};
    const auto work = [&] {
        while (!stop) {
            void* pointer = nullptr;
            SUCCEED(kbuild_cpu_allocate(&pointer, 64));
            CHECK(is_in(static_cast<char*>(pointer) + 63, pointer, 64));
            SUCCEED(kbuild_cpu_release(pointer));
        }
    };
    std::thread first(work), second(work);
    void* kept = nullptr;
    SUCCEED(kbuild_cpu_allocate(&kept, 64));
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            alarm(20);
            void* pointer = nullptr;
            SUCCEED(kbuild_cpu_allocate(&pointer, 64));
            CHECK(is_in(kept, kept, 64) && is_in(pointer, pointer, 64));
            std::_Exit(0);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = true;
    first.join();
    second.join();
    SUCCEED(kbuild_cpu_release(kept));
}

void no_memory_for_stacks() {
    Registered module;
    check_saxpy(module, 10);
    const rlimit limit = {64 << 20, 64 << 20};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    std::vector<int> out(1, -1);
    CHECK(launch(module.handle("early_exit"), make_config({1, 1, 1}, {1024, 1, 1}), out.data()) ==
          KBUILD_CPU_OUT_OF_MEMORY);
    CHECK(out[0] == -1);
    SUCCEED(launch(module.handle("early_exit"), make_config({1, 1, 1}, {32, 1, 1}), out.data()));
    CHECK(out[0] == 16);
}

// Resolves a kernel and prints the outcome, which depends on the environment and the container.
void resolve() {
    Registered module;
    const int code = kbuild_cpu_resolve(module.handle("saxpy"));
    std::printf("%d %s\n", code, kbuild_cpu_error_message(code));
    if (code == 0) check_saxpy(module, 1000);
}

const std::map<std::string, std::function<void()>> cases = {
    {"saxpy", saxpy},
    {"indices", indices},
    {"barriers", barriers},
    {"dynamic_shared", dynamic_shared},
    {"early_exit", early_exit},
    {"votes", votes},
    {"atomics", atomics},
    {"struct_parameter", struct_parameter},
    {"floating_point_environment", floating_point_environment},
    {"many_launching_threads", many_launching_threads},
    {"registration_while_launching", registration_while_launching},
    {"unregister_waits", unregister_waits},
    {"second_registration_takes_over", second_registration_takes_over},
    {"same_image_twice", same_image_twice},
    {"forked_child", forked_child},
    {"launch_at_exit", launch_at_exit},
    {"warp_operations", warp_operations},
    {"converging_lanes", converging_lanes},
    {"cooperative_launches", cooperative_launches},
    {"spinning_threads", spinning_threads},
    {"threads_that_wait_by_clock", threads_that_wait_by_clock},
    {"unfinished_operations", unfinished_operations},
    {"deadlocks", deadlocks},
    {"report_block", report_block},
    {"report_mask", report_mask},
    {"report_grid", report_grid},
    {"report_exit", report_exit},
    {"report_spin", report_spin},
    {"report_long_run", report_long_run},
    {"report_ordinary", report_ordinary},
    {"invalid_launches", invalid_launches},
    {"layout_mismatch", layout_mismatch},
    {"invalid_modules", invalid_modules},
    {"memory", memory},
    {"allocations", allocations},
    {"allocations_in_threads_and_children", allocations_in_threads_and_children},
    {"no_memory_for_stacks", no_memory_for_stacks},
    {"resolve", resolve},
};

}  // namespace

int main(int argc, char** argv) {
    CHECK(argc == 3);
    container = read_file(argv[2]);
    cases.at(argv[1])();
    return 0;
}
