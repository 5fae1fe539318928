#include "checks/order.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kbuild::cpu::checks {
namespace {

constexpr std::uint64_t of_block = std::uint64_t{1} << 40, only_in_block = std::uint64_t{1} << 41;

std::uint64_t add_scope(std::uint64_t key, kbuild_cpu_scope scope) {
    return scope == KBUILD_CPU_THREADS_OF_BLOCK ? key | only_in_block : key;
}

}  // namespace

// Returns 0 if nothing is known.
std::uint32_t Knowledge::find_time(std::uint64_t key) const {
    if (list_ == nullptr) return 0;
    const auto found = list_->entries.find(key);
    if (found == list_->entries.end()) return 0;
    // Later entries have later times.
    const auto& entries = found->second;
    const auto behind =
        std::lower_bound(entries.begin(), entries.end(), size_,
                         [](const Entry& entry, std::uint32_t size) { return entry.place < size; });
    return behind == entries.begin() ? 0 : std::prev(behind)->time;
}

void Knowledge::add_entry(std::uint64_t key, std::uint32_t time) {
    if (time <= find_time(key)) return;
    if (list_ == nullptr) {
        list_ = std::make_shared<List>();
    } else if (size_ != list_->size) {  // others know more, and this one does not
        auto copy = std::make_shared<List>();
        for (const auto& [other, entries] : list_->entries)
            if (const auto known = find_time(other); known != 0)
                copy->entries[other] = {{copy->size++, known}};
        list_ = std::move(copy);
    }
    list_->entries[key].push_back({list_->size++, time});
    size_ = list_->size;
}

void Knowledge::add_thread(std::uint64_t who, std::uint32_t time, kbuild_cpu_scope scope) {
    add_entry(add_scope(who, scope), time);
}

void Knowledge::add_block(std::uint32_t block, std::uint32_t time, kbuild_cpu_scope scope) {
    add_entry(add_scope(of_block | (block & Access::block_mask), scope), time);
}

void Knowledge::add(const Knowledge& other) {
    if (other.list_ == nullptr) return;
    if (list_ == nullptr) {
        *this = other;
    } else if (list_ == other.list_) {
        size_ = std::max(size_, other.size_);
    } else {
        for (const auto& [key, entries] : other.list_->entries)
            if (const auto time = other.find_time(key); time != 0) add_entry(key, time);
    }
}

bool Knowledge::covers(Access access, std::uint32_t block) const {
    const auto knows = [&](std::uint64_t key) { return access.time() < find_time(key); };
    const std::uint64_t keys[] = {access.who(), of_block | access.block()};
    for (const auto key : keys)
        if (knows(key) ||
            (access.block() == (block & Access::block_mask) && knows(key | only_in_block)))
            return true;
    return false;
}

}  // namespace kbuild::cpu::checks
