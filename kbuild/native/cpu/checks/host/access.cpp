// Checks the accesses of instrumented host code.
#include "api/exported.hpp"

#include "checks/checker.hpp"

#include "crashes/callers.hpp"
#include "crashes/line_file.hpp"
#include "loader.hpp"
#include "registry.hpp"

#include <kbuild/cpu_runtime.h>

#include <cstring>

namespace kbuild::cpu::checks {

// The program has no name in the list of objects.
SourceLine find_host_line(const void* site) {
    const auto object = find_object(site);
    const LineFile file(object.path.empty() ? "/proc/self/exe" : object.path);
    const auto found = file.find(reinterpret_cast<std::uintptr_t>(site) - object.base - 1);
    return found.innermost.value_or(SourceLine{"", 0});
}

void Checker::check_host_access(const void* address, std::size_t bytes, bool writes, bool is_flag,
                                const void* site) {
    if (bytes == 0) return;
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    if (!arena_.contains(address)) return;
    std::string memory;
    if (is_host_memory(place, memory)) return check_host_use(place, bytes, writes, is_flag, site);
    if (!settings_.memory || memory.empty()) return;
    if (findings_.count_again(reinterpret_cast<std::uintptr_t>(site))) return;
    const auto line = find_host_line(site);
    Finding finding;
    finding.rule = "KC106";
    finding.message = "host code accesses memory of the device";
    finding.memory = std::move(memory);
    finding.place.action = std::string(writes ? "write" : "read") + " of " + count_bytes(bytes);
    finding.place.file = line.file;
    finding.place.line = line.line;
    findings_.add(std::move(finding), reinterpret_cast<std::uintptr_t>(site));
}

// Returns whether the host can access the memory. Otherwise, says what it is, if it is an allocation.
bool Checker::is_host_memory(std::uintptr_t place, std::string& memory) const {
    // Addresses are not used again, so memory that the host can access remains such memory.
    static thread_local std::uintptr_t allowed_start = 0;
    static thread_local std::size_t allowed_bytes = 0;
    if (place - allowed_start < allowed_bytes) return true;
    const std::lock_guard lock(memory_mutex_);
    const auto* const found = history_.find(place);
    if (found == nullptr || place - found->start >= found->bytes) return false;
    if (found->kind != KBUILD_CPU_MEMORY_DEVICE) {
        allowed_start = found->start;
        allowed_bytes = found->bytes;
        return true;
    }
    memory =
        compare_address(place, found->start, found->bytes,
                        (found->is_free ? "the freed memory of " : "") + name_allocation(*found));
    return false;
}

void Checker::report_invalid_copy(const std::string& problem, const void* address) {
    report_invalid_call("KC107", problem, address);
}

bool Checker::check_library_access(const std::string& function, const std::string& parameter,
                                   const void* start, std::size_t bytes, bool writes) {
    if (!settings_.memory || bytes == 0) return false;
    const auto describe = [&](const std::string& problem) {
        return function + (writes ? " writes " : " reads ") + count_bytes(bytes) + " at '" +
               parameter + "', " + problem;
    };
    std::string problem;
    {
        const auto place = reinterpret_cast<std::uintptr_t>(start);
        const std::lock_guard lock(memory_mutex_);
        const auto* const found = history_.find(place);
        if (found == nullptr || place - found->start >= found->bytes) {
            if (Registry::instance().has_variable_at(start)) return false;
            problem = describe("which is not memory of the device");
        } else if (found->is_free) {
            problem = describe("which the program has freed");
        } else if (bytes > found->bytes - (place - found->start)) {
            problem = describe("where only " + count_bytes(found->bytes - (place - found->start)) +
                               " are left");
        } else {
            return false;
        }
    }
    report_invalid_call("KC112", problem, start);
    return true;
}

void Checker::report_invalid_free(const std::string& problem, const void* address) {
    report_invalid_call("KC108", problem, address);
}

void Checker::report_invalid_handle(const char* problem) {
    report_invalid_call("KC111", problem, nullptr);
}

void Checker::report_invalid_call(const char* rule, const std::string& problem,
                                  const void* address) {
    if (!settings_.memory) return;
    Finding finding;
    finding.rule = rule;
    finding.message = problem;
    if (const auto line = find_line_of(list_callers())) {
        finding.place.action = "call";
        finding.place.file = line->file;
        finding.place.line = line->line;
    }
    {
        const auto place = reinterpret_cast<std::uintptr_t>(address);
        const std::lock_guard lock(memory_mutex_);
        const auto* const found = history_.find(place);
        if (found != nullptr && place - found->start < found->bytes)
            finding.memory = compare_address(
                place, found->start, found->bytes,
                (found->is_free ? "the freed memory of " : "") + name_allocation(*found));
    }
    findings_.add(std::move(finding));
}

}  // namespace kbuild::cpu::checks

// What host texts call; see device/cpu/mixed/host_checks.h.
using kbuild::cpu::checks::Checker;

void kbuild_cpu_start_checks(std::uintptr_t* start, std::size_t* bytes) {
    try {
        kbuild::cpu::checks::start();
        Checker::instance().note_host_texts();
        const auto& region = Checker::instance().arena().region();
        *start = region.start;
        *bytes = region.bytes;
    } catch (const std::exception&) {
        // The first launch reports the problem.
    }
}

void kbuild_cpu_check_host_access(const void* address, std::size_t bytes, int writes,
                                  const void* site) {
    auto* const checker = Checker::find();
    if (checker == nullptr) return;
    if ((writes & 1) == 0) checker->check_host_read(address, bytes, site);
    checker->check_host_access(address, bytes, (writes & 1) != 0, (writes & 2) != 0, site);
}

int kbuild_cpu_check_library_access(const char* function, const char* parameter, const void* start,
                                    std::size_t bytes, int writes) {
    auto* const checker = Checker::find();
    return checker != nullptr &&
           checker->check_library_access(function, parameter, start, bytes, writes != 0);
}

void* kbuild_cpu_move_for_host(void* to, const void* from, std::size_t bytes, const void* site) {
    if (auto* const checker = Checker::find()) {
        checker->check_host_access(from, bytes, false, false, site);
        checker->check_host_access(to, bytes, true, false, site);
        checker->note_host_move(reinterpret_cast<std::uintptr_t>(to),
                                reinterpret_cast<std::uintptr_t>(from), bytes);
    }
    return std::memmove(to, from, bytes);
}

void* kbuild_cpu_fill_for_host(void* to, int value, std::size_t bytes, const void* site) {
    kbuild_cpu_check_host_access(to, bytes, 1, site);
    return std::memset(to, value, bytes);
}
