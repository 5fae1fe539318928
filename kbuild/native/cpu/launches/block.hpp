// Runs blocks on one OS thread: device threads are fibers that meet at barriers.
#ifndef KBUILD_CPU_LAUNCHES_BLOCK_HPP
#define KBUILD_CPU_LAUNCHES_BLOCK_HPP

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"
#include "launches/launch.hpp"

#include <utility>
#include <vector>

namespace kbuild::cpu {

// Fibers in the order in which they came. Every thread passes through here at every
// barrier, so pushing asks for no memory: there is room for the whole block.
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

// A fiber runs device threads one after the other on its one stack. Only when a thread
// waits at a barrier does it keep that stack, and a fresh fiber goes on with the threads
// not yet started. So threads that meet no barrier cost no context switch.
//
// Everything stays on the OS thread that started the block: `__shared__` is thread-local
// storage, and compilers keep its addresses in registers across a barrier.
class BlockRunner {
public:
    // The calling OS thread's runner.
    static BlockRunner& of_this_thread();

    // Makes room for the launch's blocks. Throws Failure, and then nothing has run.
    void reserve(const Launch& launch);

    // Runs blocks of the launch until it has none left. Needs `reserve`, throws nothing.
    void run(Launch& launch) noexcept;

    // Whether the calling OS thread is inside a kernel.
    bool is_running() const noexcept { return launch_ != nullptr; }

    // What __syncthreads() calls: returns when every thread of the block that has not
    // exited has called it.
    static void barrier(void* runner);

private:
    static void fiber_main(void* runner);
    void run_threads();
    bool start_block() noexcept;

    Fiber& fresh_fiber();
    Fiber* next_resumable() noexcept;
    void switch_to(Fiber& next) noexcept;

    Launch* launch_ = nullptr;
    kbuild_cpu_builtins builtins_ = {};
    BlockRange blocks_ = {};           // taken from the launch, not yet started
    kbuild_cpu_threads threads_ = {};  // of the current block

    Stacks stacks_;
    std::vector<Fiber> fibers_;      // fiber i has stack i
    std::vector<Fiber*> idle_;       // fibers that keep no thread; the next one to use last
    FiberQueue waiting_;             // threads that reached the next barrier, in thread order
    FiberQueue resumable_;           // threads that the last barrier let go, in thread order
    Fiber* current_ = nullptr;
    Fiber home_;  // where run() waits
};

}  // namespace kbuild::cpu

#endif
