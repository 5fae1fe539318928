// Times the sides of each case in turns and prints one line per turn: case, number of threads or contexts, and
// for each side its name and the nanoseconds per thread.
#include "contexts.hpp"
#include "kernels_kernels.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int blocks = 16; // of kernels whose threads wait once

struct Side {
    const char* name;
    std::function<double()> measure; // returns nanoseconds per thread
};

void require(kbuild::error error)
{
    if (!error)
        return;
    std::fprintf(stderr, "launch failed: %s\n", error.message());
    std::exit(1);
}

// The processor time of this thread, which runs all blocks. It depends less on what else the machine does.
double read_clock()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

double time_of(const std::function<void()>& run)
{
    const double start = read_clock();
    run();
    return read_clock() - start;
}

// Barriers of a block, without what a launch costs.
double time_barriers(int threads, int rounds)
{
    const auto time = [&](int count) {
        return time_of([&] { require(kbuild::launch(wait, {1, threads}, count)); });
    };
    return (time(rounds + 1) - time(1)) / threads / rounds;
}

// One barrier per thread, without the loop over threads that do not wait.
double time_starts(int threads, int launches)
{
    const auto time = [&](bool waits) {
        return time_of([&] {
            for (int i = 0; i < launches; ++i)
                require(kbuild::launch(wait_once, {blocks, threads}, waits));
        });
    };
    return (time(true) - time(false)) / threads / blocks / launches;
}

double time_ring(const std::function<void(int)>& run, int count, int rounds)
{
    return time_of([&] { run(rounds); }) / count / rounds;
}

void compare(const char* name, int count, int turns, const std::vector<Side>& sides)
{
    for (const Side& side : sides)
        side.measure(); // warms up
    for (int turn = 0; turn < turns; ++turn) {
        std::printf("%s %d", name, count);
        for (const Side& side : sides)
            std::printf(" %s %.6f", side.name, side.measure());
        std::puts("");
    }
}

} // namespace

// compare [--tiny]
int main(int count, char** words)
{
    const bool is_tiny = count > 1 && std::strcmp(words[1], "--tiny") == 0;
    const int turns = is_tiny ? 2 : 41, switches = is_tiny ? 10'000 : 1'000'000;
    const auto pair = contexts::make_ring_of_fibers(2);
    for (const int threads : {64, 256, 1024}) {
        const int rounds = switches / threads;
        const auto fcontexts = contexts::make_ring_of_fcontexts(threads);
        const auto fibers = contexts::make_ring_of_fibers(threads);
        compare("barrier", threads, turns, {
            {"kbuild", [&] { return time_barriers(threads, rounds); }},
            {"fiber", [&] { return time_ring(fibers, threads, rounds); }},
            {"fcontext", [&] { return time_ring(fcontexts, threads, rounds); }},
            {"fiber-of-2", [&] { return time_ring(pair, 2, switches / 2); }},
        });
    }
    for (const int threads : {64, 256, 1024}) {
        const auto starts = contexts::make_starts(threads);
        const int launches = std::max(switches / 4 / threads / blocks, 1);
        compare("start", threads, turns, {
            {"kbuild", [&] { return time_starts(threads, launches); }},
            {"fiber", [&] {
                return time_of([&] { for (int i = 0; i < launches * blocks; ++i) starts(); })
                    / threads / launches / blocks;
            }},
        });
    }
    return EXIT_SUCCESS;
}
