// The threads of a block that have started, and what each of them waits for.
#ifndef KBUILD_CPU_LAUNCHES_BLOCK_HPP
#define KBUILD_CPU_LAUNCHES_BLOCK_HPP

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"
#include "launches/shared_memory.hpp"
#include "launches/warps.hpp"

#include <kbuild/cpu_image.h>

#include <cstdint>
#include <vector>

namespace kbuild::cpu {

class Block;

// What a suspended thread waits for. It is on the thread's own stack.
struct Wait {
    explicit Wait(const kbuild_cpu_call& call, std::uint64_t mask = 0) : call(&call), mask(mask) {}

    const kbuild_cpu_call* call;
    std::uint64_t mask;  // of a warp operation, or 0; of `converge`, the result
    kbuild_dim3 thread;  // threadIdx
};

// A fiber, and the device thread that it runs.
struct Task {
    Fiber fiber;
    Wait* wait = nullptr;  // null unless its thread has been suspended
    Block* block = nullptr;
};

// A first-in, first-out queue of tasks. A thread is in one queue at a time, so a queue has room for
// the whole block and does not allocate.
class TaskQueue {
public:
    void reserve(std::size_t capacity) {
        std::size_t size = 1;
        while (size < capacity) size *= 2;
        tasks_.resize(size);
        last_ = size - 1;
        begin_ = end_ = 0;
    }
    void push(Task* task) noexcept { tasks_[end_++ & last_] = task; }
    Task* front() const noexcept { return tasks_[begin_ & last_]; }
    Task* pop() noexcept { return tasks_[begin_++ & last_]; }
    bool is_empty() const noexcept { return begin_ == end_; }
    std::size_t size() const noexcept { return end_ - begin_; }
    void clear() noexcept { begin_ = end_ = 0; }

private:
    std::vector<Task*> tasks_;
    std::size_t last_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

// A block that an OS thread runs. A fiber runs device threads one after another on one stack. If a
// thread is suspended, it keeps the stack, and a fresh fiber continues with the threads that have
// not started. As a result, threads that do not wait need no context switch.
class Block {
public:
    // Allocates fibers and stacks for the threads of a block. Throws Failure or std::bad_alloc.
    void reserve(std::uint32_t threads);

    // Starts over with another block.
    void begin(const kbuild_dim3& new_index, const kbuild_dim3& new_extent) noexcept;

    // Forgets all threads. Fibers other than `running` become idle.
    void abandon(const Task* running) noexcept;

    // Returns whether a thread can continue or start.
    bool has_work() const noexcept { return !runnable.is_empty() || has_unstarted; }

    // Returns whether all threads have exited, given that none can continue or start.
    bool has_exited() const noexcept { return waiting() == 0; }
    // Returns whether all remaining threads wait at the grid barrier.
    bool is_at_grid_barrier() const noexcept { return grid_waits.size() == waiting(); }

    // Once no thread can continue or start, lets those continue that do not wait for others.
    // Returns whether there are such threads.
    bool settle();

    // Lets the threads of a queue continue.
    void release(TaskQueue& queue) noexcept;
    // Lets the lanes of an operation continue, except `running`.
    void release(WarpOperation& operation, const Task* running) noexcept;

    // Returns a fiber that starts `body(argument)`.
    Task& fresh_task(void (*body)(void*), void* argument, const Fiber& caller);
    void retire(Task& task) noexcept { idle_.push_back(&task); }

    // Returns the stack of a task, with its guard page.
    Stack stack(const Task& task) const noexcept {
        return stacks_.whole(static_cast<std::size_t>(&task - tasks_.data()));
    }

    const std::vector<Task>& tasks() const noexcept { return tasks_; }
    // Returns the number of a thread in the block.
    std::uint32_t number(const kbuild_dim3& thread) const noexcept {
        return (thread.z * extent.y + thread.y) * extent.x + thread.x;
    }

    kbuild_dim3 index = {};        // blockIdx
    kbuild_dim3 extent = {};       // blockDim
    bool has_unstarted = false;    // whether threads did not start and no call runs them
    std::uint64_t grid_phase = 0;  // the phase of the grid barrier that the block waits for, or 0

    TaskQueue runnable;
    TaskQueue barrier_waits;
    TaskQueue yielded;
    TaskQueue grid_waits;
    std::vector<Task*> converging;
    Warps warps;
    SharedMemory shared;

private:
    // Returns the number of threads that cannot continue.
    std::size_t waiting() const noexcept {
        return barrier_waits.size() + yielded.size() + grid_waits.size() + converging.size() +
               warps.waiting();
    }
    bool release_abandoned_operations();
    bool release_converged();

    Stacks stacks_;
    std::vector<Task> tasks_;  // task i uses stack i
    std::vector<Task*> idle_;  // tasks without a thread; the last one is used next
};

}  // namespace kbuild::cpu

#endif
