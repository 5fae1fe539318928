#include "fork_safe_mutex.hpp"
#include "images/file_name.hpp"

#include <mutex>
#include <set>
#include <utility>

namespace kbuild::cpu {
namespace {

struct Reservations {
    ForkSafeMutex mutex{LockRank::file_names};
    std::set<std::string> names;
};

// Never freed.
Reservations& reservations() {
    static Reservations* const process_wide = new Reservations;
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
