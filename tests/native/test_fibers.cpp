// Fibers, their stacks, and queues of them.
#include <doctest/doctest.h>

#include "fibers/fiber.hpp"
#include "fibers/stacks.hpp"
#include "launches/tasks.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

using namespace kbuild::cpu;

namespace {

// Two fibers and the place that started them.
struct Switches {
    Stacks& stacks;
    Fiber home{}, first{}, second{};
    std::string trace{};
};

void run_second(void* data);

void run_first(void* data) {
    Fiber::begin();
    auto& all = *static_cast<Switches*>(data);
    all.trace += "a";
    Fiber::start(all.first, all.second, all.stacks.use(1), {run_second, &all, all.home}, nullptr);
    all.trace += "c";
    Fiber::switch_to(all.first, all.second, nullptr);
}

void run_second(void* data) {
    Fiber::begin();
    auto& all = *static_cast<Switches*>(data);
    all.trace += "b";
    Fiber::switch_to(all.second, all.first, nullptr);
    all.trace += "d";
    Fiber::finish(all.home);
}

TEST_CASE("fibers take turns") {
    Stacks stacks;
    stacks.reserve(2);
    Switches all{stacks};
    for (int round = 0; round < 3; ++round) {
        // The first fiber did not finish: what it left on its stack is discarded.
        Fiber::start(all.home, all.first, stacks.use(0), {run_first, &all, all.home}, nullptr);
        all.trace += "e";
    }
    REQUIRE(all.trace == "abcdeabcdeabcde");
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
        Fiber::switch_to(all.fiber, all.home, nullptr);
    };
    Fiber::start(all.home, all.fiber, stacks.use(0), {body, &all, all.home}, nullptr);
    REQUIRE(all.is_caught);
}

TEST_CASE("stacks do not overlap") {
    Stacks stacks;
    stacks.reserve(20);
    REQUIRE(stacks.count() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
        const auto whole = stacks.whole(i), used = stacks.use(i);
        // The first one also has room for the arrays of a kernel.
        REQUIRE((i == 0 ? whole.size > stack_bytes() : whole.size == stack_bytes()));
        REQUIRE(used.base > whole.base);
        REQUIRE(used.base + used.size <= whole.base + whole.size);
        if (i > 0) REQUIRE(whole.base >= stacks.whole(i - 1).base + stacks.whole(i - 1).size);
        std::memset(used.base, 1, used.size);
    }
    stacks.reserve(10);
    REQUIRE(stacks.count() == 20);
}

TEST_CASE("a queue keeps the order of tasks") {
    std::vector<Task> tasks(5);
    TaskQueue queue, other;
    for (int round = 0; round < 3; ++round) {
        queue.push(&tasks[0]);
        queue.push(&tasks[1]);
        REQUIRE(queue.pop() == &tasks[0]);
        other.push(&tasks[2]);
        other.push(&tasks[3]);
        queue.take(other);
        REQUIRE(other.is_empty());
        queue.take(other);
        queue.push(&tasks[4]);
        REQUIRE(queue.size() == 4);
        REQUIRE(queue.front() == &tasks[1]);
        for (int i = 1; i < 5; ++i) REQUIRE(queue.pop() == &tasks[i]);
        REQUIRE(queue.is_empty());
    }
    queue.push(&tasks[0]);
    queue.clear();
    REQUIRE(queue.is_empty());
    other.push(&tasks[1]);
    queue.take(other);
    REQUIRE(queue.pop() == &tasks[1]);
}

struct Receiver {
    Fiber home, fiber;
    std::vector<const void*> received;
};

TEST_CASE("a fiber that continues receives the result that it has left") {
    Stacks stacks;
    stacks.reserve(1);
    Receiver all;
    const auto body = [](void* data) {
        Fiber::begin();
        auto& all = *static_cast<Receiver*>(data);
        for (;;) all.received.push_back(Fiber::switch_to(all.fiber, all.home, &all.fiber));
    };
    const int values[2] = {};
    REQUIRE(Fiber::start(all.home, all.fiber, stacks.use(0), {body, &all, all.home}, &values[0]) ==
            &values[0]);
    REQUIRE(Fiber::switch_to(all.home, all.fiber, &values[1]) == &values[1]);
    REQUIRE(Fiber::switch_to(all.home, all.fiber, nullptr) == nullptr);
    REQUIRE(all.received == std::vector<const void*>{&all.fiber, &all.fiber});
}

}  // namespace
