// Runs blocks on one OS thread: device threads are fibres that meet at barriers.
#ifndef KBUILD_CPU_BLOCK_HPP
#define KBUILD_CPU_BLOCK_HPP

#include "fibre.hpp"
#include "launch.hpp"
#include "stacks.hpp"

#include <vector>

namespace kbuild::cpu {

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
    static void barrier();

private:
    static void fibre_main(void* runner);
    void run_threads();
    bool start_block() noexcept;
    void start_thread();

    Fibre& fresh_fibre();
    Fibre* next_resumable() noexcept;
    void switch_to(Fibre& next) noexcept;

    Launch* launch_ = nullptr;
    kbuild_cpu_builtins builtins_ = {};
    BlockRange blocks_ = {};        // taken from the launch, not yet started
    kbuild_dim3 next_thread_ = {};  // of the current block
    std::uint32_t unstarted_ = 0;   // threads of the current block not yet started

    Stacks stacks_;
    std::vector<Fibre> fibres_;      // fibre i has stack i
    std::vector<Fibre*> idle_;       // fibres that keep no thread; the next one to use last
    std::vector<Fibre*> waiting_;    // threads that reached the next barrier, in thread order
    std::vector<Fibre*> resumable_;  // threads that the last barrier let go, in thread order
    std::size_t resumed_ = 0;        // how many of these have been resumed
    Fibre* current_ = nullptr;
    Fibre home_;  // where run() waits
};

}  // namespace kbuild::cpu

#endif
