#include "checks/journal/findings.hpp"

#include "checks/settings.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t most_findings = 1000;
// The rules of warnings and of gaps, as in kbuild/check/rules.py. They do not end a program that runs alone with 1.
constexpr std::string_view harmless[] = {"KC204", "KC205", "KC304", "KC706",
                                         "KC707", "KC708", "KC709"};

constexpr std::size_t most_awaited = 256;
constexpr std::chrono::seconds patience(5);
constexpr std::chrono::milliseconds pause(10);

// What the processes of a program that runs alone have in common.
struct Family {
    const pid_t first = getpid();
    std::atomic<bool> has_errors{false};
    std::atomic<bool> has_launches{false};
    std::atomic<std::size_t> forks{0};   // as their parents have counted them
    std::atomic<std::size_t> forked{0};  // those that have entered their numbers
    std::array<std::atomic<pid_t>, most_awaited> numbers{};
};

Family* share_family() {
    void* const memory =
        mmap(nullptr, sizeof(Family), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? new Family : new (memory) Family;
}

// Created before the process forks, and never freed.
Family& family() {
    static Family* const shared = share_family();
    return *shared;
}

std::string quote(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (code < 0x20) {
            char digits[8];
            std::snprintf(digits, sizeof digits, "\\u%04x", static_cast<unsigned>(code));
            quoted += digits;
        } else {
            quoted += c;
        }
    }
    return quoted + "\"";
}

std::string write_index(const kbuild_dim3& index) {
    return "[" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " +
           std::to_string(index.z) + "]";
}

std::string write_place(const Place& place) {
    if (place.action.empty() && place.file.empty() && !place.has_thread) return "null";
    std::string text = "{\"action\": " + quote(place.action);
    text += ", \"file\": " + (place.file.empty() ? std::string("null") : quote(place.file));
    text += ", \"line\": " + (place.line == 0 ? std::string("null") : std::to_string(place.line));
    text += ", \"block\": " + (place.has_thread ? write_index(place.block) : std::string("null"));
    text += ", \"thread\": " + (place.has_thread ? write_index(place.thread) : std::string("null"));
    return text + "}";
}

std::string write_finding(const Finding& finding) {
    return "{\"rule\": " + quote(finding.rule) + ", \"kernel\": " + quote(finding.kernel) +
           ", \"message\": " + quote(finding.message) + ", \"memory\": " + quote(finding.memory) +
           ", \"place\": " + write_place(finding.place) +
           ", \"other\": " + write_place(finding.other) +
           ", \"count\": " + std::to_string(finding.count) + "}";
}

std::string line_of(const Place& place) { return place.file + ":" + std::to_string(place.line); }

// The order of two accesses of a race is a matter of chance.
std::string cause_of(const Finding& finding) {
    auto first = line_of(finding.place), second = line_of(finding.other);
    if (!finding.other.action.empty() && second < first) std::swap(first, second);
    const auto lines = first + "\n" + second;
    std::string text = std::string(finding.rule) + "\n" + finding.kernel + "\n" + lines;
    // A line can refuse several launches, for different reasons.
    const bool needs_message = finding.kernel.empty() || std::strcmp(finding.rule, "KC704") == 0;
    return needs_message ? text + "\n" + finding.message : text;
}

std::string describe_place(const Place& place) {
    std::string text = place.action;
    if (!place.file.empty()) text += " at " + line_of(place);
    if (place.has_thread) {
        const auto index = [](const kbuild_dim3& i) {
            return "(" + std::to_string(i.x) + ", " + std::to_string(i.y) + ", " +
                   std::to_string(i.z) + ")";
        };
        text += " by block " + index(place.block) + ", thread " + index(place.thread);
    }
    return text;
}

}  // namespace

std::string describe(const Finding& finding) {
    std::string text = std::string("kbuild: ") + finding.rule;
    if (!finding.kernel.empty()) text += ": kernel " + finding.kernel;
    text += ": " + finding.message;
    if (!finding.place.action.empty()) text += "\n  " + describe_place(finding.place);
    if (!finding.other.action.empty()) text += "\n  " + describe_place(finding.other);
    if (!finding.memory.empty()) text += "\n  " + finding.memory;
    return text + "\n";
}

