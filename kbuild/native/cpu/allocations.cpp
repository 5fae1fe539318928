#include "allocations.hpp"

#include <iterator>
#include <pthread.h>

namespace kbuild::cpu {

namespace {

// Never freed, because programs also release memory in atexit handlers and destructors.
Allocations* process_allocations = nullptr;

}  // namespace

Allocations& Allocations::instance() {
    static const bool created = [] {
        process_allocations = new Allocations;
        // Locking around fork() gives the child a map that no thread was changing.
        pthread_atfork([] { process_allocations->mutex_.lock(); },
                       [] { process_allocations->mutex_.unlock(); },
                       [] { process_allocations->mutex_.unlock(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_allocations;
}

void Allocations::add(void* base, std::size_t bytes) {
    const auto start = reinterpret_cast<std::uintptr_t>(base);
    const std::lock_guard lock(mutex_);
    // If the program freed memory without this runtime, the allocator can return it again: forget
    // the outdated entries that overlap.
    auto place = sizes_.upper_bound(start);
    if (place != sizes_.begin()) {
        const auto before = std::prev(place);
        if (start - before->first < before->second) place = before;
    }
    while (place != sizes_.end() && place->first < start + bytes) place = sizes_.erase(place);
    sizes_.emplace(start, bytes);
}

void Allocations::remove(const void* base) noexcept {
    const std::lock_guard lock(mutex_);
    sizes_.erase(reinterpret_cast<std::uintptr_t>(base));
}

Allocation Allocations::find(const void* address) const noexcept {
    const auto target = reinterpret_cast<std::uintptr_t>(address);
    const std::lock_guard lock(mutex_);
    const auto behind = sizes_.upper_bound(target);
    if (behind == sizes_.begin()) return {nullptr, 0};
    const auto [start, bytes] = *std::prev(behind);
    if (target - start >= bytes) return {nullptr, 0};
    return {reinterpret_cast<void*>(start), bytes};
}

}  // namespace kbuild::cpu
