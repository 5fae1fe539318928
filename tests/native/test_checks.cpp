// What the checks record of accesses, and what orders them.
#include "checks/cells.hpp"
#include "checks/history.hpp"
#include "checks/order.hpp"

#include <doctest/doctest.h>

using namespace kbuild::cpu;
using namespace kbuild::cpu::checks;

TEST_CASE("an access keeps what it was made of") {
    const Access access(Access::name(Access::block_mask, 1023), 5, Access::atomic_of_block,
                        Access::last_time);
    CHECK(access.block() == Access::block_mask);
    CHECK(access.thread() == 1023);
    CHECK(access.mask() == 5);
    CHECK(access.flags() == Access::atomic_of_block);
    CHECK(access.time() == Access::last_time);
    CHECK(access.exists());
    CHECK_FALSE(Access().exists());
}

TEST_CASE("a cell keeps two reads and two lines") {
    Cell cell = {};
    cell.set_read_site(0x123456);
    cell.set_write_site(0x654321);
    cell.set_valid(15);
    cell.set_written(3);
    cell.read = Access(Access::name(7, 9), 15, 0, 1000);
    CHECK_FALSE(cell.has_other());
    cell.set_other(Access(Access::name(Access::block_mask, 1000), 15, 0, Access::last_time - 1));
    REQUIRE(cell.has_other());
    CHECK(cell.other_read().block() == Access::block_mask);
    CHECK(cell.other_read().thread() == 1000);
    CHECK(cell.other_read().time() == Access::last_time - 1);
    CHECK((cell.read_site & Cell::site_mask) == 0x123456);
    CHECK((cell.write_site & Cell::site_mask) == 0x654321);
    CHECK(cell.valid() == 15);
    CHECK(cell.written() == 3);
    cell.forget_other();
    CHECK_FALSE(cell.has_other());
    cell.set_other(Access(Access::name(0, 0), 15, 0, 1));  // the first read of the first thread
    CHECK(cell.has_other());
}

TEST_CASE("knowledge covers what happened before its time") {
    Knowledge knowledge;
    knowledge.add_thread(Access::name(1, 2), 10, KBUILD_CPU_ALL_THREADS);
    knowledge.add_block(3, 20, KBUILD_CPU_ALL_THREADS);
    knowledge.add_thread(Access::name(4, 5), 30, KBUILD_CPU_THREADS_OF_BLOCK);
    const auto at = [](std::uint32_t block, std::uint32_t thread, std::uint32_t time) {
        return Access(Access::name(block, thread), 15, 0, time);
    };
    CHECK(knowledge.covers(at(1, 2, 9), 0));
    CHECK_FALSE(knowledge.covers(at(1, 2, 10), 0));
    CHECK_FALSE(knowledge.covers(at(1, 3, 9), 0));
    CHECK(knowledge.covers(at(3, 77, 19), 0));
    CHECK(knowledge.covers(at(4, 5, 29), 4));
    CHECK_FALSE(knowledge.covers(at(4, 5, 29), 0));
}

TEST_CASE("shared knowledge is copied before it changes") {
    SharedKnowledge first;
    first.change().add_thread(Access::name(1, 1), 5, KBUILD_CPU_ALL_THREADS);
    SharedKnowledge second;
    second.add(first);
    CHECK(second.get() == first.get());
    second.change().add_thread(Access::name(2, 2), 5, KBUILD_CPU_ALL_THREADS);
    const Access access(Access::name(2, 2), 15, 0, 1);
    CHECK(second.get()->covers(access, 0));
    CHECK_FALSE(first.get()->covers(access, 0));
}

TEST_CASE("the history finds freed and near allocations") {
    History history;
    history.add(1000, 100, KBUILD_CPU_MEMORY_DEVICE, false);
    history.add(2000, 100, KBUILD_CPU_MEMORY_MANAGED, false);
    REQUIRE(history.find(1099) != nullptr);
    CHECK(history.find(1099)->number == 1);
    CHECK(history.find(1110)->number == 1);
    CHECK(history.find(1990)->number == 2);
    CHECK(history.list_live().size() == 2);
    CHECK(history.remove(1000).has_value());
    CHECK_FALSE(history.remove(1000).has_value());
    CHECK(history.find(1050)->is_free);
    CHECK(history.list_live().size() == 1);
    CHECK(compare_address(1104, 1000, 100, "it") == "4 bytes past the end of it");
    CHECK(compare_address(999, 1000, 100, "it") == "1 byte before it");
}
