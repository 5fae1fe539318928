#include "launches/tasks.hpp"

namespace kbuild::cpu {

void Tasks::reserve(std::size_t threads) {
    if (!groups_.empty() && threads <= groups_.front()->tasks.size()) return;
    groups_.clear();  // if a step below fails, the next call starts over
    fresh_ = fresh_end_ = nullptr;
    add(threads);
}

// Tasks do not move. All of the earlier groups are in use, because this is called only then.
void Tasks::add(std::size_t threads) {
    auto group = std::make_unique<Group>();
    group->stacks.reserve(threads);
    group->tasks.resize(threads);
    for (std::size_t i = 0; i < threads; ++i)
        group->tasks[i].number = static_cast<std::uint32_t>(i);
    idle_.resize(groups_.empty() ? threads : idle_.size() + threads);
    groups_.push_back(std::move(group));
    start_group();
}

void Tasks::reset() noexcept {
    groups_.resize(1);
    for (auto& task : groups_.front()->tasks) {
        if (&task == fresh_) break;
        task.block = nullptr;
        task.operation = nullptr;
    }
    idle_count_ = 0;
    start_group();
}

void Tasks::start_group() noexcept {
    auto& tasks = groups_.back()->tasks;
    fresh_ = tasks.data();
    fresh_end_ = fresh_ + tasks.size();
}

}  // namespace kbuild::cpu
