// Memory pools, and the table of allocations.
#include <doctest/doctest.h>

#include "api/errors.hpp"
#include "memory/allocations.hpp"
#include "memory/pools.hpp"

#include <cstdint>
#include <cstdlib>

using namespace kbuild::cpu;

namespace {

// A pool that exists as long as this object.
class NewPool {
public:
    NewPool() : pool_(Pools::instance().create()) {}
    ~NewPool() { Pools::instance().destroy(pool_); }
    NewPool(const NewPool&) = delete;
    NewPool& operator=(const NewPool&) = delete;

    void* allocate(std::size_t bytes) const { return Pools::instance().allocate(pool_, bytes); }
    std::uint64_t get(PoolAttribute attribute) const {
        return Pools::instance().attribute(pool_, static_cast<int>(attribute));
    }
    void set(PoolAttribute attribute, std::uint64_t value) const {
        Pools::instance().set_attribute(pool_, static_cast<int>(attribute), value);
    }

private:
    void* pool_;
};

// Releases memory as the program does.
void release(void* pointer) {
    REQUIRE(Allocations::instance().remove(pointer, {KBUILD_CPU_MEMORY_DEVICE}));
    REQUIRE(Pools::instance().give_back(pointer));
}

TEST_CASE("a pool keeps memory up to its threshold") {
    const NewPool pool;
    void* const first = pool.allocate(1000);
    REQUIRE(reinterpret_cast<std::uintptr_t>(first) % allocation_alignment == 0);
    REQUIRE(pool.get(PoolAttribute::used_now) == 1024);
    release(first);
    REQUIRE(pool.get(PoolAttribute::reserved_now) == 0);

    pool.set(PoolAttribute::release_threshold, 1 << 20);
    void* const second = pool.allocate(1000);
    release(second);
    REQUIRE(pool.get(PoolAttribute::used_now) == 0);
    REQUIRE(pool.get(PoolAttribute::reserved_now) == 1024);
    void* const third = pool.allocate(900);
    REQUIRE(third == second);
    release(third);
}

TEST_CASE("a pool keeps large memory for large allocations") {
    const NewPool pool;
    pool.set(PoolAttribute::release_threshold, 1 << 20);
    void* const large = pool.allocate(100 * allocation_alignment);
    release(large);
    void* const small = pool.allocate(1);
    REQUIRE(small != large);
    REQUIRE(pool.get(PoolAttribute::reserved_now) == 101 * allocation_alignment);
    release(small);
}

TEST_CASE("a pool counts what it used at most") {
    const NewPool pool;
    release(pool.allocate(4 * allocation_alignment));
    REQUIRE(pool.get(PoolAttribute::used_most) == 4 * allocation_alignment);
    pool.set(PoolAttribute::used_most, 0);
    REQUIRE(pool.get(PoolAttribute::used_most) == 0);
    REQUIRE_THROWS_WITH_AS(pool.set(PoolAttribute::used_most, 1),
                           "the maximum can only be set to 0", Failure);
    REQUIRE_THROWS_AS(pool.set(PoolAttribute::used_now, 0), Failure);
}

TEST_CASE("memory of a destroyed pool remains valid") {
    void* pointer = nullptr;
    {
        const NewPool pool;
        *static_cast<int*>(pointer = pool.allocate(sizeof(int))) = 7;
    }
    REQUIRE(*static_cast<int*>(pointer) == 7);
    release(pointer);
}

TEST_CASE("invalid uses of pools are rejected") {
    auto& pools = Pools::instance();
    int local = 0;
    REQUIRE_THROWS_AS(pools.check(&local), Failure);
    REQUIRE_THROWS_AS(pools.destroy(pools.default_pool()), Failure);
    REQUIRE_THROWS_AS(pools.allocate(nullptr, SIZE_MAX), Failure);
    REQUIRE_THROWS_AS(pools.attribute(nullptr, 1), Failure);
    REQUIRE(pools.allocate(nullptr, 0) == nullptr);
    REQUIRE(!pools.give_back(&local));
}

TEST_CASE("registered memory does not overlap with allocations") {
    auto& allocations = Allocations::instance();
    char memory[300];
    const auto describe = [&](int start, std::size_t bytes) {
        return Allocation{memory + start, bytes, KBUILD_CPU_MEMORY_REGISTERED, 5};
    };
    allocations.add_registered(describe(100, 100));
    REQUIRE_THROWS_AS(allocations.add_registered(describe(199, 1)), Failure);
    REQUIRE_THROWS_AS(allocations.add_registered(describe(0, 101)), Failure);
    allocations.add_registered(describe(200, 100));
    REQUIRE(allocations.find(memory + 199).base == memory + 100);
    REQUIRE(allocations.find(memory + 200).base == memory + 200);
    REQUIRE(allocations.find(memory + 99).base == nullptr);
    REQUIRE(allocations.find(memory + 150).flags == 5);
    REQUIRE(!allocations.remove(memory + 100, {KBUILD_CPU_MEMORY_DEVICE}));
    REQUIRE(allocations.remove(memory + 100, {KBUILD_CPU_MEMORY_REGISTERED}));
    REQUIRE(allocations.remove(memory + 200, {KBUILD_CPU_MEMORY_REGISTERED}));
    REQUIRE(allocations.find(memory + 150).base == nullptr);
}

}  // namespace
