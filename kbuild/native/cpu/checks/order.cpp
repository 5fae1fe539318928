#include "checks/order.hpp"

#include <algorithm>

namespace kbuild::cpu::checks {
namespace {

constexpr std::uint64_t of_block = std::uint64_t{1} << 40, only_in_block = std::uint64_t{1} << 41;

std::uint64_t add_scope(std::uint64_t key, kbuild_cpu_scope scope) {
    return scope == KBUILD_CPU_THREADS_OF_BLOCK ? key | only_in_block : key;
}

}  // namespace

void Knowledge::add_entry(std::uint64_t key, std::uint32_t time) {
    if (times_.size() >= most_entries) has_all_ = true;
    if (has_all_) return;
    auto& known = times_[key];
    known = std::max(known, time);
}

void Knowledge::add_thread(std::uint64_t who, std::uint32_t time, kbuild_cpu_scope scope) {
    add_entry(add_scope(who, scope), time);
}

void Knowledge::add_block(std::uint32_t block, std::uint32_t time, kbuild_cpu_scope scope) {
    add_entry(add_scope(of_block | (block & Access::block_mask), scope), time);
}

void Knowledge::add(const Knowledge& other) {
    has_all_ = has_all_ || other.has_all_;
    for (const auto& [key, time] : other.times_) add_entry(key, time);
}

bool Knowledge::covers(Access access, std::uint32_t block) const {
    if (has_all_) return true;
    const auto knows = [&](std::uint64_t key) {
        const auto found = times_.find(key);
        return found != times_.end() && access.time() < found->second;
    };
    const std::uint64_t keys[] = {access.who(), of_block | access.block()};
    for (const auto key : keys)
        if (knows(key) ||
            (access.block() == (block & Access::block_mask) && knows(key | only_in_block)))
            return true;
    return false;
}

void SharedKnowledge::add(const SharedKnowledge& other) {
    if (other.value_ == nullptr || other.value_ == value_) return;
    if (value_ == nullptr)
        value_ = other.value_;
    else
        change().add(*other.value_);
}

Knowledge& SharedKnowledge::change() {
    if (value_ == nullptr)
        value_ = std::make_shared<Knowledge>();
    else if (value_.use_count() > 1)
        value_ = std::make_shared<Knowledge>(*value_);
    return *value_;
}

}  // namespace kbuild::cpu::checks
