#include "memory/allocations.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "memory/heap.hpp"

#include <algorithm>
#include <iterator>

namespace kbuild::cpu {

namespace {

void note_allocation(const Allocation& allocation) {
    if (checks::is_active())
        checks::Checker::instance().add_memory(allocation.base, allocation.bytes, allocation.kind);
}

}  // namespace

// Never freed, because programs also release memory in atexit handlers and destructors.
Allocations& Allocations::instance() {
    static auto* const process_allocations = new Allocations;
    return *process_allocations;
}

// Returns the first entry that ends after the address.
Allocations::Map::iterator Allocations::first_overlap(std::uintptr_t start) noexcept {
    const auto place = contents_.upper_bound(start);
    if (place == contents_.begin()) return place;
    const auto before = std::prev(place);
    return start - before->first < before->second.bytes ? before : place;
}

void Allocations::add(const Allocation& allocation) {
    note_allocation(allocation);
    const auto start = to_number(allocation.base);
    const std::lock_guard lock(mutex_);
    // If the program freed memory without this runtime, the allocator can return it again: forget
    // the outdated entries that overlap.
    auto place = first_overlap(start);
    while (place != contents_.end() && place->first < start + allocation.bytes)
        place = contents_.erase(place);
    contents_.emplace(start, Content{allocation.bytes, allocation.kind, allocation.flags});
}

void Allocations::add_registered(const Allocation& allocation) {
    const auto start = to_number(allocation.base);
    const std::lock_guard lock(mutex_);
    const auto place = first_overlap(start);
    if (place != contents_.end() && place->first < start + allocation.bytes)
        throw Failure(KBUILD_CPU_ALREADY_REGISTERED,
                      "the memory is already registered or was allocated by the runtime");
    contents_.emplace(start, Content{allocation.bytes, allocation.kind, allocation.flags});
    note_allocation(allocation);
}

bool Allocations::remove(const void* base,
                         std::initializer_list<kbuild_cpu_memory_kind> kinds) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = contents_.find(to_number(base));
    if (found == contents_.end() || (found->second.flags & mapped_memory_flag) != 0 ||
        std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end())
        return false;
    contents_.erase(found);
    return true;
}

void Allocations::remove_mapped(const void* base) noexcept {
    const std::lock_guard lock(mutex_);
    contents_.erase(to_number(base));
}

Allocation Allocations::find(const void* address) const noexcept {
    const Allocation nothing = {nullptr, 0, KBUILD_CPU_MEMORY_UNKNOWN, 0};
    const auto target = to_number(address);
    const std::lock_guard lock(mutex_);
    const auto behind = contents_.upper_bound(target);
    if (behind == contents_.begin()) return nothing;
    const auto& [start, content] = *std::prev(behind);
    if (target - start >= content.bytes) return nothing;
    return {reinterpret_cast<void*>(start), content.bytes, content.kind, content.flags};
}

Allocation Allocations::find_nearest(const void* address) const noexcept {
    const auto target = to_number(address);
    const std::lock_guard lock(mutex_);
    auto nearest = contents_.upper_bound(target);
    if (nearest != contents_.begin()) {
        const auto before = std::prev(nearest);
        const auto end = before->first + before->second.bytes;
        if (nearest == contents_.end() || target < end || target - end < nearest->first - target)
            nearest = before;
    }
    if (nearest == contents_.end()) return {nullptr, 0, KBUILD_CPU_MEMORY_UNKNOWN, 0};
    const auto& [start, content] = *nearest;
    return {reinterpret_cast<void*>(start), content.bytes, content.kind, content.flags};
}

std::vector<Allocation> Allocations::list() const {
    std::vector<Allocation> all;
    const std::lock_guard lock(mutex_);
    for (const auto& [start, content] : contents_)
        all.push_back({reinterpret_cast<void*>(start), content.bytes, content.kind, content.flags});
    return all;
}

std::vector<void*> Allocations::clear() {
    std::vector<void*> owned;
    const std::lock_guard lock(mutex_);
    owned.reserve(contents_.size());
    for (auto place = contents_.begin(); place != contents_.end();) {
        void* const start = reinterpret_cast<void*>(place->first);
        if ((place->second.flags & mapped_memory_flag) != 0) {
            ++place;
            continue;
        }
        if (place->second.kind != KBUILD_CPU_MEMORY_REGISTERED) owned.push_back(start);
        note_release(start);
        place = contents_.erase(place);
    }
    return owned;
}

}  // namespace kbuild::cpu
