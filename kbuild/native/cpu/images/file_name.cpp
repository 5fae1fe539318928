#include "images/file_name.hpp"

#include <mutex>
#include <pthread.h>
#include <set>
#include <utility>

namespace kbuild::cpu {
namespace {

struct Reservations {
    std::mutex mutex;
    std::set<std::string> names;
};

// Never freed, and never locked by another thread in a forked child.
Reservations& reservations() {
    static Reservations* const process_wide = [] {
        const auto lock = [] { reservations().mutex.lock(); };
        const auto unlock = [] { reservations().mutex.unlock(); };
        pthread_atfork(lock, unlock, unlock);
        return new Reservations;
    }();
    return *process_wide;
}

}  // namespace

ReservedFileName::ReservedFileName(std::string name) : text_(std::move(name)) {
    auto& all = reservations();
    const std::lock_guard lock(all.mutex);
    is_ours_ = all.names.insert(text_).second;
}

ReservedFileName::~ReservedFileName() {
    if (!is_ours_) return;
    auto& all = reservations();
    const std::lock_guard lock(all.mutex);
    all.names.erase(text_);
}

}  // namespace kbuild::cpu
