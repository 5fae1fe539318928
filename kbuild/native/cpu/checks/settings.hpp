// What the environment requests from the checks.
#ifndef KBUILD_CPU_CHECKS_SETTINGS_HPP
#define KBUILD_CPU_CHECKS_SETTINGS_HPP

#include <string>

namespace kbuild::cpu::checks {

struct Settings {
    bool is_requested =
        false;  // whether a variable is set; else, an instrumented image starts them
    bool memory = true;
    bool race = true;
    bool barrier = true;
    bool init = true;
    bool leak = true;
    bool arithmetic = true;
    std::string report_directory;  // each process writes a file; if empty, findings go to stderr
};

// Reads KBUILD_CHECK and KBUILD_CHECK_REPORT once. If a check is unknown, the process ends with status 2 and a
// message.
const Settings& settings() noexcept;

}  // namespace kbuild::cpu::checks

#endif
