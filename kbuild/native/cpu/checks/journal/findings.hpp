// What the checks have found, and the file that reports read.
#ifndef KBUILD_CPU_CHECKS_FINDINGS_HPP
#define KBUILD_CPU_CHECKS_FINDINGS_HPP

#include "fork_safe_mutex.hpp"
#include "checks/journal/journal.hpp"

#include <kbuild/module.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <sys/types.h>
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

// How often the program has launched a kernel, and what became of it.
struct LaunchedKernel {
    std::uint64_t queued = 0;
    std::uint64_t refused = 0;  // by the function that launches
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
    std::uint64_t failed = 0;     // of those that ended
    std::uint64_t unchecked = 0;  // of those that started
    std::uint64_t blocks = 0;
    std::uint64_t threads = 0;
    std::string model = "unknown";  // how the threads of a block run
    Journal::Line line = {};
};

// Any thread can call the functions.
class Findings {
public:
    // Starts the file of this process if a directory is set. Otherwise, findings go to stderr, and forked
    // processes share whether one of them has an error.
    explicit Findings(bool is_forked = false);

    // Adds the finding, or counts it if there is one with the same cause: the rule, the kernel, and the
    // lines. Returns whether it is new.
    bool add(Finding finding, std::uint64_t key = 0);
    // Returns whether a finding with this key has been added, and counts it. The key is a cheap name of the
    // cause, which the caller adds when it reports the finding.
    bool count_again(std::uint64_t key);

    void note_queued(const std::string& kernel);
    void note_refused(const std::string& kernel);
    // Notes a launch before it starts, so that a crash names its kernel.
    void begin_launch(const std::string& kernel, const std::string& model, std::uint64_t blocks,
                      std::uint64_t threads, bool is_checked);
    void end_launch(const std::string& kernel, bool has_failed);
    // Returns the number of findings about a kernel since the last call of begin_launch.
    std::uint64_t count_since_launch() const;
    // Notes an instrumented image that the process has loaded.
    void note_image();
    void note_fork();
    // Changes the number of allocations that the program has not freed.
    void count_memory(int change);
    // Notes the signal that ends the process. Signal handlers can call this.
    void note_signal(int number) noexcept;
    // Says what these checks do not cover.
    void note_limit(const std::string& limit);
    // Notes the lines of a source with accesses, and whether they have run.
    void note_lines(const std::string& source, const std::map<unsigned, bool>& lines);
    // Notes the end of the process. Until then, the checks for leaks have not run.
    void note_end();

    // Waits up to 5 s for processes that others have forked, if this is the first process of a program that runs alone.
    void await_forked() const;
    // Returns whether a finding is a mistake, and not only a warning or a gap in what was checked, also of a
    // forked process.
    bool has_errors() const noexcept;
    // Returns whether no kernel ran in the process, or in the processes that it has forked.
    bool has_checked_nothing() const;

    // Returns the number of the process that these findings are about.
    pid_t process() const noexcept { return process_.number; }

    // Forgets what the parent of a forked process has found.
    void restart();

private:
    struct Process {
        pid_t number = 0;
        std::uint64_t images = 0;
        std::uint64_t forks = 0;
        std::int64_t memory = 0;
        std::uint64_t omitted = 0;
        bool is_forked = false;
        bool has_ended = false;
        Journal::Line line = {};
    };

    void start(bool is_forked);
    void put(Journal::Line& line, const std::string& text);
    void write_process();
    void write_kernel(const std::string& name, LaunchedKernel& kernel);
    void write_counts();
    void count(std::size_t place);

    mutable ForkSafeMutex mutex_{LockRank::findings};
    Journal journal_;
    Process process_;
    std::vector<Finding> findings_;
    std::vector<Journal::Line> lines_;    // of the findings
    std::vector<std::size_t> recounted_;  // findings that were counted since they were written
    std::map<std::string, std::size_t> causes_;
    std::unordered_map<std::uint64_t, std::size_t> keys_;
    std::map<std::string, LaunchedKernel> kernels_;
    std::map<std::string, Journal::Line> limits_;
    std::map<std::string, Journal::Line> sources_;
    std::uint64_t since_launch_ = 0;
};

// Returns the text of a finding, with its rule.
std::string describe(const Finding& finding);

}  // namespace kbuild::cpu::checks

#endif
