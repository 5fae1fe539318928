// The warp operations of a block that are in progress.
#ifndef KBUILD_CPU_LAUNCHES_WARPS_HPP
#define KBUILD_CPU_LAUNCHES_WARPS_HPP

#include "launches/tasks.hpp"

#include <kbuild/cpu_image.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace kbuild::cpu {

constexpr unsigned most_lanes = 64;

// Returns whether two calls are of the same function, or at the same call site. Strings of different
// translation units can have different addresses.
bool is_same_function(const kbuild_cpu_call& a, const kbuild_cpu_call& b) noexcept;
bool is_same_site(const kbuild_cpu_call& a, const kbuild_cpu_call& b) noexcept;

// A call of `exchange` by the lanes of a mask. It exists until each lane makes its next call, or exits.
struct WarpOperation {
    const kbuild_cpu_call* call;
    std::uint32_t first;  // the number of the warp's first thread in the block
    std::uint64_t mask;
    unsigned users;     // lanes that can still read the result
    TaskQueue waiting;  // lanes that have arrived, except the last one
    kbuild_cpu_lanes result;
};

// A set of threads of a block.
class ThreadSet {
public:
    explicit ThreadSet(std::uint32_t threads) : words_(threads / 64 + 1) {}
    void add(std::uint32_t thread) { words_[thread / 64] |= std::uint64_t{1} << thread % 64; }
    // Returns the threads of the warp that starts with thread `first`, as a mask of lanes.
    std::uint64_t lanes(std::uint32_t first) const { return words_[first / 64] >> first % 64; }

private:
    std::vector<std::uint64_t> words_;
};

class Warps {
public:
    // Forgets all operations.
    void reset() noexcept;

    bool has_pending() const noexcept { return !pending_.empty(); }

    // Adds a thread to the operation that its call belongs to. The operation is complete if all
    // lanes of its mask have arrived. Throws std::bad_alloc.
    WarpOperation& join(std::uint32_t thread, const kbuild_cpu_call& call, std::uint64_t mask,
                        std::uint64_t value, Task& task);

    // Adds the lanes that wait in the operation to the queue.
    void complete(WarpOperation& operation, TaskQueue& runnable) noexcept;

    // Tells that the thread of a task does not read the result of its last operation any more.
    void release(Task& task) noexcept {
        WarpOperation* const used = task.operation;
        if (used == nullptr) return;
        task.operation = nullptr;
        if (--used->users == 0) free_.push_back(used);
    }

    // Returns the operations that are complete, because the lanes that have not arrived have exited.
    std::vector<WarpOperation*> find_abandoned(const ThreadSet& live) const;

private:
    WarpOperation& find(std::uint32_t first, const kbuild_cpu_call& call, std::uint64_t mask);

    std::deque<WarpOperation> operations_;
    std::vector<WarpOperation*> free_;  // has room for all operations
    std::vector<WarpOperation*> pending_;
};

}  // namespace kbuild::cpu

#endif
