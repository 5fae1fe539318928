// Memory pools: memory that is allocated and freed in the order of a stream.
#ifndef KBUILD_CPU_MEMORY_POOLS_HPP
#define KBUILD_CPU_MEMORY_POOLS_HPP

#include "fork_safe_mutex.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace kbuild::cpu {

constexpr std::size_t allocation_alignment = 512;  // as CUDA has; textures need 256

// The vendor's numbers.
enum class PoolAttribute {
    follow_event_dependencies = 1,
    allow_opportunistic = 2,
    allow_internal_dependencies = 3,
    release_threshold = 4,
    reserved_now = 5,
    reserved_most = 6,
    used_now = 7,
    used_most = 8
};

// The pools of the process. Handles are those of Streams: in neither heap nor stack. All functions
// throw Failure.
class Pools {
public:
    static Pools& instance();

    void* create();
    void destroy(void* pool);
    void* default_pool() const;
    void* current();
    void set_current(void* pool);
    std::uint64_t attribute(void* pool, int number);
    void set_attribute(void* pool, int number, std::uint64_t value);
    void trim(void* pool, std::size_t kept_bytes);
    void check(void* pool);

    // A null pool is the current one.
    void* allocate(void* pool, std::size_t bytes);

    // Returns the memory to its pool. Returns false if it does not come from a pool.
    bool give_back(void* pointer) noexcept;

    // Forgets all memory, which the caller frees, and all pools but the default one.
    void clear();

private:
    struct Pool {
        std::multimap<std::size_t, void*> unused;
        std::uint64_t flags[4] = {0, 1, 1, 1};
        std::uint64_t threshold = 0;
        std::uint64_t reserved = 0, most_reserved = 0;
        std::uint64_t used = 0, most_used = 0;
        bool is_destroyed = false;
        ~Pool();
    };
    struct Block {
        std::shared_ptr<Pool> pool;
        std::size_t bytes;
    };

    Pools();
    std::shared_ptr<Pool>& find(void* pool);
    static void shrink(Pool& pool, std::size_t kept_bytes) noexcept;

    ForkSafeMutex mutex_{LockRank::pools};
    std::uintptr_t last_handle_ = 0;
    void* current_ = nullptr;
    std::map<void*, std::shared_ptr<Pool>> pools_;
    std::map<void*, Block> blocks_;
};

// The memory that graphs allocate, which exists as long as one of them.
class GraphMemory {
public:
    explicit GraphMemory(std::size_t bytes);
    ~GraphMemory();
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;

    void* pointer() const { return pointer_; }
    std::size_t bytes() const { return bytes_; }

    // Returns whether an address is in such memory, which only the graph frees.
    static bool contains(const void* address) noexcept;

    // The vendor's numbers: used now, used at most, reserved now, reserved at most.
    static std::uint64_t attribute(int number);
    static void reset_attribute(int number);

private:
    void* pointer_ = nullptr;
    std::size_t bytes_;
};

}  // namespace kbuild::cpu

#endif
