// Which accesses happen before others, besides those that a barrier of the block separates.
#ifndef KBUILD_CPU_CHECKS_ORDER_HPP
#define KBUILD_CPU_CHECKS_ORDER_HPP

#include "checks/cells.hpp"

#include <kbuild/detail/cpu_checks.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

namespace kbuild::cpu::checks {

// Up to when the accesses of other threads have happened, for a thread or a block that has acquired
// that knowledge.
class Knowledge {
public:
    // The accesses of a thread, or of all threads of a block, before this time.
    void add_thread(std::uint64_t who, std::uint32_t time, kbuild_cpu_scope scope);
    void add_block(std::uint32_t block, std::uint32_t time, kbuild_cpu_scope scope);
    void add(const Knowledge& other);
    // Returns whether a thread of this block knows the access.
    bool covers(Access access, std::uint32_t block) const;

private:
    // With very many entries, races are no longer told apart, and none is reported.
    static constexpr std::size_t most_entries = 4096;
    void add_entry(std::uint64_t key, std::uint32_t time);

    std::unordered_map<std::uint64_t, std::uint32_t> times_;
    bool has_all_ = false;
};

// Shared until somebody adds to it.
class SharedKnowledge {
public:
    bool exists() const { return value_ != nullptr; }
    const Knowledge* get() const { return value_.get(); }
    void add(const SharedKnowledge& other);
    Knowledge& change();
    void clear() { value_.reset(); }

private:
    std::shared_ptr<Knowledge> value_;
};

}  // namespace kbuild::cpu::checks

#endif
