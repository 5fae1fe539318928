// The work that the threads of a running kernel have queued: launches, copies, and fills.
#ifndef KBUILD_CPU_STREAMS_CHILDREN_HPP
#define KBUILD_CPU_STREAMS_CHILDREN_HPP

#include "streams/operation.hpp"

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace kbuild::cpu {

// The vendor's streams of each kernel, besides those that its threads create.
inline void* const tail_stream = reinterpret_cast<void*>(3);
inline void* const detached_stream = reinterpret_cast<void*>(4);

// Device code cannot wait for its children, so a legal schedule is to run them one after another when
// the parent has ended. That respects all streams and events.
class Children {
public:
    // Any thread of the kernel can call this. The order of calls is the order of operations.
    void add(Operation operation, void* stream) {
        const std::lock_guard lock(mutex_);
        (stream == tail_stream ? tail_ : operations_).push_back(std::move(operation));
    }

    // Puts the operations on the stack, so that the first one is on top and those of the tail stream
    // come last. Call this when the kernel has ended.
    void move_to(std::vector<Operation>& stack) {
        for (auto* operations : {&tail_, &operations_})
            stack.insert(stack.end(), std::make_move_iterator(operations->rbegin()),
                         std::make_move_iterator(operations->rend()));
    }

private:
    std::mutex mutex_;
    std::vector<Operation> operations_;
    std::vector<Operation> tail_;
};

}  // namespace kbuild::cpu

#endif
