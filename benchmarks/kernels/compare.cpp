// Times the sides of each case in turns and prints one line a turn: case, size, and for each side
// its name and seconds, of the clock or of the processors.
#include "cases.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace {

double read_clock(clockid_t clock)
{
    timespec now;
    clock_gettime(clock, &now);
    return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

double time_of(const std::function<void()>& run, int calls, clockid_t clock)
{
    const double start = read_clock(clock);
    for (int i = 0; i < calls; ++i)
        run();
    return (read_clock(clock) - start) / calls;
}

// So many that the clock's resolution and one interruption do not matter.
int calls_for(const std::function<void()>& run, double seconds)
{
    const double one = time_of(run, 1, CLOCK_MONOTONIC);
    return one < seconds ? static_cast<int>(seconds / one) + 1 : 1;
}

void compare(const Case& it, int turns, double seconds, clockid_t clock)
{
    std::vector<int> calls;
    for (const Side& side : it.sides)
        calls.push_back(calls_for(side.run, seconds));
    for (int turn = 0; turn < turns; ++turn) {
        std::printf("%s %d", it.name.c_str(), it.size);
        for (std::size_t i = 0; i < it.sides.size(); ++i)
            std::printf(" %s %.9e", it.sides[i].name.c_str(), time_of(it.sides[i].run, calls[i], clock));
        std::puts("");
    }
}

} // namespace

// compare [--tiny] [--processor] [CASE...]
int main(int count, char** words)
{
    std::vector<std::string_view> arguments(words + 1, words + count);
    const auto take = [&](std::string_view option) {
        const auto found = std::find(arguments.begin(), arguments.end(), option);
        const bool is_given = found != arguments.end();
        if (is_given)
            arguments.erase(found);
        return is_given;
    };
    const bool is_tiny = take("--tiny");
    const clockid_t clock = take("--processor") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    for (const auto& it : make_cases(is_tiny)) {
        if (!arguments.empty()
            && std::find(arguments.begin(), arguments.end(), it.name) == arguments.end())
            continue;
        for (const Side& side : it.sides)
            side.run(); // warms up, and loads the device image
        for (std::size_t i = 0; i < it.sides.size(); ++i)
            if (!it.agrees(i)) {
                std::fprintf(stderr, "%s %d: %s and %s disagree\n", it.name.c_str(), it.size,
                             it.sides[0].name.c_str(), it.sides[i].name.c_str());
                return EXIT_FAILURE;
            }
        compare(it, is_tiny ? 2 : 9, is_tiny ? 0.0001 : 0.01, clock);
    }
    return EXIT_SUCCESS;
}
