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

    // All threads of a block wait for the end of the current phase, or have exited. Both functions
    // return false if the phase cannot end, because some blocks have exited and the rest wait.
    bool arrive() noexcept;
    bool exit() noexcept;

    // Waits for the end of the phase, or for wake_all().
    void wait(std::uint64_t phase) noexcept;
    void wake_all() noexcept;

private:
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
