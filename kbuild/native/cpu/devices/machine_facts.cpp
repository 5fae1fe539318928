#include "devices/machine_facts.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

// Returns the text after "key:" in a file with one entry per line, or an empty string.
std::string read_entry(const char* file, const char* key) {
    std::FILE* const content = std::fopen(file, "re");
    if (content == nullptr) return "";
    std::string entry;
    char line[512];
    while (entry.empty() && std::fgets(line, sizeof line, content) != nullptr) {
        const char* const colon = std::strchr(line, ':');
        if (std::strncmp(line, key, std::strlen(key)) != 0 || colon == nullptr) continue;
        const char* const start = colon + 1 + std::strspn(colon + 1, " \t");
        entry.assign(start, std::strcspn(start, "\n"));
    }
    std::fclose(content);
    return entry;
}

// Returns the number in a file, or `otherwise` for "max" and if there is no such file.
std::size_t read_number(const char* file, std::size_t otherwise) {
    std::FILE* const content = std::fopen(file, "re");
    if (content == nullptr) return otherwise;
    unsigned long long number = 0;
    const bool is_number = std::fscanf(content, "%llu", &number) == 1;
    std::fclose(content);
    return is_number ? static_cast<std::size_t>(number) : otherwise;
}

}  // namespace

ProcessorFacts read_processor_facts() {
    ProcessorFacts facts = {read_entry("/proc/cpuinfo", "model name"), 0, 0};
    if (facts.name.empty()) facts.name = "Processor";
    facts.clock_khz =
        static_cast<int>(read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 0));
    if (facts.clock_khz == 0)
        facts.clock_khz =
            static_cast<int>(std::atof(read_entry("/proc/cpuinfo", "cpu MHz").c_str()) * 1000);
    if (facts.clock_khz == 0) facts.clock_khz = 1000000;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const auto cache = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
    facts.last_level_cache_bytes = static_cast<int>(std::clamp(cache, 0L, 0x7FFFFFFFL));
#endif
    return facts;
}

MemoryFacts read_memory_facts() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto total = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page;
    auto free = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
    const auto available =
        std::strtoull(read_entry("/proc/meminfo", "MemAvailable").c_str(), nullptr, 10);  // in KiB
    if (available != 0) free = available * 1024;
    const auto limit = std::min(read_number("/sys/fs/cgroup/memory.max", total), total);
    const auto used = read_number("/sys/fs/cgroup/memory.current", 0);
    return {std::min(free, limit - std::min(limit, used)), limit};
}

}  // namespace kbuild::cpu