namespace {

bool is_harmless(const Finding& finding) {
    return std::find(std::begin(harmless), std::end(harmless), finding.rule) != std::end(harmless);
}

// A run whose report cannot be written would look like one without findings.
[[noreturn]] void fail_to_write(const std::string& directory) {
    std::fflush(nullptr);
    std::fprintf(stderr,
                 "kbuild: error: KBUILD_CHECK_REPORT=%s: cannot write what the checks find: %s\n",
                 directory.c_str(), std::strerror(errno));
    std::_Exit(2);
}

std::string program_path(const std::string& process = "self") {
    char path[PATH_MAX];
    const auto size = readlink(("/proc/" + process + "/exe").c_str(), path, sizeof path);
    return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

void enter_family(bool is_forked) {
    auto& all = family();
    if (!is_forked) return;
    const auto place = all.forked++;
    if (place < most_awaited) all.numbers[place] = getpid();
}

// Returns a process that another one has forked and that still runs the program, -1 if one has just been forked, or 0.
// A process that has ended has no program.
pid_t find_forked() {
    auto& all = family();
    if (all.forked < all.forks) return -1;
    for (const auto& number : all.numbers)
        if (number != 0 && program_path(std::to_string(number)) == program_path()) return number;
    return 0;
}

}  // namespace

Findings::Findings(bool is_forked) { start(is_forked); }

void Findings::start(bool is_forked) {
    process_.is_forked = is_forked;
    process_.number = getpid();
    const auto& directory = settings().report_directory;
    if (directory.empty()) return enter_family(is_forked);
    if (!journal_.create(directory)) fail_to_write(directory);
    write_process();
}

void Findings::put(Journal::Line& line, const std::string& text) {
    if (journal_.exists() && !journal_.write(line, text))
        fail_to_write(settings().report_directory);
}

// The signal has a fixed place; see note_signal.
void Findings::write_process() {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    put(process_.line,
        std::string("{\"signal\":  0, \"schema\": \"kbuild.check-process/2\", \"process\": ") +
            std::to_string(getpid()) + ", \"program\": " + quote(program_path()) +
            ", \"images\": " + std::to_string(process_.images) + ", \"forks\": " +
            std::to_string(process_.forks) + ", \"memory\": " + std::to_string(process_.memory) +
            ", \"omitted\": " + std::to_string(process_.omitted) + ", \"forked\": " +
            flag(process_.is_forked) + ", \"ended\": " + flag(process_.has_ended) + "}");
}

void Findings::note_signal(int number) noexcept {
    constexpr std::size_t place = 11;  // behind `{"signal": `
    const char digits[2] = {static_cast<char>(number < 10 ? ' ' : '0' + number / 10),
                            static_cast<char>('0' + number % 10)};
    journal_.overwrite(process_.line, place, digits, sizeof digits);
}

void Findings::write_kernel(const std::string& name, LaunchedKernel& kernel) {
    std::string text = "{\"kernel\": " + quote(name);
    const std::pair<const char*, std::uint64_t> numbers[] = {
        {"queued", kernel.queued},   {"refused", kernel.refused},     {"started", kernel.started},
        {"ended", kernel.ended},     {"failed", kernel.failed},       {"blocks", kernel.blocks},
        {"threads", kernel.threads}, {"unchecked", kernel.unchecked},
    };
    for (const auto& [field, number] : numbers)
        text += std::string(", \"") + field + "\": " + std::to_string(number);
    put(kernel.line, text + ", \"model\": " + quote(kernel.model) + "}");
}

bool Findings::add(Finding finding, std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    ++since_launch_;
    const auto [cause, is_new] = causes_.try_emplace(cause_of(finding), findings_.size());
    if (key != 0) keys_.emplace(key, is_new ? findings_.size() : cause->second);
    if (!is_harmless(finding)) family().has_errors = true;
    if (!is_new) {
        count(cause->second);
        write_counts();
        return false;
    }
    if (findings_.size() == most_findings) {
        cause->second = most_findings;
        ++process_.omitted;
        write_process();
        return false;
    }
    if (!journal_.exists()) std::fputs(describe(finding).c_str(), stderr);
    lines_.emplace_back();
    put(lines_.back(), write_finding(finding));
    findings_.push_back(std::move(finding));
    return true;
}

bool Findings::count_again(std::uint64_t key) {
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(key);
    if (found == keys_.end()) return false;
    ++since_launch_;
    count(found->second);
    return true;
}

void Findings::count(std::size_t place) {
    if (place >= findings_.size()) return;
    if (std::find(recounted_.begin(), recounted_.end(), place) == recounted_.end())
        recounted_.push_back(place);
    ++findings_[place].count;
}

void Findings::write_counts() {
    for (const auto place : recounted_) put(lines_[place], write_finding(findings_[place]));
    recounted_.clear();
}

void Findings::note_queued(const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    auto& known = kernels_[kernel];
    ++known.queued;
    write_kernel(kernel, known);
}

void Findings::note_refused(const std::string& kernel) {
    const std::lock_guard lock(mutex_);
    auto& known = kernels_[kernel];
    ++known.refused;
    write_kernel(kernel, known);
}

void Findings::begin_launch(const std::string& kernel, const std::string& model,
                            std::uint64_t blocks, std::uint64_t threads, bool is_checked) {
    const std::lock_guard lock(mutex_);
    since_launch_ = 0;
    family().has_launches = true;
    auto& known = kernels_[kernel];
    ++known.started;
    known.model = model;
    known.blocks += blocks;
    known.threads += threads;
    if (!is_checked) ++known.unchecked;
    write_kernel(kernel, known);
}

void Findings::end_launch(const std::string& kernel, bool has_failed) {
    const std::lock_guard lock(mutex_);
    auto& known = kernels_[kernel];
    ++known.ended;
    if (has_failed) ++known.failed;
    write_kernel(kernel, known);
    write_counts();
}

std::uint64_t Findings::count_since_launch() const {
    const std::lock_guard lock(mutex_);
    return since_launch_;
}

void Findings::note_image() {
    const std::lock_guard lock(mutex_);
    ++process_.images;
    write_process();
}

void Findings::note_fork() {
    const std::lock_guard lock(mutex_);
    ++process_.forks;
    if (!journal_.exists()) ++family().forks;
    write_process();
}

void Findings::count_memory(int change) {
    const std::lock_guard lock(mutex_);
    process_.memory += change;
    write_process();
}

void Findings::note_limit(const std::string& limit) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = limits_.try_emplace(limit);
    if (is_new) put(place->second, "{\"limit\": " + quote(limit) + "}");
}

