// Without arguments, prints one line for each way to launch. With the number of a way and a count,
// makes a few launches to warm up and then `count` launches in `count_launches`, where they are
// counted.
#include "ways.hpp"

#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace {

// The first launches initialize the runtime and the driver.
constexpr int warm_up_launches = 3;

float memory[32];
LaunchValues launch_values = {1, 32, 0, nullptr, 1, 2.0f, memory, memory};

template <class Visit>
void for_each_way(Visit visit) {
    int number = 0;
    for (const Way* ways : {runtime_ways, kbuild_ways})
        for (const Way* way = ways; way->name != nullptr; ++way) visit(number++, *way);
}

}  // namespace

const LaunchValues* values = &launch_values;

extern "C" __attribute__((noinline)) int count_launches(int (*launch)(), int count) {
    int failures = 0;
    for (int i = 0; i < count; ++i) failures += launch();
    return failures;
}

int main(int word_count, char** words) {
    if (word_count != 3) {
        for_each_way(
            [](int, const Way& way) { std::printf("%d\t%s\n", way.is_by_hand, way.name); });
        return 0;
    }
    int failures = 0;
    for_each_way([&](int number, const Way& way) {
        if (number != std::atoi(words[1])) return;
        for (int i = 0; i < warm_up_launches; ++i) failures += way.launch();
        failures += count_launches(way.launch, std::atoi(words[2]));
    });
    if (failures != 0) std::fprintf(stderr, "%d launches failed\n", failures);
    return failures != 0;
}
