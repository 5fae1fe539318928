// What becomes of launches, besides what their kernels do.
#include "api/exported.hpp"

#include "checks/checker.hpp"

#include "api/errors.hpp"
#include "crashes/describe_stop.hpp"
#include "launches/report.hpp"

#include <kbuild/cpu_runtime.h>

#include <cstring>
#include <string>

namespace kbuild::cpu::checks {
namespace {

struct LaunchPlace {
    const char* file;
    unsigned line;
};

// Of the launch that the thread makes; see note_launch_place.
thread_local LaunchPlace launch_place = {nullptr, 0};

Findings* findings_of_process() { return is_active() ? &Checker::instance().findings() : nullptr; }

// Returns an empty name for a kernel that does not exist.
std::string name_kernel(const void* handle) {
    try {
        return demangle_kernel(KernelUse(handle).kernel().name);
    } catch (const std::exception&) {
        return "";
    }
}

}  // namespace

void note_queued(const KernelCall& call) {
    auto* const findings = findings_of_process();
    if (findings != nullptr && call.use)
        findings->note_queued(demangle_kernel(call.use->kernel().name));
}

void note_launch_place(const char* file, unsigned line) noexcept { launch_place = {file, line}; }

void report_refused(const void* handle, int code, const char* detail) noexcept {
    const std::string problem = detail;  // loading the kernel can fail with another text
    auto* const findings = findings_of_process();
    if (findings == nullptr) return;
    Finding finding;
    finding.rule = "KC704";
    if (handle != nullptr) {
        finding.kernel = name_kernel(handle);
        findings->note_refused(finding.kernel);
    }
    finding.message = std::string(handle == nullptr ? "the launch of a graph" : "the launch") +
                      " is refused: " + kbuild_cpu_error_name(code) + ": " + problem;
    if (launch_place.file != nullptr) {
        finding.place.action = "launch";
        finding.place.file = launch_place.file;
        finding.place.line = launch_place.line;
    }
    findings->add(std::move(finding));
}

// The thread that crashed has stopped, possibly while it changes the findings.
void report_crash(const Stop& stop) {
    auto* const checker = Checker::find();
    if (checker == nullptr) return;
    Finding finding;
    finding.rule = "KC705";
    finding.kernel = demangle_kernel(stop.kernel);
    const auto crash = describe_parts(stop);
    finding.message = "the kernel crashes: " + crash.signal;
    finding.memory = crash.cause;
    finding.place.action = "crash";
    finding.place.file = crash.line.file;
    finding.place.line = crash.line.line;
    finding.place.block = stop.block;
    finding.place.thread = stop.thread;
    finding.place.has_thread = is_known(stop.thread);
    checker->findings().add(std::move(finding));
}

void note_signal(int number) noexcept {
    if (auto* const checker = Checker::find()) checker->findings().note_signal(number);
}

}  // namespace kbuild::cpu::checks

void kbuild_cpu_note_launch(const char* file, unsigned line) {
    kbuild::cpu::checks::note_launch_place(file, line);
}