void Findings::note_lines(const std::string& source, const std::map<unsigned, bool>& lines) {
    std::string numbers[2];
    for (const auto& [line, has_run] : lines) {
        auto& list = numbers[has_run ? 1 : 0];
        list += (list.empty() ? "" : ", ") + std::to_string(line);
    }
    const std::lock_guard lock(mutex_);
    put(sources_[source], "{\"source\": " + quote(source) + ", \"run\": [" + numbers[1] +
                              "], \"not_run\": [" + numbers[0] + "]}");
}

void Findings::note_end() {
    const std::lock_guard lock(mutex_);
    process_.has_ended = true;
    write_counts();
    write_process();
}

void Findings::await_forked() const {
    if (family().first != getpid()) return;
    const auto end = std::chrono::steady_clock::now() + patience;
    pid_t running;
    while ((running = find_forked()) != 0 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(pause);
    if (running > 0)
        std::fprintf(
            stderr,
            "kbuild: process %d, which the program has forked, still runs; its findings do "
            "not change the exit status\n",
            static_cast<int>(running));
}

bool Findings::has_errors() const noexcept { return family().has_errors; }

bool Findings::has_checked_nothing() const { return !family().has_launches; }

// The content is not destroyed, because another thread could have been changing it.
void Findings::restart() {
    const auto images = process_.images;
    journal_.forget();
    new (this) Findings(true);
    process_.images = images;
    write_process();
}

}  // namespace kbuild::cpu::checks
