// Finds out whether the OS threads of a launch make progress.
#ifndef KBUILD_CPU_LAUNCHES_WATCHDOG_HPP
#define KBUILD_CPU_LAUNCHES_WATCHDOG_HPP

#include "launches/launch.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace kbuild::cpu {

// Returns KBUILD_CPU_TIMEOUT in seconds, or 0 for no limit. Throws Failure.
double spin_timeout();

// How long a thread can run in one block without a call of the runtime. The time is
// KBUILD_CPU_TIMEOUT, and 0 for no limit. If the variable is not set, the kernel only gets a message.
struct RunLimit {
    double seconds;
    bool is_explicit;
};
RunLimit run_limit();

// What the reporter sees of an OS thread. The count changes with each event and each round.
struct Activity {
    std::atomic<bool> is_running{false};  // false while the thread waits
    std::atomic<std::uint64_t> count{0};

    // Only the OS thread itself writes, so it needs no atomic addition.
    void note() noexcept {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};

// The part of one OS thread. An event is anything that a thread does besides spinning: it starts,
// exits, or passes a barrier or a warp operation.
class Watchdog {
public:
    void begin(Launch& launch) noexcept;
    void end() noexcept;

    void note_event() noexcept {
        has_event_ = true;
        activity_.note();
    }

    // Call this when the OS thread starts a block.
    void note_block() noexcept {
        note_event();
        rounds_of_blocks_ = 0;
    }

    // Call this when all threads of the OS thread wait. Returns how often in a row that happened
    // without an event.
    unsigned note_round() noexcept;

    // Lets other OS threads run. Returns whether all OS threads of the launch have been idle for
    // longer than the limit.
    bool pause() noexcept;

    void set_idle(bool is_idle) noexcept;

    unsigned rounds() const noexcept { return rounds_; }

    // Returns how often that happened with the same blocks, whose threads can pass barriers. A thread
    // that has waited for long counts as several rounds.
    unsigned rounds_of_blocks() const noexcept { return rounds_of_blocks_; }
    void note_rounds_of_blocks(unsigned count) noexcept { rounds_of_blocks_ += count; }

    const Activity& activity() const noexcept { return activity_; }

private:
    using Clock = std::chrono::steady_clock;

    Launch* launch_ = nullptr;
    Activity activity_;
    bool has_event_ = false;
    bool is_idle_ = false;
    unsigned rounds_ = 0;
    unsigned rounds_of_blocks_ = 0;
    std::uint64_t last_events_ = 0;
    Clock::time_point last_time_;
    Clock::duration stalled_{};
};

}  // namespace kbuild::cpu

#endif
