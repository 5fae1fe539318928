// The barrier where all blocks of a cooperative launch meet.
#ifndef KBUILD_CPU_LAUNCHES_GRID_BARRIER_HPP
#define KBUILD_CPU_LAUNCHES_GRID_BARRIER_HPP

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kbuild::cpu {

// Counts blocks. Each time all of them have arrived, the next phase begins. Phases start at 1.
class GridBarrier {
public:
    explicit GridBarrier(std::uint64_t blocks) : blocks_(blocks) {}

    std::uint64_t phase() const noexcept { return phase_.load(std::memory_order_acquire); }

    // All threads of a block wait for the end of the current phase, or have exited.
    void arrive() noexcept;
    void exit() noexcept;

    // Returns whether the phase cannot end: some blocks have exited and the rest wait, or
    // wake_all() was called.
    bool is_broken() const noexcept { return is_broken_.load(std::memory_order_acquire); }

    // Waits until the phase has ended, or the barrier is broken.
    void wait(std::uint64_t phase) noexcept;
    void wake_all() noexcept;

private:
    void break_if_stuck() noexcept;

    const std::uint64_t blocks_;
    std::atomic<std::uint64_t> phase_{1};
    std::atomic<bool> is_broken_{false};
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t arrived_ = 0;
    std::uint64_t exited_ = 0;
};

}  // namespace kbuild::cpu

#endif
