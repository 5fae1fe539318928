// The fibers of an OS thread, and the device threads that they run.
#ifndef KBUILD_CPU_LAUNCHES_TASKS_HPP
#define KBUILD_CPU_LAUNCHES_TASKS_HPP

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"

#include <kbuild/cpu_image.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kbuild::cpu {

class Block;
struct WarpOperation;

// A fiber, and what the runtime knows of the device thread that it runs.
struct alignas(64) Task {
    Fiber fiber;
    Task* next = nullptr;                // in a queue
    Block* block = nullptr;              // null unless its thread has been suspended
    const kbuild_cpu_call* call;         // what a suspended thread waits for
    const void* result;                  // what the call returns
    std::uint64_t mask;                  // of a warp operation, or 0; of `converge`, the result
    WarpOperation* operation = nullptr;  // whose result the thread can still read, or null
    kbuild_dim3 thread;                  // threadIdx
};

// A first-in, first-out queue of tasks. A task is in one queue at a time.
class TaskQueue {
public:
    void push(Task* task) noexcept {
        (size_++ == 0 ? first_ : last_->next) = task;
        last_ = task;
    }
    Task* front() const noexcept { return first_; }
    Task* pop() noexcept {
        Task* const task = first_;
        first_ = task->next;
        --size_;
        return task;
    }
    // Moves all tasks of another queue to the end of this one.
    void take(TaskQueue& other) noexcept {
        if (other.size_ == 0) return;
        (size_ == 0 ? first_ : last_->next) = other.first_;
        last_ = other.last_;
        size_ += other.size_;
        other.size_ = 0;
    }
    bool is_empty() const noexcept { return size_ == 0; }
    std::size_t size() const noexcept { return size_; }
    void clear() noexcept { size_ = 0; }

private:
    Task* first_ = nullptr;
    Task* last_ = nullptr;
    std::size_t size_ = 0;
};

// The fibers of one OS thread. An idle one has no thread to run. It continues where it has looked for
// one, so that a fiber is prepared once per launch.
class Tasks {
public:
    // Provides fibers and stacks for this number of threads. Throws Failure or std::bad_alloc.
    void reserve(std::size_t threads);
    // Provides more of them while others are in use.
    void add(std::size_t threads);
    // Forgets what all fibers do, and frees those that `add` has made.
    void reset() noexcept;

    bool is_empty() const noexcept { return idle_count_ == 0 && fresh_ == fresh_end_; }
    // Returns an idle fiber, or one that starts `body(argument)`.
    Task& take(void (*body)(void*), void* argument, const Fiber& caller) noexcept;
    void put_back(Task& task) noexcept { idle_[idle_count_++] = &task; }

    // Returns the stack of a task, with its guard page.
    Stack stack(const Task& task) const noexcept;

    // Calls a function for each task whose thread has been suspended and has not exited.
    template <class Function>
    void for_each_thread(Function function) const {
        for (const auto& group : groups_)
            for (const auto& task : group->tasks)
                if (task.block != nullptr) function(task);
    }

private:
    struct Group {
        Stacks stacks;
        std::vector<Task> tasks;  // task i uses stack i
    };
    void start_group() noexcept;

    std::vector<std::unique_ptr<Group>> groups_;  // the first one is enough for most launches
    Task* fresh_ = nullptr;                       // of the last group: those that are not prepared
    Task* fresh_end_ = nullptr;
    std::vector<Task*> idle_;  // has room for all; the last one is used next
    std::size_t idle_count_ = 0;
};

inline Task& Tasks::take(void (*body)(void*), void* argument, const Fiber& caller) noexcept {
    if (idle_count_ != 0) return *idle_[--idle_count_];
    auto& group = *groups_.back();
    Task& task = *fresh_++;
    const auto index = static_cast<std::size_t>(&task - group.tasks.data());
    task.fiber.prepare(group.stacks.use(index), body, argument, caller);
    return task;
}

}  // namespace kbuild::cpu

#endif
