#include "launches/warps.hpp"

#include <algorithm>
#include <cstring>

namespace kbuild::cpu {
namespace {

bool is_equal(const char* a, const char* b) noexcept {
    return a == b || (a != nullptr && b != nullptr && std::strcmp(a, b) == 0);
}

}  // namespace

bool is_same_function(const kbuild_cpu_call& a, const kbuild_cpu_call& b) noexcept {
    return a.warp_size == b.warp_size && is_equal(a.function, b.function);
}

bool is_same_site(const kbuild_cpu_call& a, const kbuild_cpu_call& b) noexcept {
    return a.line == b.line && is_same_function(a, b) && is_equal(a.file, b.file);
}

void Warps::reset() noexcept {
    pending_.clear();
    free_.clear();
    for (auto& operation : operations_) {
        operation.waiting.clear();
        free_.push_back(&operation);
    }
}

WarpOperation& Warps::join(std::uint32_t thread, const kbuild_cpu_call& call, std::uint64_t mask,
                           std::uint64_t value, Task& task) {
    release(task);
    const auto lane = thread & (call.warp_size - 1);
    auto& operation = find(thread - lane, call, mask);
    operation.result.arrived |= std::uint64_t{1} << lane;
    operation.result.values[lane] = value;
    ++operation.users;
    task.operation = &operation;
    return operation;
}

WarpOperation& Warps::find(std::uint32_t first, const kbuild_cpu_call& call, std::uint64_t mask) {
    for (auto* operation : pending_)
        if (operation->first == first && operation->mask == mask &&
            is_same_function(*operation->call, call))
            return *operation;
    if (free_.empty()) {
        free_.reserve(operations_.size() + 1);
        free_.push_back(&operations_.emplace_back());
    }
    pending_.push_back(free_.back());
    free_.pop_back();
    auto& operation = *pending_.back();
    operation.call = &call;
    operation.first = first;
    operation.mask = mask;
    operation.result.arrived = 0;
    operation.users = 0;
    return operation;
}

void Warps::complete(WarpOperation& operation, TaskQueue& runnable) noexcept {
    *std::find(pending_.begin(), pending_.end(), &operation) = pending_.back();
    pending_.pop_back();
    auto missing = operation.mask & ~operation.result.arrived;
    for (; missing != 0; missing &= missing - 1)
        operation.result.values[__builtin_ctzll(missing)] = 0;
    runnable.take(operation.waiting);
}

std::vector<WarpOperation*> Warps::find_abandoned(const ThreadSet& live) const {
    std::vector<WarpOperation*> found;
    for (auto* operation : pending_)
        if ((operation->mask & ~operation->result.arrived & live.lanes(operation->first)) == 0)
            found.push_back(operation);
    return found;
}

}  // namespace kbuild::cpu
