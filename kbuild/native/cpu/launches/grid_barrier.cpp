#include "launches/grid_barrier.hpp"

#include <thread>

namespace kbuild::cpu {
namespace {

// Waking an OS thread takes longer than most phases, so a waiting one looks a few times first.
constexpr int looks_before_sleep = 100;

}  // namespace

void GridBarrier::arrive() noexcept {
    const std::lock_guard lock(mutex_);
    ++arrived_;
    break_if_stuck();
    if (arrived_ < blocks_) return;
    arrived_ = 0;
    phase_.fetch_add(1, std::memory_order_release);
    changed_.notify_all();
}

void GridBarrier::exit() noexcept {
    const std::lock_guard lock(mutex_);
    ++exited_;
    break_if_stuck();
}

void GridBarrier::break_if_stuck() noexcept {
    if (arrived_ == 0 || exited_ == 0 || arrived_ + exited_ < blocks_) return;
    is_broken_.store(true, std::memory_order_release);
    changed_.notify_all();
}

void GridBarrier::wait(std::uint64_t phase) noexcept {
    const auto is_over = [&] {
        return phase_.load(std::memory_order_acquire) != phase || is_broken();
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
