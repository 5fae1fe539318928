// The worker threads that help to run the blocks of launches.
#ifndef KBUILD_CPU_LAUNCHES_POOL_HPP
#define KBUILD_CPU_LAUNCHES_POOL_HPP

#include "launches/launch.hpp"

#include <condition_variable>
#include <mutex>
#include <vector>

namespace kbuild::cpu {

// Returns the number of cores that the process can run on.
unsigned usable_cores();

class Pool {
public:
    // Returns the process's pool. A forked child gets a new one, because it inherits no threads.
    static Pool& instance();

    // Runs all blocks of the launch, on the calling thread and on every worker that is free.
    // Throws Failure before any block runs.
    void run(Launch& launch);

private:
    Pool() = default;

    void run_blocks(Launch& launch);
    void start_workers();
    void work();
    void help(Launch& launch) noexcept;
    Launch* launch_with_blocks() noexcept;
    void withdraw(const Launch& launch) noexcept;

    std::mutex mutex_;
    std::condition_variable offered_;
    std::condition_variable helped_;
    std::vector<Launch*> launches_;  // launches that workers can help with
    bool started_ = false;
    unsigned workers_ = 0;
};

}  // namespace kbuild::cpu

#endif
