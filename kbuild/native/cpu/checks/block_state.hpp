// What the checks know of a block that runs, and of its threads.
#ifndef KBUILD_CPU_CHECKS_BLOCK_STATE_HPP
#define KBUILD_CPU_CHECKS_BLOCK_STATE_HPP

#include "checks/cells.hpp"
#include "checks/order.hpp"

#include <kbuild/cpu_image.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace kbuild::cpu::checks {

constexpr unsigned warp_lanes = 64;  // the largest warp

struct BlockState;

// Threads take turns at barriers, so what each turn reads is in one line of the cache.
struct alignas(64) ThreadState {
    BlockState* block = nullptr;
    std::uint64_t serial = 0;  // of the block that it belongs to
    std::uint32_t number = 0;  // in the block
    std::uint32_t barriers = 0;
    std::uint32_t warp_time = 0;  // accesses of its warp before this time have happened
    bool is_exchanging = false;
    // The times for single lanes, after warp operations of a part of the warp.
    std::unique_ptr<std::array<std::uint32_t, warp_lanes>> lane_times;
    Knowledge acquired;
    Knowledge unfenced;         // the same, but with no fence or barrier since
    Knowledge fenced_in_block;  // what a fence for the block makes certain, of its threads
    bool has_taken = false;     // whether it has acquired any of this as a lock is taken

    std::uint64_t grid_phases = 0;
    std::uint32_t cluster_barriers = 0;
    kbuild_cpu_scope scope = KBUILD_CPU_ALL_THREADS;  // of its atomic functions
    // What the last fence for each scope has made visible: the thread's accesses before a time, which is 0
    // without a fence, and those of the block.
    struct Fence {
        std::uint32_t time = 0;
        std::uint32_t barrier_time = 0;
    } fences[2];
    // The last writes of each block that the thread has read without synchronization.
    struct Seen {
        std::uint32_t block;
        std::uint32_t time;
    };
    std::vector<Seen> seen;
    // The asynchronous copies that are not finished, and how many batches the thread has committed.
    struct Copy {
        std::uintptr_t start;
        std::size_t bytes;
        std::size_t batch;
        const void* barrier;
        bool reads;  // from this memory, instead of writing it
    };
    std::vector<Copy> copies;
    std::size_t batches = 0;

    void finish_acquire(kbuild_cpu_scope fence = KBUILD_CPU_ALL_THREADS) {
        if (!unfenced.exists()) return;
        if (fence == KBUILD_CPU_THREADS_OF_BLOCK) return fenced_in_block.add(unfenced);
        acquired.add(unfenced);
        unfenced.clear();
        fenced_in_block.clear();
        has_taken = false;
    }
    void start(BlockState& its_block, std::uint32_t its_number, std::uint64_t phases);
};

// What a thread has written since its last fence.
enum Writes : unsigned char {
    nothing_written = 0,
    has_written = 1,  // it, or another thread before a barrier
    is_publishing =
        2,  // nothing, but something before the fence, which the next write of volatile memory passes on
};

// The memory of a block, and the block that uses it. Blocks use the same memory one after another.
struct BlockState {
    std::uint64_t serial = 0;  // of all blocks so far
    std::uint64_t launch = 0;
    std::uint64_t number = 0;  // of the block in the grid
    kbuild_dim3 index = {};
    std::uint32_t time = 1;  // advances with each synchronization of its threads
    std::uint32_t interval =
        0;  // the number of this time in the process, or 0 until it is used; see Repeat
    std::uint32_t barrier_time = 0;
    std::uint32_t barriers = 0;
    std::uint32_t arrivals = 0;                     // at the current barrier
    const kbuild_cpu_call* barrier_call = nullptr;  // of the first thread that has arrived
    kbuild_cpu_call first_call = {};                // a copy
    std::uint32_t first_thread = 0;
    Knowledge acquired;
    bool has_acquired = false;         // whether one of its threads has
    bool has_other_order = false;      // whether anything but barriers orders its threads
    bool has_volatile_writes = false;  // since the time has advanced
    bool has_copies = false;           // whether one of its threads has issued an asynchronous copy
    std::vector<ThreadState> threads;  // use find_thread
    std::vector<unsigned char> writes;  // Writes of each thread
    Region dynamic;
    Region statics;
    const void* statics_image = nullptr;
    std::size_t dynamic_bytes = 0;     // of the launch
    std::vector<BlockState*> cluster;  // by rank, once a thread has used the cluster; empty before
    std::uint32_t cluster_barriers = 0;

    bool has_memory_at(std::uintptr_t address) const {
        return statics.contains(address) || dynamic.contains(address);
    }
    // Advances the time. If it reaches its end, accesses within the block are no longer compared.
    std::uint32_t advance() {
        if (time < Access::last_time) ++time;
        interval = 0;
        return time;
    }
    // Returns the state of a thread, which starts when it is first needed: most threads only access memory.
    __attribute__((always_inline)) ThreadState& find_thread(std::uint32_t number,
                                                            std::uint64_t phases) {
        auto& thread = threads[number];
        if (thread.serial != serial) thread.start(*this, number, phases);
        return thread;
    }
};

// Forgets the thread that used this state before.
inline void ThreadState::start(BlockState& its_block, std::uint32_t its_number,
                               std::uint64_t phases) {
    block = &its_block;
    serial = its_block.serial;
    number = its_number;
    barriers = its_block.barriers;
    grid_phases = phases;
    cluster_barriers = its_block.cluster_barriers;
    warp_time = 0;
    is_exchanging = has_taken = false;
    scope = KBUILD_CPU_ALL_THREADS;
    for (auto& fence : fences) fence.time = fence.barrier_time = 0;
    if (acquired.exists()) acquired.clear();
    if (unfenced.exists()) unfenced.clear();
    if (fenced_in_block.exists()) fenced_in_block.clear();
    seen.clear();
    copies.clear();
    batches = 0;
    if (lane_times != nullptr) lane_times.reset();
}

}  // namespace kbuild::cpu::checks

#endif
