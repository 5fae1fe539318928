// Finds out whether the OS threads of a launch make progress.
#ifndef KBUILD_CPU_LAUNCHES_WATCHDOG_HPP
#define KBUILD_CPU_LAUNCHES_WATCHDOG_HPP

#include "launches/launch.hpp"

#include <chrono>
#include <cstdint>

namespace kbuild::cpu {

// Returns KBUILD_CPU_TIMEOUT in seconds, or 0 for no limit. Throws Failure.
double spin_timeout();

// The part of one OS thread. An event is anything that a thread does besides spinning: it starts,
// exits, or passes a barrier or a warp operation.
class Watchdog {
public:
    void begin(Launch& launch) noexcept;
    void end() noexcept;

    void note_event() noexcept { has_event_ = true; }

    // Call this when all threads of the OS thread wait. Returns how often in a row that happened
    // without an event.
    unsigned note_round() noexcept;

    // Lets other OS threads run. Returns whether all OS threads of the launch have been idle for
    // longer than the limit.
    bool pause() noexcept;

    void set_idle(bool is_idle) noexcept;

    unsigned rounds() const noexcept { return rounds_; }

private:
    using Clock = std::chrono::steady_clock;

    Launch* launch_ = nullptr;
    bool has_event_ = false;
    bool is_idle_ = false;
    unsigned rounds_ = 0;
    std::uint64_t last_events_ = 0;
    Clock::time_point last_time_;
    Clock::duration stalled_{};
};

}  // namespace kbuild::cpu

#endif
