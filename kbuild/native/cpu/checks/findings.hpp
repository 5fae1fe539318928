// What the checks have found, and the file that reports read.
#ifndef KBUILD_CPU_CHECKS_FINDINGS_HPP
#define KBUILD_CPU_CHECKS_FINDINGS_HPP

#include <kbuild/module.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace kbuild::cpu::checks {

struct Place {
    std::string file;  // empty if the line is unknown
    unsigned line = 0;
    bool has_thread = false;
    kbuild_dim3 block = {};
    kbuild_dim3 thread = {};
    std::string action;  // such as "write of 4 bytes"
};

struct Finding {
    const char* rule = "";  // such as "KC201"
    std::string kernel;     // empty if it is not about one
    std::string message;
    std::string memory;  // what the address is, or empty
    Place place;
    Place other;  // the other access of a race; for other findings, it has no action
    std::uint64_t count = 1;
};

struct LaunchedKernel {
    std::uint64_t launches = 0;
    std::uint64_t threads = 0;
};

class Findings {
public:
    // Adds the finding, or counts it if there is one with the same cause: the rule, the kernel, and the
    // lines. Returns whether it is new.
    bool add(Finding finding, std::uint64_t key = 0);
    // Returns whether a finding with this key has been added, and counts it. The key is a cheap name of the
    // cause, which the caller adds when it reports the finding.
    bool count_again(std::uint64_t key) {
        const auto found = keys_.find(key);
        if (found == keys_.end()) return false;
        count(found->second);
        return true;
    }
    void note_launch(const std::string& kernel, std::uint64_t threads);
    // Notes an instrumented image that the process has loaded.
    void note_image();
    // Says what these checks do not cover.
    void note_limit(const std::string& limit);

    // Returns whether a finding is not only a warning.
    bool has_errors() const;

    // Forgets what the parent of a forked process has found.
    void restart();

    // Writes the file of this process if a directory is set.
    void write();
    // The same, but if only the numbers of launches have changed, at most once per second.
    void write_changes();
    // Prints the findings to stderr if no directory is set.
    void print() const;

private:
    void count(std::size_t place) {
        if (place < findings_.size()) ++findings_[place].count;
        is_changed_ = true;
    }

    bool is_changed_ = false;
    std::chrono::steady_clock::time_point written_;
    std::vector<Finding> findings_;
    std::map<std::string, std::size_t> causes_;
    std::unordered_map<std::uint64_t, std::size_t> keys_;
    std::map<std::string, LaunchedKernel> kernels_;
    std::map<std::string, std::uint64_t> limits_;
    std::uint64_t images_ = 0;
    std::uint64_t omitted_ = 0;
};

// Returns the text of a finding, with its rule.
std::string describe(const Finding& finding);

}  // namespace kbuild::cpu::checks

#endif
