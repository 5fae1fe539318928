#include "crashes/describe_stop.hpp"

#include "crashes/line_file.hpp"
#include "launches/report.hpp"
#include "loader.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

// Linux maps nothing there (vm.mmap_min_addr).
constexpr std::uintptr_t end_of_null_page = 65536;
// A larger distance means that the pointer has nothing to do with the allocation.
constexpr std::uintptr_t farthest_allocation = std::uintptr_t{1} << 36;

struct SignalName {
    int number;
    const char* name;
    const char* text;
};

constexpr SignalName signal_names[] = {
    {SIGSEGV, "SIGSEGV", "segmentation fault"},
    {SIGBUS, "SIGBUS", "bus error"},
    {SIGFPE, "SIGFPE", "arithmetic error"},
    {SIGILL, "SIGILL", "illegal instruction"},
    {SIGABRT, "SIGABRT", "abort"},
};

const SignalName& name_signal(int number) noexcept {
    for (const auto& row : signal_names)
        if (row.number == number) return row;
    static constexpr SignalName unknown = {0, "a signal", "unknown"};
    return unknown;
}

std::string describe_signal(int number) {
    const auto& signal = name_signal(number);
    return std::string(signal.name) + " (" + signal.text + ")";
}

std::string to_hexadecimal(std::uintptr_t number) {
    char digits[24];
    std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(number));
    return digits;
}

std::uintptr_t load_address(std::uintptr_t address, std::string* path = nullptr) {
    const auto object = find_object(reinterpret_cast<const void*>(address));
    if (path != nullptr) *path = object.path;
    return object.base;
}

std::string describe_line(const SourceLine& line) {
    return line.file + ":" + std::to_string(line.line);
}

struct Location {
    SourceLine line = {"", 0};
    std::string text;  // such as " at saxpy.cu:12", or empty
    std::string note;
};

// Finds the current line, if it is in the image. The closest line of the project's own sources can be
// that of a call, whose return address is in a register or near the top of the stack.
FoundLines find_last_lines(const Stop& stop, const LineFile& file, std::uintptr_t base) {
    const auto find_line_of = [&](std::uintptr_t instruction) {
        return load_address(instruction) == base ? file.find(instruction - base) : FoundLines{};
    };
    auto lines = find_line_of(stop.program_counter);
    const auto add_call = [&](std::uintptr_t return_address) {
        auto call = find_line_of(return_address - 1);
        if (call.own) lines.own = std::move(call.own);
    };
    if (!lines.own) add_call(stop.link_register);
    for (const auto word : stop.stack_words) {
        if (lines.own) break;
        add_call(word);
    }
    return lines;
}

Location find_location(const Stop& stop) {
    std::string path;
    const auto base = load_address(reinterpret_cast<std::uintptr_t>(stop.image), &path);
    if (base == 0) return {};
    const LineFile file(path);
    const auto lines = find_last_lines(stop, file, base);
    if (!lines.own && !lines.innermost) return {};
    const auto& best = lines.own ? *lines.own : *lines.innermost;
    const bool is_exact = lines.innermost && describe_line(best) == describe_line(*lines.innermost);
    Location location;
    location.line = best;
    location.text = (is_exact ? " at " : " near ") + describe_line(best);
    if (lines.innermost && best.file != lines.innermost->file)
        location.text += " (in " + describe_line(*lines.innermost) + ")";
    const auto changed = file.find_changed_source(best.file);
    if (!changed.empty())
        location.note =
            "\n  the line can be wrong: " + changed + " has changed since this kernel was compiled";
    return location;
}

std::string describe_place(const Stop& stop) {
    return "block " + to_string(stop.block) + ", thread " +
           (is_known(stop.thread)
                ? to_string(stop.thread)
                : "unknown, because one loop runs all threads of the block; build with checks "
                  "(--check, CHECK ON) to see the thread");
}

const char* name_memory(kbuild_cpu_memory_kind kind) noexcept {
    switch (kind) {
    case KBUILD_CPU_MEMORY_MANAGED: return "managed memory";
    case KBUILD_CPU_MEMORY_HOST: return "page-locked memory";
    case KBUILD_CPU_MEMORY_REGISTERED: return "registered memory";
    default: return "device memory";
    }
}

