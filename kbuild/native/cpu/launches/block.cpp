#include "launches/block.hpp"

#include <algorithm>

namespace kbuild::cpu {
namespace {

// How often lanes of a warp that only let others run can delay those that converge. One that waits for
// what these do next would delay them forever.
constexpr unsigned rounds_before_convergence = 256;

bool is_same_place(const Converging& a, const Converging& b) noexcept {
    return a.place == b.place && is_same_site(*a.task->call, *b.task->call);
}

}  // namespace

void Block::begin(const kbuild_dim3& new_index, const kbuild_dim3& new_extent) noexcept {
    index = new_index;
    extent = new_extent;
    start = {0, 0, 0};
    has_unstarted = true;
    grid_phase = 0;
    barrier_sum = 0;
    delays = 0;
}

void Block::reset() noexcept {
    has_unstarted = has_memory = false;
    suspended = 0;
    for (auto* queue : {&barrier_waits, &yielded, &grid_waits, &cluster_waits}) queue->clear();
    converging.clear();
    cluster.clear();
    warps.reset();
}

bool Block::settle(const Tasks& tasks, TaskQueue& runnable) {
    if (suspended == 0) return false;
    if (barrier_waits.size() == suspended) {
        open_barrier();
        runnable.take(barrier_waits);
        return true;
    }
    return (warps.has_pending() && release_abandoned_operations(tasks, runnable)) ||
           (!converging.empty() && release_converged(runnable));
}

bool Block::release_abandoned_operations(const Tasks& tasks, TaskQueue& runnable) {
    ThreadSet live(extent.x * extent.y * extent.z);
    tasks.for_each_thread([&](const Task& task) {
        if (task.block == this) live.add(number(task.thread));
    });
    const auto abandoned = warps.find_abandoned(live);
    for (auto* operation : abandoned) warps.complete(*operation, runnable);
    return !abandoned.empty();
}

// In each warp, the first lane decides which call site continues, once no lane can come soon that lets
// others run. Otherwise, the result would depend on when it does so.
bool Block::release_converged(TaskQueue& runnable) {
    const auto number_of = [&](const Task* task) { return number(task->thread); };
    const auto number_at = [&](const Converging& place) { return number_of(place.task); };
    const bool can_delay = ++delays < rounds_before_convergence;
    const auto is_delayed = [&](std::uint32_t start, std::uint32_t size) {
        const Task* task = yielded.front();
        for (auto left = can_delay ? yielded.size() : 0; left != 0; --left, task = task->next)
            if (number_of(task) / size * size == start) return true;
        return false;
    };
    const auto waiting = runnable.size();
    std::sort(converging.begin(), converging.end(), [&](const Converging& a, const Converging& b) {
        return number_at(a) < number_at(b);
    });
    std::vector<Converging> rest;
    for (auto next = converging.begin(); next != converging.end();) {
        const auto& first = *next;
        const auto size = first.task->call->warp_size;
        const auto start = number_at(first) / size * size;
        std::vector<Task*> together;
        std::uint64_t mask = 0;
        const bool is_early = is_delayed(start, size);
        for (; next != converging.end() && number_at(*next) < start + size; ++next) {
            if (!is_early && is_same_place(*next, first)) {
                together.push_back(next->task);
                mask |= std::uint64_t{1} << (number_at(*next) - start);
            } else {
                rest.push_back(*next);
            }
        }
        for (Task* task : together) {
            task->mask = mask;
            runnable.push(task);
        }
    }
    converging = std::move(rest);
    if (runnable.size() == waiting) return false;
    delays = 0;
    return true;
}

}  // namespace kbuild::cpu
