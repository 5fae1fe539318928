// The order of what streams and graphs do, and of the host: launches, copies, fills, and the release of memory are
// tasks. A task happens after what it waits for, and after what the host has waited for when it adds the task.
#ifndef KBUILD_CPU_CHECKS_TASKS_HPP
#define KBUILD_CPU_CHECKS_TASKS_HPP

#include "fork_safe_mutex.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kbuild::cpu::checks {

// Tasks form chains, in which each one happens after the one before it. A clock says how much of each chain has
// happened.
using Clock = std::map<std::uint32_t, std::uint32_t>;

struct Task {
    std::uint64_t number;  // in the order in which the host has added them, from 1
    std::uint32_t chain;
    std::uint32_t place;  // in the chain, from 1
    std::uint64_t base;   // the tasks up to this number happen before it
    Clock before;         // what else does
    std::uint64_t added_at;
    std::uint64_t known_at = 0;  // when the host has waited for it, or 0; see TaskOrder::is_running
};
using TaskPointer = std::shared_ptr<Task>;

class TaskOrder {
public:
    // Adds a task after its predecessors, of which some can be null.
    TaskPointer add(const std::vector<TaskPointer>& predecessors);
    // The host has waited for a task, or for all.
    void join_host(const TaskPointer& task);
    void join_all();
    // Returns whether the host has not waited for some task.
    bool has_pending() const noexcept { return pending_count_ != 0; }
    // The same for other tasks than this one.
    bool has_others_pending(const Task& task) const;
    // The time of the host, which advances with each of these calls.
    std::uint64_t now() const noexcept { return time_; }
    // Returns whether the task can run at a time: it has been added, and the host has not waited for it.
    bool is_running(const Task& task, std::uint64_t time) const;

    // Returns whether the host has waited for the task.
    bool is_known(const Task& task) const;

    // Returns whether one of the two happens before the other.
    static bool are_ordered(const Task& first, const Task& second) noexcept;

private:
    void forget_known();

    mutable ForkSafeMutex mutex_{LockRank::task_order};
    std::atomic<std::uint64_t> time_{1};
    std::atomic<std::size_t> pending_count_{0};
    std::uint64_t count_ = 0;
    std::uint64_t base_ = 0;
    std::uint32_t chains_ = 0;
    Clock host_;
    Clock tails_;  // the last place of each chain
    std::vector<TaskPointer> pending_;
};

// The task that the calling thread performs, or null.
TaskPointer current_task() noexcept;

// Makes a task, which outlives the scope, the one that the thread performs.
class TaskScope {
public:
    explicit TaskScope(const TaskPointer& task) noexcept;
    explicit TaskScope(TaskPointer&&) = delete;
    ~TaskScope();
    TaskScope(const TaskScope&) = delete;
    TaskScope& operator=(const TaskScope&) = delete;

private:
    const TaskPointer* outer_;
};

}  // namespace kbuild::cpu::checks

#endif
