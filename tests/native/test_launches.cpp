// Kernels compute what they compute on a GPU.
#include "launches.hpp"

#include "fibers/sanitizers.hpp"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <numeric>

namespace {

TEST_CASE("grids of different sizes run") {
    Registered module;
    for (int n : {1, 256, 1000, 100000}) check_saxpy(module, n);
}

TEST_CASE("every thread of every block has its indices") {
    Registered module;
    const kbuild_dim3 grid = {3, 2, 4}, block = {5, 3, 2};
    std::vector<kbuild_dim3> threads(3 * 2 * 4 * 5 * 3 * 2), blocks(threads.size());
    REQUIRE_SUCCESS(launch(module.handle("store_indices"), make_config(grid, block), threads.data(),
                           blocks.data()));
    size_t i = 0;
    for (uint32_t bz = 0; bz < 4; ++bz)
        for (uint32_t by = 0; by < 2; ++by)
            for (uint32_t bx = 0; bx < 3; ++bx)
                for (uint32_t tz = 0; tz < 2; ++tz)
                    for (uint32_t ty = 0; ty < 3; ++ty)
                        for (uint32_t tx = 0; tx < 5; ++tx, ++i) {
                            REQUIRE(
                                (threads[i].x == tx && threads[i].y == ty && threads[i].z == tz));
                            REQUIRE((blocks[i].x == bx && blocks[i].y == by && blocks[i].z == bz));
                        }
}

TEST_CASE("the threads of a block wait for each other") {
    Registered module;
    for (uint32_t threads : {1u, 2u, 64u, 1024u, 32u}) check_block_sum(module, 20, threads);
}

TEST_CASE("a launch sets the size of dynamic shared memory") {
    Registered module;
    std::vector<int> in(512), out(512);
    std::iota(in.begin(), in.end(), 0);
    REQUIRE_SUCCESS(launch(module.handle("reverse"),
                           make_config({1, 1, 1}, {512, 1, 1}, 512 * sizeof(int)), in.data(),
                           out.data()));
    REQUIRE(std::equal(in.rbegin(), in.rend(), out.begin()));
}

TEST_CASE("threads can exit before a barrier") {
    Registered module;
    std::vector<int> out(9);
    REQUIRE_SUCCESS(
        launch(module.handle("early_exit"), make_config({9, 1, 1}, {101, 1, 1}), out.data()));
    for (int sum : out) REQUIRE(sum == 51);

    std::vector<int> waits(200);
    REQUIRE_SUCCESS(
        launch(module.handle("staggered_exit"), make_config({1, 1, 1}, {200, 1, 1}), waits.data()));
    for (int i = 0; i < 200; ++i) REQUIRE(waits[static_cast<size_t>(i)] == i);
}

TEST_CASE("barriers count votes") {
    Registered module;
    std::vector<int> out(7);
    REQUIRE_SUCCESS(
        launch(module.handle("count_votes"), make_config({7, 1, 1}, {33, 1, 1}), out.data()));
    for (int vote : out) REQUIRE(vote == 10 * 100 + 1 * 10 + 0);
}

TEST_CASE("threads can wait in other ways between barriers") {
    Registered module;
    for (const kbuild_dim3 block : {kbuild_dim3{2, 1, 1}, kbuild_dim3{7, 9, 2},
                                    kbuild_dim3{96, 1, 1}, kbuild_dim3{64, 2, 1}}) {
        int mistakes = 0;
        REQUIRE_SUCCESS(launch(module.handle("wait_in_many_ways"), make_config({5, 1, 1}, block),
                               &mistakes, 60));
        REQUIRE(mistakes == 0);
    }
}

TEST_CASE("blocks update the same memory") {
    Registered module;
    std::vector<unsigned char> in(1000003);
    std::vector<unsigned> expected(256), bins(256);
    for (size_t i = 0; i < in.size(); ++i)
        ++expected[in[i] = static_cast<unsigned char>(i * i >> 3)];
    REQUIRE_SUCCESS(launch(module.handle("histogram"), make_config({500, 1, 1}, {64, 1, 1}),
                           in.data(), static_cast<int>(in.size()), bins.data()));
    REQUIRE(bins == expected);
}

TEST_CASE("a parameter can be a structure") {
    Registered module;
    struct {
        double scale;
        int offset;
    } affine = {2.0, 3};
    std::vector<float> values(64);
    std::iota(values.begin(), values.end(), 0.0f);
    REQUIRE_SUCCESS(launch(module.handle("_ZN2ns5applyIfEEv6AffinePT_"),
                           make_config({1, 1, 1}, {64, 1, 1}), affine, values.data()));
    for (size_t i = 0; i < 64; ++i) REQUIRE(values[i] == 2.0f * static_cast<float>(63 - i) + 3.0f);
}

TEST_CASE("kernels have their own rounding mode") {
    Registered module;
    std::fesetround(FE_UPWARD);
    float values[3] = {1.0f, 3.0f, 0.0f};
    REQUIRE_SUCCESS(launch(module.handle("divide"), make_config({1, 1, 1}, {1, 1, 1}), values));
    REQUIRE(std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    volatile float three = 3.0f;
    REQUIRE(values[2] == 1.0f / three);
}

TEST_CASE("lanes exchange values") {
    Registered module;
    std::vector<int> out(4 * 96, -1);
    REQUIRE_SUCCESS(
        launch(module.handle("exchange"), make_config({4, 1, 1}, {96, 1, 1}), out.data()));
    for (size_t thread = 0; thread < out.size(); ++thread) {
        const int lane = static_cast<int>(thread % 96 % 32);
        int sum = 0;
        for (int i = 0; i < 50; ++i) sum += (lane + 2 * i) % 20 + i;
        REQUIRE(out[thread] == (lane < 20 ? sum : -1));
    }
}

TEST_CASE("lanes that converge know their mask") {
    Registered module;
    std::vector<unsigned> out(51);
    REQUIRE_SUCCESS(
        launch(module.handle("converge"), make_config({1, 1, 1}, {50, 1, 1}), out.data()));
    for (unsigned thread = 0; thread < 50; ++thread) {
        const unsigned lanes = thread < 32 ? ~0u : (1u << 18) - 1;
        const unsigned every_fourth = 0x11111111u << thread % 4;
        REQUIRE(out[thread] == (thread % 4 < 2 ? lanes & every_fourth : 0));
    }
}

TEST_CASE("the blocks of a cooperative launch wait for each other") {
    Registered module;
    for (uint32_t blocks : {1u, 3u, 32u}) {
        std::vector<int> values(blocks * 40);
        std::iota(values.begin(), values.end(), 0);
        auto expected = values;
        std::rotate(expected.begin(), expected.begin() + 7 * 40 % values.size(), expected.end());
        auto config = make_config({blocks, 1, 1}, {40, 1, 1}, 160);
        config.cooperative = 1;
        REQUIRE_SUCCESS(launch(module.handle("cooperate"), config, values.data(), 7));
        REQUIRE(values == expected);
    }
    auto config = make_config({1 << 20, 1, 1}, {64, 1, 1});
    config.cooperative = 1;
    REQUIRE(launch(module.handle("nothing"), config) == KBUILD_CPU_COOPERATIVE_LAUNCH_TOO_LARGE);
    REQUIRE(last_message_has(KBUILD_CPU_COOPERATIVE_LAUNCH_TOO_LARGE,
                             "has 1048576 blocks of 64 threads, but the maximum on "));
    int blocks = 0;
    REQUIRE_SUCCESS(kbuild_cpu_occupancy(&blocks, module.handle("nothing"), 1024, 0, 0));
    config = make_config({static_cast<uint32_t>(blocks), 1, 1}, {1024, 1, 1});
    config.cooperative = 1;
    REQUIRE_SUCCESS(launch(module.handle("nothing"), config));
}

TEST_CASE("threads that spin let others run") {
    Registered module;
    int lock = 0, count = 0, arrived = 0;
    REQUIRE_SUCCESS(
        launch(module.handle("lock"), make_config({8, 1, 1}, {64, 1, 1}), &lock, &count));
    REQUIRE(count == 8 * 64 * 3);
    REQUIRE_SUCCESS(launch(module.handle("meet"), make_config({20, 1, 1}, {32, 1, 1}), &arrived));
    REQUIRE(arrived == 20);
}

// The threads of a block wait at the same time, although they run on one OS thread.
TEST_CASE("threads that read the clock wait at the same time") {
    Registered module;
    int count = 0;
    constexpr std::chrono::milliseconds wait{10};
    const auto start = std::chrono::steady_clock::now();
    REQUIRE_SUCCESS(launch(module.handle("wait_by_clock"), make_config({4, 1, 1}, {256, 1, 1}),
                           &count, static_cast<int>(std::chrono::nanoseconds(wait).count())));
    REQUIRE(count == 4 * 256);
#if !defined(KBUILD_CPU_TSAN)  // with which everything takes longer
    REQUIRE(std::chrono::steady_clock::now() - start < 256 * wait / 2);
#else
    static_cast<void>(start);
#endif
}

}  // namespace
