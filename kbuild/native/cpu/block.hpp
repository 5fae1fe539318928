// Runs blocks on one OS thread: device threads are fibres that meet at barriers.
#ifndef KBUILD_CPU_BLOCK_HPP
#define KBUILD_CPU_BLOCK_HPP

#include "fibre.hpp"
#include "launch.hpp"
#include "stacks.hpp"

#include <utility>
#include <vector>

namespace kbuild::cpu {

// Fibres in the order in which they came. Every thread passes through here at every
// barrier, so pushing asks for no memory: there is room for the whole block.
class FibreQueue {
public:
    void reserve(std::size_t capacity) { fibres_.resize(capacity); }
    void push(Fibre* fibre) noexcept { fibres_[end_++] = fibre; }
    bool is_empty() const noexcept { return begin_ == end_; }
    Fibre* front() const noexcept { return fibres_[begin_]; }
    Fibre* pop() noexcept { return fibres_[begin_++]; }
    void clear() noexcept { begin_ = end_ = 0; }

private:
    std::vector<Fibre*> fibres_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

// A fibre runs device threads one after the other on its one stack. Only when a thread
// waits at a barrier does it keep that stack, and a fresh fibre goes on with the threads
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
    static void fibre_main(void* runner);
    void run_threads();
    bool start_block() noexcept;

    Fibre& fresh_fibre();
    Fibre* next_resumable() noexcept;
    void switch_to(Fibre& next) noexcept;

    Launch* launch_ = nullptr;
    kbuild_cpu_builtins builtins_ = {};
    BlockRange blocks_ = {};           // taken from the launch, not yet started
    kbuild_cpu_threads threads_ = {};  // of the current block

    Stacks stacks_;
    std::vector<Fibre> fibres_;      // fibre i has stack i
    std::vector<Fibre*> idle_;       // fibres that keep no thread; the next one to use last
    FibreQueue waiting_;             // threads that reached the next barrier, in thread order
    FibreQueue resumable_;           // threads that the last barrier let go, in thread order
    Fibre* current_ = nullptr;
    Fibre home_;  // where run() waits
};

}  // namespace kbuild::cpu

#endif
