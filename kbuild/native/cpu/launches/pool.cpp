#include "launches/pool.hpp"

#include "checks/checker.hpp"
#include "crashes/signals.hpp"
#include "launches/runner.hpp"
#include "loader.hpp"
#include "own_threads.hpp"

#include <algorithm>
#include <exception>
#include <pthread.h>
#include <sched.h>
#include <thread>

namespace kbuild::cpu {
namespace {

// Never freed, because workers and launches from atexit handlers can outlive any destructor.
Pool* process_pool = nullptr;

}  // namespace

unsigned usable_cores() {
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0)
        return static_cast<unsigned>(CPU_COUNT(&cores));
    return std::max(
        1u, std::thread::hardware_concurrency());  // the machine has more than CPU_SETSIZE cores
}

Pool& Pool::instance() {
    pin_this_library();
    // The child does not touch the old pool: its mutex might be locked, and its launches belong to
    // threads that do not exist in the child.
    static const bool created = [] {
        process_pool = new Pool;
        pthread_atfork(nullptr, nullptr, [] { process_pool = new Pool; });
        return true;
    }();
    static_cast<void>(created);
    return *process_pool;
}

void Pool::run(Launch& launch) {
    auto& runner = BlockRunner::of_this_thread();
    runner.reserve(launch);
    if (launch.image.is_instrumented != 0) {
        checks::Checker::instance().begin_launch(launch);
        runner.run(launch);
        checks::Checker::instance().end_launch(launch.error());
        return;
    }
    if (!checks::is_active()) return run_blocks(launch);
    checks::Checker::instance().begin_unchecked(launch);
    run_blocks(launch);
    checks::Checker::instance().end_unchecked(launch);
}

// Runs the blocks on several OS threads.
void Pool::run_blocks(Launch& launch) {
    auto& runner = BlockRunner::of_this_thread();
    if (launch.block_count == 1) return runner.run(launch);

    {
        const std::lock_guard lock(mutex_);
        start_workers();
        launch.share(workers_ + 1);
        launches_.push_back(&launch);
        for (auto i = std::min<std::uint64_t>(launch.block_count - 1, workers_); i > 0; --i)
            offered_.notify_one();
    }
    runner.run(launch);

    std::unique_lock lock(mutex_);
    withdraw(launch);
    helped_.wait(lock, [&] { return launch.helpers == 0; });
}

// Starts one worker per core except the caller's, at the first launch with several blocks.
void Pool::start_workers() {
    if (started_) return;
    started_ = true;
    try {
        for (const auto cores = usable_cores(); workers_ + 1 < cores; ++workers_)
            start_own_thread("cpu", [this] { work(); });
    } catch (const std::exception&) {
        // Continue with fewer workers: the calling thread alone is enough.
    }
}

void Pool::work() {
    unblock_crash_signals();
    std::unique_lock lock(mutex_);
    for (;;) {
        Launch* launch = launch_with_blocks();
        if (launch == nullptr) {
            offered_.wait(lock);
            continue;
        }
        ++launch->helpers;
        lock.unlock();
        help(*launch);
        lock.lock();
        withdraw(*launch);
        if (--launch->helpers == 0) helped_.notify_all();
    }
}

// If there is no memory for this worker's stacks, the other threads finish the launch.
void Pool::help(Launch& launch) noexcept {
    try {
        auto& runner = BlockRunner::of_this_thread();
        runner.reserve(launch);
        runner.run(launch);
    } catch (const std::exception&) {
    }
}

Launch* Pool::launch_with_blocks() noexcept {
    const auto found = std::find_if(launches_.begin(), launches_.end(),
                                    [](const Launch* launch) { return launch->has_blocks(); });
    return found == launches_.end() ? nullptr : *found;
}

void Pool::withdraw(const Launch& launch) noexcept {
    launches_.erase(std::remove(launches_.begin(), launches_.end(), &launch), launches_.end());
}

}  // namespace kbuild::cpu
