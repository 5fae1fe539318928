// Fibers, their stacks, and queues of them.
#include <doctest/doctest.h>

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"
#include "launches/block.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kbuild::cpu;

namespace {

// Two fibers and the place that started them.
struct Switches {
    Fiber home, first, second;
    std::string trace;
};

void run_first(void* data) {
    Fiber::begin();
    auto& all = *static_cast<Switches*>(data);
    all.trace += "a";
    Fiber::switch_to(all.first, all.second);
    all.trace += "c";
    Fiber::switch_to(all.first, all.home);
}

void run_second(void* data) {
    Fiber::begin();
    auto& all = *static_cast<Switches*>(data);
    all.trace += "b";
    Fiber::switch_to(all.second, all.first);
}

TEST_CASE("fibers take turns") {
    Stacks stacks;
    stacks.reserve(2);
    Switches all;
    for (int round = 0; round < 3; ++round) {
        // The second fiber did not finish: what it left on its stack is discarded.
        all.first.prepare(stacks.use(0), run_first, &all, all.home);
        all.second.prepare(stacks.use(1), run_second, &all, all.home);
        Fiber::switch_to(all.home, all.first);
        all.trace += "d";
    }
    REQUIRE(all.trace == "abcdabcdabcd");
}

struct Thrower {
    Fiber home, fiber;
    bool is_caught = false;
};

TEST_CASE("an exception is caught on the stack of a fiber") {
    Stacks stacks;
    stacks.reserve(1);
    Thrower all;
    const auto body = [](void* data) {
        Fiber::begin();
        auto& all = *static_cast<Thrower*>(data);
        try {
            throw std::runtime_error("in a fiber");
        } catch (const std::runtime_error&) {
            all.is_caught = true;
        }
        Fiber::switch_to(all.fiber, all.home);
    };
    all.fiber.prepare(stacks.use(0), body, &all, all.home);
    Fiber::switch_to(all.home, all.fiber);
    REQUIRE(all.is_caught);
}

TEST_CASE("stacks do not overlap") {
    Stacks stacks;
    stacks.reserve(20);
    REQUIRE(stacks.count() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
        const auto whole = stacks.whole(i), used = stacks.use(i);
        REQUIRE(whole.size == stack_bytes());
        REQUIRE(used.base > whole.base);
        REQUIRE(used.base + used.size <= whole.base + whole.size);
        if (i > 0) REQUIRE(whole.base == stacks.whole(i - 1).base + whole.size);
        std::memset(used.base, 1, used.size);
    }
    stacks.reserve(10);
    REQUIRE(stacks.count() == 20);
}

TEST_CASE("a queue keeps the order of tasks when it wraps around") {
    std::vector<Task> tasks(5);
    TaskQueue queue;
    queue.reserve(tasks.size());
    std::size_t next = 0;
    for (std::size_t round = 0; round < 20; ++round) {
        for (std::size_t i = 0; i < 3; ++i) queue.push(&tasks[(3 * round + i) % tasks.size()]);
        REQUIRE(queue.size() == 3);
        for (std::size_t i = 0; i < 3; ++i, ++next) {
            REQUIRE(queue.front() == &tasks[next % tasks.size()]);
            REQUIRE(queue.pop() == &tasks[next % tasks.size()]);
        }
        REQUIRE(queue.is_empty());
    }
    queue.push(&tasks[0]);
    queue.clear();
    REQUIRE(queue.is_empty());
}

}  // namespace
