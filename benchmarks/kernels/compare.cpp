// Times each case's two sides in turns and prints one line a pair:
// case, size, seconds of the kernel, seconds of the loop.
#include "cases.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

double time_of(const std::function<void()>& run, int calls)
{
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
        run();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return passed.count() / calls;
}

// So many that the clock's resolution and one interruption do not matter.
int calls_for(const std::function<void()>& run, double seconds)
{
    const double one = time_of(run, 1);
    return one < seconds ? static_cast<int>(seconds / one) + 1 : 1;
}

void compare(const Case& it, int repetitions, double seconds)
{
    const int kernel_calls = calls_for(it.run_kernel, seconds);
    const int loop_calls = calls_for(it.run_loop, seconds);
    for (int i = 0; i < repetitions; ++i) {
        const double kernel = time_of(it.run_kernel, kernel_calls);
        const double loop = time_of(it.run_loop, loop_calls);
        std::printf("%s %d %.9e %.9e\n", it.name.c_str(), it.size, kernel, loop);
    }
}

} // namespace

// compare [--tiny] [CASE...]
int main(int count, char** words)
{
    const std::vector<std::string_view> arguments(words + 1, words + count);
    const bool is_tiny = !arguments.empty() && arguments.front() == "--tiny";
    const std::vector<std::string_view> wanted(arguments.begin() + is_tiny, arguments.end());
    for (const auto& it : make_cases(is_tiny)) {
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), it.name) == wanted.end())
            continue;
        it.run_kernel(); // warms up, and loads the device image
        it.run_loop();
        if (!it.agree()) {
            std::fprintf(stderr, "%s %d: kernel and loop disagree\n", it.name.c_str(), it.size);
            return EXIT_FAILURE;
        }
        compare(it, is_tiny ? 2 : 21, is_tiny ? 0.0001 : 0.01);
    }
    return EXIT_SUCCESS;
}
