#include "launches/watchdog.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

namespace kbuild::cpu {
namespace {

#if !defined(KBUILD_CPU_MESSAGE_SECONDS)
#define KBUILD_CPU_MESSAGE_SECONDS 60  // tests choose a shorter time
#endif

constexpr double default_timeout = 60;
constexpr unsigned rounds_before_sleep = 1000;
constexpr std::chrono::microseconds sleep_time{100};

// Longer pauses are those of a debugger or of a machine that was suspended.
constexpr std::chrono::milliseconds longest_step{100};

// Returns the variable's value, or a negative number if it is not set.
double read_timeout() {
    const char* text = std::getenv("KBUILD_CPU_TIMEOUT");
    if (text == nullptr || *text == '\0') return -1;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds >= 0 && seconds <= 1e9))
        throw Failure(KBUILD_CPU_INVALID_VALUE,
                      std::string("KBUILD_CPU_TIMEOUT is '") + text +
                          "'; expected a number of seconds, or 0 for no limit");
    return seconds;
}

double explicit_timeout() {
    static const double seconds = read_timeout();
    return seconds;
}

}  // namespace

RunLimit run_limit() {
    const double seconds = explicit_timeout();
    if (seconds < 0) return {KBUILD_CPU_MESSAGE_SECONDS, false};
    return {seconds, true};
}

double spin_timeout() {
    const double seconds = explicit_timeout();
    return seconds < 0 ? default_timeout : seconds;
}

void Watchdog::begin(Launch& launch) noexcept {
    launch_ = &launch;
    has_event_ = is_idle_ = false;
    rounds_ = 0;
    activity_.note();
    activity_.is_running.store(true, std::memory_order_relaxed);
    ++launch.runners;
}

void Watchdog::end() noexcept {
    set_idle(false);
    activity_.is_running.store(false, std::memory_order_relaxed);
    --launch_->runners;
}

unsigned Watchdog::note_round() noexcept {
    activity_.note();
    if (has_event_) {
        has_event_ = false;
        rounds_ = 0;
        set_idle(false);
    }
    ++rounds_of_blocks_;
    return ++rounds_;
}

void Watchdog::set_idle(bool is_idle) noexcept {
    if (is_idle == is_idle_) return;
    is_idle_ = is_idle;
    activity_.is_running.store(!is_idle, std::memory_order_relaxed);
    if (is_idle) {
        last_time_ = Clock::now();
        stalled_ = {};
        ++launch_->idle_runners;
    } else {
        ++launch_->events;
        --launch_->idle_runners;
    }
}

// NOLINTNEXTLINE(bugprone-exception-escape): the launch has checked the variable that gives the limit
bool Watchdog::pause() noexcept {
    set_idle(true);
    if (rounds_ < rounds_before_sleep)
        std::this_thread::yield();
    else
        std::this_thread::sleep_for(sleep_time);
    const auto now = Clock::now();
    const std::uint64_t events = launch_->events;
    const bool is_stalled = events == last_events_ && launch_->idle_runners == launch_->runners;
    stalled_ = is_stalled ? stalled_ + std::min<Clock::duration>(now - last_time_, longest_step)
                          : Clock::duration{};
    last_events_ = events;
    last_time_ = now;
    const double limit = spin_timeout();
    return limit > 0 && std::chrono::duration<double>(stalled_).count() > limit;
}

}  // namespace kbuild::cpu
