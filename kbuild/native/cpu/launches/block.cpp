#include "launches/block.hpp"

#include <algorithm>

namespace kbuild::cpu {

void Block::reserve(std::uint32_t threads) {
    if (threads <= tasks_.size()) return;
    tasks_.clear();  // if a step below fails, the next call starts over
    stacks_.reserve(threads);
    for (auto* queue : {&runnable, &barrier_waits, &yielded, &grid_waits}) queue->reserve(threads);
    converging.reserve(threads);
    warps.reserve(threads);
    idle_.clear();
    idle_.reserve(threads);
    tasks_.resize(threads);
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
        task->block = this;
        idle_.push_back(&*task);
    }
}

void Block::begin(const kbuild_dim3& new_index, const kbuild_dim3& new_extent) noexcept {
    index = new_index;
    extent = new_extent;
    has_unstarted = true;
    grid_phase = 0;
    warps.reset();
}

void Block::abandon(const Task* running) noexcept {
    has_unstarted = false;
    for (auto* queue : {&runnable, &barrier_waits, &yielded, &grid_waits}) queue->clear();
    converging.clear();
    idle_.clear();
    for (auto task = tasks_.rbegin(); task != tasks_.rend(); ++task) {
        task->wait = nullptr;
        if (&*task != running) idle_.push_back(&*task);
    }
}

bool Block::settle() {
    // All started threads that do not wait have exited.
    if (!barrier_waits.is_empty() && barrier_waits.size() == waiting()) {
        release(barrier_waits);
        return true;
    }
    return (warps.has_pending() && release_abandoned_operations()) ||
           (!converging.empty() && release_converged());
}

void Block::release(TaskQueue& queue) noexcept {
    if (runnable.is_empty()) {
        std::swap(runnable, queue);
        return;
    }
    while (!queue.is_empty()) runnable.push(queue.pop());
}

void Block::release(WarpOperation& operation, const Task* running) noexcept {
    warps.complete(operation);
    for (auto rest = operation.result.arrived; rest != 0; rest &= rest - 1) {
        Task* const task = operation.tasks[__builtin_ctzll(rest)];
        if (task != running) runnable.push(task);
    }
}

bool Block::release_abandoned_operations() {
    ThreadSet live(extent.x * extent.y * extent.z);
    for (const auto& task : tasks_)
        if (task.wait != nullptr) live.add(number(task.wait->thread));
    const auto abandoned = warps.find_abandoned(live);
    for (auto* operation : abandoned) release(*operation, nullptr);
    return !abandoned.empty();
}

// In each warp, the first lane decides which call site continues.
bool Block::release_converged() {
    const auto number_of = [&](const Task* task) { return number(task->wait->thread); };
    std::sort(converging.begin(), converging.end(),
              [&](Task* a, Task* b) { return number_of(a) < number_of(b); });
    std::vector<Task*> rest;
    for (auto first = converging.begin(); first != converging.end();) {
        const auto& call = *(*first)->wait->call;
        const auto start = number_of(*first) / call.warp_size * call.warp_size;
        std::vector<Task*> together;
        std::uint64_t mask = 0;
        for (; first != converging.end() && number_of(*first) < start + call.warp_size; ++first) {
            if (is_same_site(*(*first)->wait->call, call)) {
                together.push_back(*first);
                mask |= std::uint64_t{1} << (number_of(*first) - start);
            } else {
                rest.push_back(*first);
            }
        }
        for (Task* task : together) {
            task->wait->mask = mask;
            runnable.push(task);
        }
    }
    converging = std::move(rest);
    return true;
}

Task& Block::fresh_task(void (*body)(void*), void* argument, const Fiber& caller) {
    Task& task = *idle_.back();
    idle_.pop_back();
    task.fiber.prepare(stacks_.use(static_cast<std::size_t>(&task - tasks_.data())), body, argument,
                       caller);
    return task;
}

}  // namespace kbuild::cpu
