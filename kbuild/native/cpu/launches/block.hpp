// A block that an OS thread runs, and what its threads wait for.
#ifndef KBUILD_CPU_LAUNCHES_BLOCK_HPP
#define KBUILD_CPU_LAUNCHES_BLOCK_HPP

#include "launches/shared_memory.hpp"
#include "launches/tasks.hpp"
#include "launches/warps.hpp"

#include <kbuild/cpu_image.h>

#include <cstdint>
#include <vector>

namespace kbuild::cpu {

// A thread that waits for the lanes that are at the same place. The line is not enough: lanes of two branches can be in
// one function.
struct Converging {
    Task* task;
    std::uint64_t place;
};

// A block that has started and not exited. A fiber runs device threads one after another on one
// stack. If a thread is suspended, it keeps the stack, and another fiber continues with the threads
// that have not started. As a result, threads that do not wait need no context switch.
class Block {
public:
    // Starts over with another block.
    void begin(const kbuild_dim3& new_index, const kbuild_dim3& new_extent) noexcept;

    // Forgets all threads.
    void reset() noexcept;

    // Returns whether all threads have exited.
    bool has_exited() const noexcept { return suspended == 0 && !has_unstarted; }
    // Returns whether all remaining threads wait at the grid barrier, given that all wait.
    bool is_at_grid_barrier() const noexcept { return grid_waits.size() == suspended; }
    // The same for the barrier of its cluster.
    bool is_at_cluster_barrier() const noexcept {
        return !has_unstarted && suspended != 0 && cluster_waits.size() == suspended;
    }

    // Completes the sum of the values at the barrier.
    void open_barrier() noexcept {
        last_sum = barrier_sum;
        barrier_sum = 0;
    }

    // Once all threads have started, and wait or have exited, adds those to the queue that do not
    // wait for others. Returns whether there are such threads.
    bool settle(const Tasks& tasks, TaskQueue& runnable);

    // Returns the number of a thread in the block.
    std::uint32_t number(const kbuild_dim3& thread) const noexcept {
        return (thread.z * extent.y + thread.y) * extent.x + thread.x;
    }

    kbuild_dim3 index = {};         // blockIdx
    kbuild_dim3 extent = {};        // blockDim
    kbuild_dim3 start = {};         // the first thread that has not started
    bool has_unstarted = false;     // whether threads did not start and no call runs them
    std::size_t suspended = 0;      // threads that have been suspended and have not exited
    std::uint64_t grid_phase = 0;   // the phase of the grid barrier that it waits for, or 0
    std::uint64_t barrier_sum = 0;  // of the values that threads have brought to the barrier
    std::uint64_t last_sum = 0;     // of all of them, once the barrier has opened

    TaskQueue barrier_waits;
    TaskQueue yielded;
    TaskQueue grid_waits;
    TaskQueue cluster_waits;
    std::vector<Converging> converging;
    unsigned delays = 0;  // how often threads that converge had to wait for lanes that yielded
    Warps warps;
    SharedMemory shared;
    bool has_memory = false;  // whether it is that of the launch

    // The blocks of its cluster, by their ranks. They are not used again before all of them have exited.
    std::vector<Block*> cluster;

private:
    bool release_abandoned_operations(const Tasks& tasks, TaskQueue& runnable);
    bool release_converged(TaskQueue& runnable);
};

}  // namespace kbuild::cpu

#endif
