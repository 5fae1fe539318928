#include "checks/history.hpp"

#include <iterator>

namespace kbuild::cpu::checks {
namespace {

const char* name_memory(const PastAllocation& allocation) {
    if (allocation.is_heap) return "memory from malloc in device code";
    switch (allocation.kind) {
    case KBUILD_CPU_MEMORY_MANAGED: return "managed memory";
    case KBUILD_CPU_MEMORY_HOST: return "page-locked memory";
    case KBUILD_CPU_MEMORY_REGISTERED: return "registered memory";
    default: return "device memory";
    }
}

}  // namespace

// Pools and the C library use addresses again, so an entry replaces those that overlap.
void History::add(std::uintptr_t start, std::size_t bytes, kbuild_cpu_memory_kind kind,
                  bool is_heap) {
    auto place = allocations_.lower_bound(start);
    while (place != allocations_.end() && place->first < start + bytes)
        place = allocations_.erase(place);
    allocations_[start] = {start, bytes, kind, is_heap, false, ++count_};
}

std::optional<PastAllocation> History::remove(std::uintptr_t start) {
    const auto found = allocations_.find(start);
    if (found == allocations_.end() || found->second.is_free) return std::nullopt;
    found->second.is_free = true;
    return found->second;
}

const PastAllocation* History::find(std::uintptr_t address) const noexcept {
    const auto behind = allocations_.upper_bound(address);
    if (behind == allocations_.begin())
        return behind == allocations_.end() ? nullptr : &behind->second;
    const auto& before = std::prev(behind)->second;
    if (address - before.start < before.bytes || behind == allocations_.end()) return &before;
    const auto past = address - before.start - before.bytes;
    return past <= behind->first - address ? &before : &behind->second;
}

std::vector<PastAllocation> History::list_live() const {
    std::vector<PastAllocation> live;
    for (const auto& [start, allocation] : allocations_)
        if (!allocation.is_free) live.push_back(allocation);
    return live;
}

std::string count_bytes(std::size_t bytes) {
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string name_allocation(const PastAllocation& allocation) {
    return "the " + std::to_string(allocation.bytes) + "-byte allocation " +
           std::to_string(allocation.number) + " of " + name_memory(allocation);
}

std::string compare_address(std::uintptr_t address, std::uintptr_t start, std::size_t bytes,
                            const std::string& name) {
    if (address < start) return count_bytes(start - address) + " before " + name;
    if (address - start < bytes) return count_bytes(address - start) + " into " + name;
    const auto past = address - start - bytes;
    return past == 0 ? "at the end of " + name : count_bytes(past) + " past the end of " + name;
}

}  // namespace kbuild::cpu::checks
