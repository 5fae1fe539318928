#include "launches/report.hpp"

#include "launches/watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>

namespace kbuild::cpu {
namespace {

constexpr std::size_t most_blocks = 4;
constexpr std::size_t most_threads = 8;

std::string describe_block(const Block& block, const Tasks& tasks) {
    std::map<std::string, std::vector<kbuild_dim3>> threads;  // by the call
    tasks.for_each_thread([&](const Task& task) {
        if (task.block == &block) threads[describe(*task.call, task.mask)].push_back(task.thread);
    });
    std::string text;
    for (auto& [call, waiting] : threads) {
        const auto number = [&](const kbuild_dim3& thread) { return block.number(thread); };
        std::sort(waiting.begin(), waiting.end(),
                  [&](const auto& a, const auto& b) { return number(a) < number(b); });
        text += "\n  " + std::to_string(waiting.size()) + " threads of block " +
                to_string(block.index) + " in " + call + ": ";
        for (std::size_t i = 0; i < std::min(waiting.size(), most_threads); ++i)
            text += (i == 0 ? "" : ", ") + to_string(waiting[i]);
        if (waiting.size() > most_threads) text += ", ...";
    }
    return text;
}

}  // namespace

std::string demangle_kernel(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
    return status == 0 ? name.get() : symbol;
}

std::string kernel_name(const Launch& launch) { return demangle_kernel(launch.kernel.name); }

const char* describe_timeout() {
    static const std::string text = [] {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%g", spin_timeout());
        return std::string("no thread has made progress for ") + seconds +
               " seconds (KBUILD_CPU_TIMEOUT)";
    }();
    return text.c_str();
}

std::string to_string(const kbuild_dim3& index) {
    return "(" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
           std::to_string(index.z) + ")";
}

std::string describe(const kbuild_cpu_call& call, std::uint64_t mask) {
    std::string text = call.function;
    if (mask != 0) {
        char digits[24];
        std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(mask));
        text += std::string(" with mask ") + digits;
    }
    if (call.file != nullptr)
        text += std::string(" at ") + call.file + ":" + std::to_string(call.line);
    return text;
}

std::string describe_waits(const Launch& launch, const char* problem,
                           const std::vector<Block*>& blocks, const Tasks& tasks) {
    std::string text =
        "kbuild: kernel " + kernel_name(launch) + ": " + problem + "; these threads wait:";
    for (std::size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i)
        text += describe_block(*blocks[i], tasks);
    if (blocks.size() > most_blocks)
        text +=
            "\n  and threads of " + std::to_string(blocks.size() - most_blocks) + " more blocks";
    return text + "\n";
}

}  // namespace kbuild::cpu
