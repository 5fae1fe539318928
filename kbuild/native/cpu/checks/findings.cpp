#include "checks/findings.hpp"

#include "checks/settings.hpp"

#include <algorithm>
#include <cstdio>
#include <new>
#include <string_view>
#include <unistd.h>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t most_findings = 1000;
// As in kbuild/check/rules.py.
constexpr std::string_view warnings[] = {"KC204", "KC205"};

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
    return std::string(finding.rule) + "\n" + finding.kernel + "\n" + lines;
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

bool Findings::add(Finding finding, std::uint64_t key) {
    const auto [cause, is_new] = causes_.try_emplace(cause_of(finding), findings_.size());
    if (key != 0) keys_.emplace(key, is_new ? findings_.size() : cause->second);
    if (!is_new) {
        count(cause->second);
        return false;
    }
    if (findings_.size() == most_findings) {
        cause->second = most_findings;
        ++omitted_;
        return false;
    }
    findings_.push_back(std::move(finding));
    write();
    return true;
}

void Findings::note_launch(const std::string& kernel, std::uint64_t threads) {
    auto& known = kernels_[kernel];
    is_changed_ = is_changed_ || known.launches == 0;
    ++known.launches;
    known.threads += threads;
}

void Findings::note_image() {
    ++images_;
    write();
}

void Findings::note_limit(const std::string& limit) { ++limits_[limit]; }

bool Findings::has_errors() const {
    return std::any_of(findings_.begin(), findings_.end(), [](const Finding& finding) {
        return std::find(std::begin(warnings), std::end(warnings), finding.rule) ==
               std::end(warnings);
    });
}

// The content is not destroyed, because another thread could have been changing it.
void Findings::restart() {
    const auto images = images_;
    new (this) Findings;
    images_ = images;
}

void Findings::write_changes() {
    constexpr std::chrono::seconds longest(1);
    if (is_changed_ || std::chrono::steady_clock::now() - written_ > longest) write();
}

void Findings::write() {
    is_changed_ = false;
    written_ = std::chrono::steady_clock::now();
    const auto& directory = settings().report_directory;
    if (directory.empty()) return;
    const auto path = directory + "/" + std::to_string(getpid()) + ".json";
    const auto temporary = path + ".new";
    std::string text =
        "{\"schema\": \"kbuild.check-process/1\", \"images\": " + std::to_string(images_) +
        ", \"kernels\": [";
    const char* separator = "";
    for (const auto& [name, kernel] : kernels_) {
        text += separator + ("{\"name\": " + quote(name)) +
                ", \"launches\": " + std::to_string(kernel.launches) +
                ", \"threads\": " + std::to_string(kernel.threads) + "}";
        separator = ", ";
    }
    text += "], \"limits\": [";
    separator = "";
    for (const auto& [limit, count] : limits_) {
        text += separator + quote(limit);
        separator = ", ";
    }
    text += "], \"omitted\": " + std::to_string(omitted_) + ", \"findings\": [";
    separator = "\n";
    for (const auto& finding : findings_) {
        text += separator + write_finding(finding);
        separator = ",\n";
    }
    text += "]}\n";
    std::FILE* const file = std::fopen(temporary.c_str(), "we");
    if (file == nullptr) return;
    const bool is_complete = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) == 0 && is_complete) std::rename(temporary.c_str(), path.c_str());
}

void Findings::print() const {
    if (!settings().report_directory.empty()) return;
    for (const auto& finding : findings_) std::fputs(describe(finding).c_str(), stderr);
}

}  // namespace kbuild::cpu::checks
