// The order of tasks and of blocks, and ranges of addresses.
#include "checks/ranges.hpp"
#include "checks/tasks.hpp"
#include "launches/block_order.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace {

using kbuild::cpu::BlockOrder;
using kbuild::cpu::checks::Ranges;
using kbuild::cpu::checks::TaskOrder;

TEST_CASE("tasks of a chain are ordered, and those of two chains are not") {
    TaskOrder order;
    const auto first = order.add({});
    const auto second = order.add({first});
    const auto other = order.add({nullptr});
    CHECK(TaskOrder::are_ordered(*first, *second));
    CHECK(!TaskOrder::are_ordered(*second, *other));
    const auto both = order.add({second, other});
    CHECK(TaskOrder::are_ordered(*first, *both));
    CHECK(TaskOrder::are_ordered(*other, *both));
}

TEST_CASE("two successors of a task are not ordered") {
    TaskOrder order;
    const auto first = order.add({});
    const auto left = order.add({first});
    const auto right = order.add({first});
    CHECK(TaskOrder::are_ordered(*first, *right));
    CHECK(!TaskOrder::are_ordered(*left, *right));
}

TEST_CASE("what the host has waited for comes before its later tasks") {
    TaskOrder order;
    const auto first = order.add({});
    const auto other = order.add({});
    const auto before = order.now();
    CHECK(order.is_running(*first, before));
    order.join_host(first);
    CHECK(!order.is_running(*first, order.now()));
    CHECK(order.is_running(*first, before));
    const auto later = order.add({});
    CHECK(TaskOrder::are_ordered(*first, *later));
    CHECK(!TaskOrder::are_ordered(*other, *later));
    order.join_all();
    CHECK(!order.has_pending());
    const auto last = order.add({});
    CHECK(TaskOrder::are_ordered(*other, *last));
    CHECK(!order.is_running(*last, before));
}

TEST_CASE("ranges join, and lose parts") {
    Ranges ranges;
    ranges.add(100, 10);
    ranges.add(110, 10);
    ranges.add(130, 5);
    CHECK(ranges.contains(100));
    CHECK(ranges.contains(119));
    CHECK(!ranges.contains(120));
    ranges.add(115, 20);
    CHECK(ranges.contains(129));
    ranges.remove(105, 20);
    CHECK(ranges.contains(104));
    CHECK(!ranges.contains(105));
    CHECK(!ranges.contains(124));
    CHECK(ranges.contains(125));
    CHECK(ranges.contains(134));
    CHECK(!ranges.contains(135));
}

TEST_CASE("each seed runs each block once") {
    for (const unsigned seed : {0u, 1u, 2u, 3u, 77u})
        for (const std::uint64_t count : {1u, 2u, 3u, 64u, 97u, 1000u}) {
            const BlockOrder order(count, seed);
            std::vector<bool> seen(count);
            for (std::uint64_t i = 0; i < count; ++i) seen[order(i)] = true;
            for (const bool is_seen : seen) CHECK(is_seen);
        }
    CHECK(BlockOrder(5, 0)(1) == 1);
    CHECK(BlockOrder(5, 1)(1) == 3);
}

}  // namespace
