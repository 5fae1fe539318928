#include "checks/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>

namespace kbuild::cpu::checks {
namespace {

constexpr const char* expected = "memory, race, barrier, init, leak, arithmetic";
constexpr int bad_usage = 2;

bool* find_check(Settings& settings, std::string_view name) {
    if (name == "memory") return &settings.memory;
    if (name == "race") return &settings.race;
    if (name == "barrier") return &settings.barrier;
    if (name == "init") return &settings.init;
    if (name == "leak") return &settings.leak;
    if (name == "arithmetic") return &settings.arithmetic;
    return nullptr;
}

// Ends the process. An error of the runtime would not do: programs ignore errors, and a run that checks
// nothing would look like one without findings. Exit handlers could need the settings.
[[noreturn]] void reject(const char* names, std::string_view name) {
    std::fflush(nullptr);
    std::fprintf(stderr,
                 "kbuild: error: KBUILD_CHECK=%s: unknown check '%.*s'; expected some of %s\n",
                 names, static_cast<int>(name.size()), name.data(), expected);
    std::_Exit(bad_usage);
}

void select(Settings& settings, const char* value) {
    settings.memory = settings.race = settings.barrier = false;
    settings.init = settings.leak = settings.arithmetic = false;
    std::string_view names = value;
    while (!names.empty()) {
        const auto name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        bool* const check = find_check(settings, name);
        if (check == nullptr) reject(value, name);
        *check = true;
    }
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the parent of a process, or 0. The name of its program can contain spaces and parentheses.
int find_parent(int process) {
    const auto status = read_file("/proc/" + std::to_string(process) + "/stat");
    const auto name_end = status.rfind(')');
    int parent = 0;
    if (name_end == std::string::npos ||
        std::sscanf(status.c_str() + name_end + 1, " %*c %d", &parent) != 1)
        return 0;
    return parent;
}

// Programs start others with an environment of their own, whose findings belong to the same report. So the variable is
// also looked for in what the processes before this one have started with.
std::string find_report_directory() {
    if (const char* const directory = std::getenv("KBUILD_CHECK_REPORT")) return directory;
    const std::string start = std::string(1, '\0') + "KBUILD_CHECK_REPORT=";
    for (int process = find_parent(getpid()); process > 1; process = find_parent(process)) {
        const auto variables = '\0' + read_file("/proc/" + std::to_string(process) + "/environ");
        const auto place = variables.find(start);
        if (place != std::string::npos) return variables.c_str() + place + start.size();
    }
    return "";
}

Settings read_settings() {
    Settings settings;
    const char* names = std::getenv("KBUILD_CHECK");
    settings.report_directory = find_report_directory();
    settings.is_requested = !settings.report_directory.empty();
    if (names != nullptr && *names != '\0') {
        settings.is_requested = true;
        if (std::string_view(names) != "all") select(settings, names);
    }
    return settings;
}

}  // namespace

const Settings& settings() noexcept {
    static const Settings* const read = new Settings(read_settings());  // exit handlers use it
    return *read;
}

}  // namespace kbuild::cpu::checks
