// Measures launches.
//
//     timed               prints the device and the ways to launch
//     timed warm BATCHES  prints nanoseconds per launch, one line per batch and way
//     timed first NUMBER  measures the first launches in a process, with one way
#include "ways.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

void do_nothing() { asm volatile(""); }

namespace {

using Clock = std::chrono::steady_clock;

// Fits into a stream's queue, so that no launch waits for the device.
constexpr int launches_per_batch = 200;
constexpr int synchronized_per_batch = 20;

void show(const char* mode, const Way& way, double nanoseconds) {
    std::printf("sample\t%s\t%s\t%.2f\n", mode, way.name, nanoseconds);
}

double time_batch(void (*launch)(), int count, bool waits) {
    const auto start = Clock::now();
    for (int i = 0; i < count; ++i) {
        launch();
        if (waits) synchronize();
    }
    const auto end = Clock::now();
    synchronize();
    return std::chrono::duration<double, std::nano>(end - start).count() / count;
}

std::vector<const Way*> list_ways() {
    std::vector<const Way*> found;
    for (const Way* way = ways; way->name != nullptr; ++way) found.push_back(way);
    return found;
}

void time_warm(int batches) {
    std::vector<const Way*> order = list_ways();
    for (const Way* way : order) {  // warm-up: the first launch loads the image
        prepare_way(*way);
        time_batch(way->launch, launches_per_batch, false);
    }
    require_success("warm-up");
    std::mt19937 random(1);  // the order differs between batches, but not between runs
    for (int batch = 0; batch < batches; ++batch) {
        std::shuffle(order.begin(), order.end(), random);
        for (const Way* way : order) {
            show("enqueue", *way, time_batch(way->launch, launches_per_batch, false));
            if (way->launches)
                show("launch and synchronize", *way,
                     time_batch(way->launch, synchronized_per_batch, true));
        }
    }
}

void time_first(std::size_t number) {
    const Way& way = *list_ways().at(number);
    prepare_way(way);  // user code has to do this before its first launch, too
    show("first, without warm-up", way, time_batch(way.launch, 1, false));
    show("the same, warm", way, time_batch(way.launch, launches_per_batch, false));
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        describe_device();
        for (const Way* way : list_ways()) std::printf("way\t%s\n", way->name);
        return 0;
    }
    prepare();
    if (std::strcmp(words[1], "warm") == 0)
        time_warm(std::atoi(words[2]));
    else
        time_first(static_cast<std::size_t>(std::atoi(words[2])));
    require_success("a launch");
}
