#include "memory/pools.hpp"

#include "api/errors.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"

#include <algorithm>
#include <atomic>

namespace kbuild::cpu {
namespace {

constexpr std::uintptr_t pool_handle_step = 16;

// A flag of Allocation, beyond those of the vendor.
constexpr unsigned graph_memory_flag = 1u << 31;

std::atomic<std::uint64_t> graph_bytes{0};
std::atomic<std::uint64_t> most_graph_bytes{0};

}  // namespace

// Never freed, because programs also release memory in atexit handlers and destructors.
Pools& Pools::instance() {
    static auto* const process_pools = new Pools;
    return *process_pools;
}

Pools::Pools() { current_ = create(); }

Pools::Pool::~Pool() {
    for (const auto& [bytes, pointer] : unused) free_memory(pointer);
}

void* Pools::create() {
    const std::lock_guard lock(mutex_);
    void* const handle = reinterpret_cast<void*>(last_handle_ += pool_handle_step);
    pools_[handle] = std::make_shared<Pool>();
    return handle;
}

void* Pools::default_pool() const { return reinterpret_cast<void*>(pool_handle_step); }

std::shared_ptr<Pools::Pool>& Pools::find(void* pool) {
    const auto found = pools_.find(pool);
    require(found != pools_.end(), "the memory pool does not exist or was destroyed");
    return found->second;
}

// The memory of the pool that is in use remains valid.
void Pools::destroy(void* pool) {
    const std::lock_guard lock(mutex_);
    auto& found = find(pool);
    require(pool != default_pool(), "the default memory pool cannot be destroyed");
    found->is_destroyed = true;
    shrink(*found, 0);
    pools_.erase(pool);
    if (current_ == pool) current_ = default_pool();
}

void* Pools::current() {
    const std::lock_guard lock(mutex_);
    return current_;
}

void Pools::set_current(void* pool) {
    const std::lock_guard lock(mutex_);
    find(pool);
    current_ = pool;
}

void Pools::check(void* pool) {
    const std::lock_guard lock(mutex_);
    find(pool);
}

std::uint64_t Pools::attribute(void* handle, int number) {
    const std::lock_guard lock(mutex_);
    const auto& pool = *find(handle);
    switch (static_cast<PoolAttribute>(number)) {
    case PoolAttribute::follow_event_dependencies:
    case PoolAttribute::allow_opportunistic:
    case PoolAttribute::allow_internal_dependencies: return pool.flags[number];
    case PoolAttribute::release_threshold: return pool.threshold;
    case PoolAttribute::reserved_now: return pool.reserved;
    case PoolAttribute::reserved_most: return pool.most_reserved;
    case PoolAttribute::used_now: return pool.used;
    case PoolAttribute::used_most: return pool.most_used;
    }
    throw Failure(KBUILD_CPU_INVALID_VALUE, "unknown attribute of a memory pool");
}

void Pools::set_attribute(void* handle, int number, std::uint64_t value) {
    const std::lock_guard lock(mutex_);
    auto& pool = *find(handle);
    switch (static_cast<PoolAttribute>(number)) {
    case PoolAttribute::follow_event_dependencies:
    case PoolAttribute::allow_opportunistic:
    case PoolAttribute::allow_internal_dependencies: pool.flags[number] = value != 0; return;
    case PoolAttribute::release_threshold: pool.threshold = value; return;
    case PoolAttribute::reserved_most:
        require(value == 0, "the maximum can only be set to 0");
        pool.most_reserved = pool.reserved;
        return;
    case PoolAttribute::used_most:
        require(value == 0, "the maximum can only be set to 0");
        pool.most_used = pool.used;
        return;
    default:
        throw Failure(KBUILD_CPU_INVALID_VALUE, "the attribute of the memory pool cannot be set");
    }
}

void Pools::shrink(Pool& pool, std::size_t kept_bytes) noexcept {
    while (pool.reserved > kept_bytes && !pool.unused.empty()) {
        const auto largest = std::prev(pool.unused.end());
        pool.reserved -= largest->first;
        free_memory(largest->second);
        pool.unused.erase(largest);
    }
}

void Pools::trim(void* pool, std::size_t kept_bytes) {
    const std::lock_guard lock(mutex_);
    shrink(*find(pool), kept_bytes);
}

void* Pools::allocate(void* handle, std::size_t bytes) {
    const auto rounded =
        (bytes + allocation_alignment - 1) / allocation_alignment * allocation_alignment;
    if (rounded < bytes) throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the size is too large");
    if (bytes == 0) return nullptr;
    const std::lock_guard lock(mutex_);
    const auto pool = find(handle == nullptr ? current_ : handle);
    // A block that is much larger than needed stays for other allocations.
    const auto unused = pool->unused.lower_bound(rounded);
    void* pointer = nullptr;
    auto size = rounded;
    if (unused != pool->unused.end() && unused->first / 2 <= rounded) {
        size = unused->first;
        pointer = unused->second;
        pool->unused.erase(unused);
    } else {
        pointer = allocate_memory(rounded);
        pool->reserved += rounded;
        pool->most_reserved = std::max(pool->most_reserved, pool->reserved);
    }
    reuse_memory(pointer, bytes);
    Allocations::instance().add({pointer, bytes, KBUILD_CPU_MEMORY_DEVICE, 0});
    blocks_[pointer] = {pool, size};
    pool->used += size;
    pool->most_used = std::max(pool->most_used, pool->used);
    return pointer;
}

bool Pools::give_back(void* pointer) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return false;
    check_memory(pointer);
    const auto [pool, bytes] = found->second;
    blocks_.erase(found);
    pool->used -= bytes;
    pool->unused.emplace(bytes, pointer);
    shrink(*pool, pool->is_destroyed ? 0 : std::max(pool->threshold, pool->used));
    return true;
}

void Pools::clear() {
    const std::lock_guard lock(mutex_);
    blocks_.clear();
    pools_.clear();
    pools_[default_pool()] = std::make_shared<Pool>();
    current_ = default_pool();
}

GraphMemory::GraphMemory(std::size_t bytes) : bytes_(bytes) {
    require(bytes != 0, "a node cannot allocate 0 bytes");
    pointer_ = allocate_memory(bytes);
    Allocations::instance().add({pointer_, bytes, KBUILD_CPU_MEMORY_DEVICE, graph_memory_flag});
    const auto now = graph_bytes += bytes;
    if (now > most_graph_bytes) most_graph_bytes = now;
}

GraphMemory::~GraphMemory() {
    graph_bytes -= bytes_;
    if (!Allocations::instance().remove(pointer_, {KBUILD_CPU_MEMORY_DEVICE})) return;
    note_release(pointer_);
    free_memory(pointer_);
}

bool GraphMemory::contains(const void* address) noexcept {
    const auto found = Allocations::instance().find(address);
    return found.kind == KBUILD_CPU_MEMORY_DEVICE && (found.flags & graph_memory_flag) != 0;
}

std::uint64_t GraphMemory::attribute(int number) {
    require(number >= 0 && number <= 3, "unknown attribute of the memory of graphs");
    return number % 2 == 0 ? graph_bytes : most_graph_bytes;
}

void GraphMemory::reset_attribute(int number) {
    require(number == 1 || number == 3, "only the maximum can be reset");
    most_graph_bytes = graph_bytes.load();
}

}  // namespace kbuild::cpu
