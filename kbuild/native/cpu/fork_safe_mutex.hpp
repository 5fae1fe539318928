// Locks in forked children. A child has only the thread that forks, so a lock that another thread holds at that moment
// would never be released, and what it guards would be half changed.
#ifndef KBUILD_CPU_FORK_SAFE_MUTEX_HPP
#define KBUILD_CPU_FORK_SAFE_MUTEX_HPP

#include <mutex>

namespace kbuild::cpu {

// What a lock guards. A thread that holds one takes only locks of later ranks.
enum class LockRank {
    contexts,
    owned_graphs,
    streams,
    objects,
    graph_handles,
    user_objects,
    pools,
    virtual_memory,
    allocations,
    heap,
    memory_uses,
    task_order,
    checked_memory,
    arena,
    registry,
    findings,
    device_error,
    file_names,
};

// A mutex that fork() takes, in the order of ranks, and releases in both processes. So a thread holds it only for a
// short time, and never while it waits for what another thread of the program does. The object is never freed.
class ForkSafeMutex : public std::mutex {
public:
    explicit ForkSafeMutex(LockRank rank);

    LockRank rank() const noexcept { return rank_; }

private:
    const LockRank rank_;
};

// Makes an object new in a forked child. The old content is not destroyed, because another thread could have been
// changing it.
template <class T>
void abandon(T& object) {
    new (&object) T;
}

}  // namespace kbuild::cpu

#endif
