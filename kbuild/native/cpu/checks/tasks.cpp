#include "checks/tasks.hpp"

#include <algorithm>
#include <utility>

namespace kbuild::cpu::checks {
namespace {

// Without a destructor, whose registration takes the loader's lock; see loader.hpp.
thread_local const TaskPointer* task_of_this_thread = nullptr;

void join(Clock& clock, std::uint32_t chain, std::uint32_t place) {
    auto& known = clock[chain];
    known = std::max(known, place);
}

void join(Clock& clock, const Task& task) {
    for (const auto& [chain, place] : task.before) join(clock, chain, place);
    join(clock, task.chain, task.place);
}

bool is_before(const Task& first, const Task& second) noexcept {
    if (first.number <= second.base) return true;
    const auto found = second.before.find(first.chain);
    return found != second.before.end() && first.place <= found->second;
}

}  // namespace

TaskPointer current_task() noexcept {
    return task_of_this_thread == nullptr ? nullptr : *task_of_this_thread;
}

TaskScope::TaskScope(const TaskPointer& task) noexcept
    : outer_(std::exchange(task_of_this_thread, &task)) {}
TaskScope::~TaskScope() { task_of_this_thread = outer_; }

TaskPointer TaskOrder::add(const std::vector<TaskPointer>& predecessors) {
    const std::lock_guard lock(mutex_);
    auto task = std::make_shared<Task>(Task{++count_, 0, 1, base_, host_, ++time_});
    for (const auto& predecessor : predecessors) {
        if (predecessor == nullptr || predecessor->number <= base_) continue;
        join(task->before, *predecessor);
        const auto tail = tails_.find(predecessor->chain);
        if (task->chain != 0 || tail == tails_.end() || tail->second != predecessor->place)
            continue;
        task->chain = predecessor->chain;
        task->place = predecessor->place + 1;
    }
    if (task->chain == 0) task->chain = ++chains_;
    tails_[task->chain] = task->place;
    pending_.push_back(task);
    pending_count_ = pending_.size();
    return task;
}

void TaskOrder::join_host(const TaskPointer& task) {
    if (task == nullptr || !has_pending()) return;
    const std::lock_guard lock(mutex_);
    if (task->known_at != 0) return;
    join(host_, *task);
    forget_known();
}

void TaskOrder::join_all() {
    if (!has_pending()) return;
    const std::lock_guard lock(mutex_);
    for (const auto& task : pending_) join(host_, *task);
    forget_known();
}

void TaskOrder::forget_known() {
    const auto now = ++time_;
    const auto is_known = [&](const TaskPointer& task) {
        const auto found = host_.find(task->chain);
        if (found == host_.end() || task->place > found->second) return false;
        task->known_at = now;
        return true;
    };
    pending_.erase(std::remove_if(pending_.begin(), pending_.end(), is_known), pending_.end());
    pending_count_ = pending_.size();
    if (!pending_.empty()) return;
    base_ = count_;
    host_.clear();
    tails_.clear();
}

bool TaskOrder::is_running(const Task& task, std::uint64_t time) const {
    const std::lock_guard lock(mutex_);
    return task.added_at <= time && (task.known_at == 0 || task.known_at > time);
}

bool TaskOrder::has_others_pending(const Task& task) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(pending_.begin(), pending_.end(),
                       [&](const TaskPointer& each) { return each.get() != &task; });
}

bool TaskOrder::is_known(const Task& task) const {
    const std::lock_guard lock(mutex_);
    return task.known_at != 0;
}

bool TaskOrder::are_ordered(const Task& first, const Task& second) noexcept {
    return &first == &second || is_before(first, second) || is_before(second, first);
}

}  // namespace kbuild::cpu::checks
