// Runs blocks on one OS thread, with fibers for the device threads that meet at barriers.
#ifndef KBUILD_CPU_LAUNCHES_BLOCK_HPP
#define KBUILD_CPU_LAUNCHES_BLOCK_HPP

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"
#include "launches/launch.hpp"

#include <utility>
#include <vector>

namespace kbuild::cpu {

// A first-in, first-out queue of fibers. Every thread passes through it at every barrier, so it has
// room for the whole block and does not allocate.
class FiberQueue {
public:
    void reserve(std::size_t capacity) { fibers_.resize(capacity); }
    void push(Fiber* fiber) noexcept { fibers_[end_++] = fiber; }
    bool is_empty() const noexcept { return begin_ == end_; }
    Fiber* front() const noexcept { return fibers_[begin_]; }
    Fiber* pop() noexcept { return fibers_[begin_++]; }
    void clear() noexcept { begin_ = end_ = 0; }

private:
    std::vector<Fiber*> fibers_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

// A fiber runs device threads one after another on one stack. If a thread waits at a barrier, it
// keeps the stack, and a fresh fiber continues with the threads that have not started. As a result,
// threads that do not reach a barrier need no context switch.
//
// All fibers of a block stay on one OS thread: `__shared__` is thread-local storage, and compilers
// keep its addresses in registers across a barrier.
class BlockRunner {
public:
    // Returns the runner of the calling OS thread.
    static BlockRunner& of_this_thread();

    // Allocates fibers and stacks for a block of the launch. Throws Failure before anything runs.
    void reserve(const Launch& launch);

    // Runs blocks of the launch until none are left. Call `reserve` first.
    void run(Launch& launch) noexcept;

    // Returns whether the OS thread is inside a kernel.
    bool is_running() const noexcept { return launch_ != nullptr; }

    // Implements __syncthreads(): returns when every thread of the block that has not exited has
    // called it.
    static void barrier(void* runner);

    // Implement __trap() and assert(): end the launch with an error, and do not return.
    static void trap(void* runner);
    static void fail_assertion(void* runner, const char* condition, const char* file,
                               unsigned line, const char* function);

private:
    static void fiber_main(void* runner);
    void run_threads();
    bool start_block() noexcept;
    void start_threads();
    void note_suspension() noexcept;
    void abandon(int error) noexcept;

    Fiber& fresh_fiber();
    Fiber* next_resumable() noexcept;
    void switch_to(Fiber& next) noexcept;

    Launch* launch_ = nullptr;
    kbuild_cpu_builtins builtins_ = {};
    BlockRange blocks_ = {};      // taken from the launch, not yet started
    bool has_unstarted_ = false;  // whether threads of the block did not start and no call runs them
    bool is_starting_ = false;    // whether the current fiber starts threads, and none was suspended

    Stacks stacks_;
    std::vector<Fiber> fibers_;      // fiber i uses stack i
    std::vector<Fiber*> idle_;       // fibers without a thread; the last one is used next
    FiberQueue waiting_;             // threads that wait at the next barrier, in thread order
    FiberQueue resumable_;           // threads that the last barrier released, in thread order
    Fiber* current_ = nullptr;
    Fiber home_;  // the saved state of run()
};

}  // namespace kbuild::cpu

#endif
