#include "launches/grid_barrier.hpp"

#include <thread>

namespace kbuild::cpu {
namespace {

// Waking an OS thread takes longer than most phases, so a waiting one looks a few times first.
constexpr int looks_before_sleep = 100;

}  // namespace

bool GridBarrier::arrive() noexcept {
    const std::lock_guard lock(mutex_);
    if (++arrived_ + exited_ < blocks_) return true;
    if (exited_ > 0) return false;
    arrived_ = 0;
    phase_.fetch_add(1, std::memory_order_release);
    changed_.notify_all();
    return true;
}

bool GridBarrier::exit() noexcept {
    const std::lock_guard lock(mutex_);
    return ++exited_ + arrived_ < blocks_ || arrived_ == 0;
}

void GridBarrier::wait(std::uint64_t phase) noexcept {
    const auto is_over = [&] {
        return phase_.load(std::memory_order_acquire) != phase ||
               is_broken_.load(std::memory_order_relaxed);
    };
    for (int i = 0; i < looks_before_sleep; ++i) {
        if (is_over()) return;
        std::this_thread::yield();
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, is_over);
}

void GridBarrier::wake_all() noexcept {
    const std::lock_guard lock(mutex_);
    is_broken_ = true;
    changed_.notify_all();
}

}  // namespace kbuild::cpu
