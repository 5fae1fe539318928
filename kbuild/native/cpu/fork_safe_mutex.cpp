#include "fork_safe_mutex.hpp"

#include <algorithm>
#include <pthread.h>
#include <vector>

namespace kbuild::cpu {
namespace {

// Never freed, because exit handlers and destructors fork, too.
struct ForkSafeMutexes {
    std::mutex mutex;
    std::vector<ForkSafeMutex*> by_rank;

    ForkSafeMutexes() {
        pthread_atfork([] { instance().lock(); }, [] { instance().unlock(); },
                       [] { instance().unlock(); });
    }
    static ForkSafeMutexes& instance() {
        static auto* const mutexes = new ForkSafeMutexes;
        return *mutexes;
    }
    void add(ForkSafeMutex& added) {
        const std::lock_guard lock(mutex);
        // A forked child makes some of them again, at the same place.
        if (std::find(by_rank.begin(), by_rank.end(), &added) != by_rank.end()) return;
        const auto is_before = [](const ForkSafeMutex* a, const ForkSafeMutex* b) {
            return a->rank() < b->rank();
        };
        by_rank.insert(std::upper_bound(by_rank.begin(), by_rank.end(), &added, is_before), &added);
    }
    void lock() {
        mutex.lock();
        for (auto* const each : by_rank) each->lock();
    }
    void unlock() {
        for (auto* const each : by_rank) each->unlock();
        mutex.unlock();
    }
};

}  // namespace

ForkSafeMutex::ForkSafeMutex(LockRank rank) : rank_(rank) {
    ForkSafeMutexes::instance().add(*this);
}

}  // namespace kbuild::cpu
