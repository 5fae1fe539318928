#include "checks/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

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

Settings read_settings() {
    Settings settings;
    const char* names = std::getenv("KBUILD_CHECK");
    const char* directory = std::getenv("KBUILD_CHECK_REPORT");
    if (directory != nullptr) settings.report_directory = directory;
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
