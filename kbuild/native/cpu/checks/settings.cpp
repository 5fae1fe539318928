#include "checks/settings.hpp"

#include "api/errors.hpp"

#include <cstdlib>
#include <string_view>

namespace kbuild::cpu::checks {
namespace {

constexpr const char* expected = "memory, race, barrier, init, leak, arithmetic";

bool* find_check(Settings& settings, std::string_view name) {
    if (name == "memory") return &settings.memory;
    if (name == "race") return &settings.race;
    if (name == "barrier") return &settings.barrier;
    if (name == "init") return &settings.init;
    if (name == "leak") return &settings.leak;
    if (name == "arithmetic") return &settings.arithmetic;
    return nullptr;
}

void select(Settings& settings, std::string_view names) {
    settings.memory = settings.race = settings.barrier = false;
    settings.init = settings.leak = settings.arithmetic = false;
    while (!names.empty()) {
        const auto name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        bool* const check = find_check(settings, name);
        if (check == nullptr)
            throw Failure(KBUILD_CPU_INVALID_VALUE, "KBUILD_CHECK contains '" + std::string(name) +
                                                        "'; expected some of " + expected);
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

const Settings& settings() {
    static const Settings* const read = new Settings(read_settings());  // exit handlers use it
    return *read;
}

}  // namespace kbuild::cpu::checks