std::string count_bytes(std::uintptr_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

// Returns what the memory is: a number of bytes in front of it, in it, or behind it.
std::string compare_address(std::uintptr_t address, std::uintptr_t base, std::size_t bytes,
                            const std::string& name) {
    if (address < base) return count_bytes(base - address) + " before " + name;
    if (address - base < bytes) return count_bytes(address - base) + " into " + name;
    return count_bytes(address - base - bytes) + " past the end of " + name;
}

std::string describe_memory(const Stop& stop) {
    const auto address = stop.address;
    if (address < end_of_null_page)
        return (address == 0 ? "a null pointer" : "a null pointer plus " + count_bytes(address)) +
               std::string("; is it the result of a cudaMalloc that failed?");
    const auto found = Allocations::instance().find_nearest(reinterpret_cast<void*>(address));
    const auto base = reinterpret_cast<std::uintptr_t>(found.base);
    const auto distance = [address](std::uintptr_t start, std::size_t bytes) {
        return address < start           ? start - address
               : address - start < bytes ? 0
                                         : address - start - bytes;
    };
    if (stop.shared != 0 && distance(stop.shared, stop.shared_bytes) <= most_shared_bytes)
        return compare_address(
            address, stop.shared, stop.shared_bytes,
            "the " + count_bytes(stop.shared_bytes) + " of dynamic shared memory");
    if (found.base == nullptr || distance(base, found.bytes) > farthest_allocation)
        return "no allocation is near it; is the pointer initialized, and is it a device pointer?";
    return compare_address(address, base, found.bytes,
                           "the " + std::to_string(found.bytes) + "-byte allocation of " +
                               name_memory(found.kind) + " at " + to_hexadecimal(base));
}

std::string describe_cause(const Stop& stop) {
    if (is_overflow(stop))
        return "\n  stack overflow: the stack of a device thread has " +
               std::to_string(stop.stack_bytes) +
               " bytes; set KBUILD_CPU_STACK_BYTES to enlarge it";
    if (stop.sender != 0 && stop.signal != SIGABRT)
        return "\n  process " + std::to_string(stop.sender) + " sent the signal";
    if (stop.signal == SIGFPE && (stop.code == FPE_INTDIV || stop.code == FPE_INTOVF))
        return "\n  an integer division by zero, or one whose result is too large";
    if (stop.signal == SIGILL) return "\n  __builtin_trap(), or code that cannot be reached";
    if (stop.signal != SIGSEGV && stop.signal != SIGBUS) return "";
    if (!stop.has_address) return "\n  the address is not valid on this processor, or is unknown";
    return "\n  address " + to_hexadecimal(stop.address) + ": " + describe_memory(stop);
}

// Returns a line about the allocation that is nearest to an address that nobody can access.
std::string describe_allocation(const Stop& stop) {
    if ((stop.signal != SIGSEGV && stop.signal != SIGBUS) || !stop.has_address ||
        stop.sender != 0 || is_overflow(stop) || stop.address < end_of_null_page)
        return "";
    const auto found = Allocations::instance().find_nearest(reinterpret_cast<void*>(stop.address));
    const auto origin = found.base == nullptr ? "" : find_origin(found.base);
    return "\n  " + (origin.empty() ? "" : "the allocation is of " + origin + "; ") +
           "checks show the access and its thread (--check, CHECK ON, or check=True in Python)";
}

// A text of limited size, for places that cannot allocate memory.
class RawText {
public:
    void add(const char* text) noexcept {
        for (; *text != '\0' && size_ < sizeof text_; ++text) text_[size_++] = *text;
    }
    void add_number(std::uint64_t number, unsigned base) noexcept {
        char digits[24];
        auto* place = digits + sizeof digits;
        *--place = '\0';
        do *--place = "0123456789abcdef"[number % base];
        while ((number /= base) != 0);
        add(place);
    }
    void write() const noexcept { write_report(text_, size_); }

private:
    char text_[longest_kernel_name + 256];
    std::size_t size_ = 0;
};

std::string describe_seconds(double seconds) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%g s", seconds);
    return digits;
}

}  // namespace

bool is_in_image(const Stop& stop) {
    const auto base = load_address(reinterpret_cast<std::uintptr_t>(stop.image));
    return base != 0 && load_address(stop.program_counter) == base;
}

CrashParts describe_parts(const Stop& stop) {
    const auto cause = describe_cause(stop);
    return {describe_signal(stop.signal), find_location(stop).line,
            cause.substr(std::min(cause.size(), cause.find_first_not_of("\n ")))};
}

std::string describe_crash(const Stop& stop) {
    const auto location = find_location(stop);
    return "kbuild: kernel " + demangle_kernel(stop.kernel) + ": " + describe_signal(stop.signal) +
           location.text + "\n  " + describe_place(stop) + describe_cause(stop) +
           describe_allocation(stop) + location.note + "\n";
}

std::string describe_long_run(const Stop& stop, double seconds) {
    const auto location = find_location(stop);
    return "kbuild: kernel " + demangle_kernel(stop.kernel) + " has been running for " +
           describe_seconds(seconds) + " in block " + to_string(stop.block) + location.text +
           "; if it does not end, set KBUILD_CPU_TIMEOUT to the number of seconds that a block can "
           "take" +
           location.note + "\n";
}

std::string describe_limit(const Stop& stop, double seconds, bool ends_program) {
    const auto location = find_location(stop);
    return "kbuild: kernel " + demangle_kernel(stop.kernel) + " has run for longer than " +
           describe_seconds(seconds) + " (KBUILD_CPU_TIMEOUT)" + location.text + "\n  " +
           describe_place(stop) + location.note + "\n  " +
           (ends_program
                ? "the program ends, because the kernel does not return from a library function"
                : "the launch ends") +
           "\n";
}

void write_report(const char* text, std::size_t size) noexcept {
    while (size > 0) {
        const auto written = ::write(STDERR_FILENO, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text += written;
        size -= static_cast<std::size_t>(written);
    }
}

void write_raw_crash(const Stop& stop) noexcept {
    RawText text;
    text.add("kbuild: kernel ");
    text.add(stop.kernel);
    text.add(": ");
    text.add(name_signal(stop.signal).name);
    text.add("\n  block (");
    text.add_number(stop.block.x, 10);
    text.add(", ");
    text.add_number(stop.block.y, 10);
    text.add(", ");
    text.add_number(stop.block.z, 10);
    text.add("), instruction 0x");
    text.add_number(stop.program_counter, 16);
    if (stop.has_address) {
        text.add(", address 0x");
        text.add_number(stop.address, 16);
    }
    text.add("\n");
    text.write();
}

}  // namespace kbuild::cpu
