// What the checks record of accesses, and what orders them.
#include "checks/cells.hpp"
#include "checks/history.hpp"
#include "checks/order.hpp"

#include <doctest/doctest.h>

#include <vector>

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
    CHECK(cell.read_site() == 0x123456);
    CHECK(cell.write_site() == 0x654321);
    CHECK(cell.valid() == 15);
    CHECK(cell.written() == 3);
    cell.forget_other();
    CHECK_FALSE(cell.has_other());
    cell.set_other(Access(Access::name(0, 0), 15, 0, 1));  // the first read of the first thread
    CHECK(cell.has_other());
}

TEST_CASE("a cell takes over the last repeated read") {
    std::vector<char> memory(Region::count_bytes(1));
    Region region;
    region.bytes = word_bytes;
    region.use_memory(memory.data(), 1);
    const auto read_by = [](std::uint32_t thread) {
        return Access(Access::name(7, thread), whole_word, 0, 3);
    };
    auto& cell = region.cell(0);
    cell.set_read(read_by(2), 0x10);
    cell.set_other(read_by(1));
    const auto repeat = [&](std::uint32_t thread) {
        *region.repeats_of(0) = Repeat(5, thread).at(0xABCDEF).bits();
        return region.cell(0).read.thread();
    };
    CHECK(repeat(9) == 9);
    CHECK(cell.other_read().thread() == 1);
    CHECK(cell.read_site() == 0xABCDEF);
    CHECK(*region.repeats_of(0) == 0);
    CHECK(repeat(1) == 1);  // the two reads are of different threads
    CHECK(cell.other_read().thread() == 9);
    cell.set_write(read_by(4), 0x20);
    CHECK_FALSE(cell.read.exists());
}

TEST_CASE("a read is repeated only in its interval") {
    const Repeat now(8, 3);
    CHECK(now.at(0x123456).differs_at_most_in_thread(Repeat(8, 1023).at(0x123456).bits()));
    CHECK_FALSE(now.at(0x123456).differs_at_most_in_thread(Repeat(8, 3).at(0x123457).bits()));
    CHECK_FALSE(now.at(0x123456).differs_at_most_in_thread(Repeat(9, 3).at(0x123456).bits()));
    CHECK(now.is_in_interval_of(Repeat(8, 4).at(0x10).bits()));
    CHECK_FALSE(now.is_in_interval_of(0));
    CHECK(Repeat(Repeat::last_interval, 1023).at(0x1FFFFFF).site() == 0xFFFFFF);
    CHECK_FALSE(Repeat(0, 1023).has_interval());
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

TEST_CASE("what one thread adds, others do not know") {
    const auto of = [](std::uint32_t block) { return Access(Access::name(block, 1), 15, 0, 1); };
    const auto add = [](Knowledge& knowledge, std::uint32_t block) {
        knowledge.add_thread(Access::name(block, 1), 5, KBUILD_CPU_ALL_THREADS);
    };
    Knowledge first;
    add(first, 1);
    Knowledge second = first;
    add(second, 2);
    CHECK(second.covers(of(2), 0));
    CHECK_FALSE(first.covers(of(2), 0));
    add(first, 3);  // another branch
    CHECK(first.covers(of(1), 0));
    CHECK(first.covers(of(3), 0));
    CHECK_FALSE(second.covers(of(3), 0));
    CHECK_FALSE(first.covers(of(2), 0));
    second.add(first);
    CHECK(second.covers(of(2), 0));
    CHECK(second.covers(of(3), 0));
}

TEST_CASE("a chain of many threads is exact") {
    Knowledge known;
    const Knowledge before = known;
    for (std::uint32_t block = 0; block < 100000; ++block) {
        Knowledge next = known;
        if (block != 5) next.add_thread(Access::name(block, 0), 9, KBUILD_CPU_ALL_THREADS);
        known = next;
    }
    CHECK(known.covers(Access(Access::name(4, 0), 15, 0, 8), 77));
    CHECK_FALSE(known.covers(Access(Access::name(5, 0), 15, 0, 8), 77));
    CHECK_FALSE(before.exists());
}

TEST_CASE("bytes get cells of their own") {
    std::vector<char> memory(Region::count_bytes(1));
    Region region;
    region.bytes = word_bytes;
    region.use_memory(memory.data(), 1);
    auto& cell = region.cell(0);
    cell.write = Access(Access::name(1, 2), 3, 0, 7);
    cell.read = Access(Access::name(3, 4), 4, 0, 8);
    CHECK_FALSE(cell.is_divided());
    region.divide(cell);
    REQUIRE(cell.is_divided());
    const auto& bytes = region.bytes_of(cell);
    CHECK(bytes[0].write.mask() == 1);
    CHECK(bytes[1].write.thread() == 2);
    CHECK_FALSE(bytes[2].write.exists());
    CHECK(bytes[2].read.thread() == 4);
    CHECK_FALSE(bytes[3].read.exists());
    cell.forget_accesses();
    CHECK_FALSE(cell.is_divided());
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
