// Which accesses happen before others, besides those that a barrier of the block separates.
#ifndef KBUILD_CPU_CHECKS_ORDER_HPP
#define KBUILD_CPU_CHECKS_ORDER_HPP

#include "checks/cells.hpp"

#include <kbuild/detail/cpu_checks.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace kbuild::cpu::checks {

// Up to when the accesses of other threads have happened, for a thread or a block that has acquired
// that knowledge. A copy costs nothing: usually, one thread after another adds to what the one before knew, so all
// share a list, of which each knows the entries up to some place.
class Knowledge {
public:
    bool exists() const { return list_ != nullptr; }
    void clear() {
        list_.reset();
        size_ = 0;
    }
    // The accesses of a thread, or of all threads of a block, before this time.
    void add_thread(std::uint64_t who, std::uint32_t time, kbuild_cpu_scope scope);
    void add_block(std::uint32_t block, std::uint32_t time, kbuild_cpu_scope scope);
    void add(const Knowledge& other);
    // Returns whether a thread of this block knows the access.
    bool covers(Access access, std::uint32_t block) const;

private:
    struct Entry {
        std::uint32_t place;  // in the list
        std::uint32_t time;
    };
    struct List {
        std::unordered_map<std::uint64_t, std::vector<Entry>> entries;  // by whom they are about
        std::uint32_t size = 0;
    };
    void add_entry(std::uint64_t key, std::uint32_t time);
    std::uint32_t find_time(std::uint64_t key) const;

    std::shared_ptr<List> list_;
    std::uint32_t size_ = 0;  // the entries that it knows
};

}  // namespace kbuild::cpu::checks

#endif
