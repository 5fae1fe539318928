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
// With assembly, it has the size of a line of the processor's cache.
struct alignas(64) Task {
    Fiber fiber;
    Task* next = nullptr;                // in a queue
    const kbuild_cpu_call* call;         // what a suspended thread waits for
    Block* block = nullptr;              // null unless its thread has been suspended
    kbuild_dim3 thread;                  // threadIdx
    std::uint32_t number = 0;            // of the stack, in its group
    std::uint64_t mask;                  // of a warp operation, or 0; of `converge`, the result
    WarpOperation* operation = nullptr;  // whose result the thread can still read, or null
};

// A first-in, first-out queue of tasks. A task is in one queue at a time.
class TaskQueue {
public:
    TaskQueue() = default;
    // A queue of tasks whose `next` already leads from the first one to the last one.
    TaskQueue(Task* first, Task* last, std::size_t size) noexcept
        : first_(first), last_(last), size_(size) {}

    void push(Task* task) noexcept {
        (size_++ == 0 ? first_ : last_->next) = task;
        last_ = task;
    }
    Task* front() const noexcept { return first_; }
    Task* back() const noexcept { return last_; }
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

// The fibers of one OS thread. Idle ones have no thread to run, and no state.
class Tasks {
public:
    // Provides fibers and stacks for this number of threads. Throws Failure or std::bad_alloc.
    void reserve(std::size_t threads);
    // Provides more of them while others are in use.
    void add(std::size_t threads);
    // Forgets what all fibers do, and frees those that `add` has made.
    void reset() noexcept;

    bool is_empty() const noexcept { return idle_count_ == 0 && fresh_ == fresh_end_; }
    // Returns an idle fiber.
    Task& take() noexcept { return idle_count_ != 0 ? *idle_[--idle_count_] : *fresh_++; }
    void put_back(Task& task) noexcept { idle_[idle_count_++] = &task; }

    // Returns the stack on which a task starts, and the same with its guard page.
    Stack use_stack(const Task& task) noexcept { return group_of(task).stacks.use(task.number); }
    Stack stack(const Task& task) const noexcept {
        return group_of(task).stacks.whole(task.number);
    }

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
    Group& group_of(const Task& task) const noexcept;

    std::vector<std::unique_ptr<Group>> groups_;  // the first one is enough for most launches
    Task* fresh_ = nullptr;                       // of the last group: those that were not used
    Task* fresh_end_ = nullptr;
    std::vector<Task*> idle_;  // has room for all; the last one is used next
    std::size_t idle_count_ = 0;
};

inline Tasks::Group& Tasks::group_of(const Task& task) const noexcept {
    auto group = groups_.begin();
    while (&task - task.number != (*group)->tasks.data()) ++group;
    return **group;
}

}  // namespace kbuild::cpu

#endif
