// Checks each access of device code to memory.
#include "checks/checker.hpp"
#include "launches/report.hpp"
#include "launches/runner.hpp"
#include "loader.hpp"
#include "registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <sys/mman.h>

namespace kbuild::cpu::checks {
namespace {

#define KBUILD_CPU_INLINE __attribute__((always_inline)) inline

constexpr std::uintptr_t page = 4096;
constexpr std::uintptr_t farthest_dead_local = std::uintptr_t{1} << 15;
constexpr std::size_t bytes_ahead = 256;
constexpr std::size_t widest_write = 4 * word_bytes;  // of which the values are compared

unsigned flags_of(unsigned kind, kbuild_cpu_scope scope) {
    if ((kind & KBUILD_CPU_ATOMIC) != 0)
        return scope == KBUILD_CPU_THREADS_OF_BLOCK ? Access::atomic_of_block : Access::atomic;
    return (kind & KBUILD_CPU_VOLATILE) != 0 ? Access::is_volatile : 0;
}

const char* describe_race(std::string_view rule) {
    if (rule == "KC210") return "a thread uses memory of an asynchronous copy that is not finished";
    if (rule == "KC206")
        return "a thread reads a flag, and then volatile memory that was written before it, without a fence";
    if (rule == "KC205") return "threads access the same volatile memory, and nothing orders them";
    if (rule == "KC204")
        return "threads write the same value to the same memory without synchronization";
    if (rule == "KC203")
        return "two threads of a warp access the same memory without synchronization, as if a warp ran "
               "in lockstep";
    if (rule == "KC201")
        return "two threads of a block access the same memory without synchronization";
    return "threads of two blocks access the same memory without synchronization";
}

// Without a prefix, a name such as 'a' would be that of a type.
std::string demangle_variable(const std::string& name) {
    return name.find("_Z") == 0 ? demangle_kernel(name.c_str()) : name;
}

// Returns whether the process has memory at an address, so that an access does not end it.
bool is_mapped(std::uintptr_t address) {
    unsigned char is_resident;
    return mincore(reinterpret_cast<void*>(address / page * page), page, &is_resident) == 0;
}

// The texts of errors are in the object of the runtime.
bool is_of_runtime(const void* address) { return is_in_own_object(address); }

}  // namespace

KBUILD_CPU_INLINE const Region* Checker::find_region(std::uintptr_t address) noexcept {
    if (__builtin_expect(block_->statics.contains(address), 1)) return &block_->statics;
    if (arena_.region().contains(address)) return &arena_.region();
    if (block_->dynamic.contains(address)) return &block_->dynamic;
    if (data_->contains(address)) return data_;
    return nullptr;
}

// Returns whether the address is in the stack below the function that the compiler has instrumented, which calls the
// function that contains this one.
KBUILD_CPU_INLINE bool is_dead_local(std::uintptr_t address) noexcept {
    const auto end = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
    return end - address - 1 < farthest_dead_local;
}

// The variables of the thread itself, and the results of waits.
KBUILD_CPU_INLINE bool Checker::is_private(std::uintptr_t address) const noexcept {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return address - (here - private_bytes_) < 2 * private_bytes_ ||
           address - storage_start_ < storage_bytes_ || address - result_start_ < result_bytes_;
}

// Most of the time of a checked program goes here. What is rare is in other functions, which are called in its place, so that
// this one needs no stack, and the function that the compiler has instrumented is their caller, too.
template <unsigned log_bytes, bool is_write>
void Checker::check_plain(const void* place, const void* site) {
    auto& self = *find();
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    const auto* const region = self.find_region(address);
    if (region != nullptr && self.record_plain<log_bytes, is_write>(*region, address, site)) return;
    self.check_rare<log_bytes, is_write>(region, address, site);
}

template <unsigned log_bytes, bool is_write>
__attribute__((noinline)) void Checker::check_rare(const Region* region, std::uintptr_t address,
                                                   const void* site) {
    constexpr std::size_t bytes = std::size_t{1} << log_bytes;
    constexpr unsigned kind = is_write ? KBUILD_CPU_WRITES : KBUILD_CPU_READS;
    note_site(site_of(site));
    if (!has_pending_ && address % bytes == 0) {
        if (region == nullptr && is_dead_local(address))
            return report_dead_local(address, bytes, kind, site);
        if (region == nullptr ? is_private(address)
                              : region->take_repeats(address, bytes) &&
                                    record_plain<log_bytes, is_write>(*region, address, site))
            return;
    }
    check_ordinary(address, bytes, kind, site);
}

// Records an access as check_word does, if that needs no more than a few comparisons. Returns whether it has.
// An access can be recorded again.
template <unsigned log_bytes, bool is_write>
KBUILD_CPU_INLINE bool Checker::record_plain(const Region& region, std::uintptr_t address,
                                             const void* place) {
    constexpr std::size_t bytes = std::size_t{1} << log_bytes;
    constexpr std::size_t words = bytes < word_bytes ? 1 : bytes / word_bytes;
    constexpr bool can_repeat = !is_write && bytes >= word_bytes;
    if (address % bytes != 0) return false;
    const auto site = site_of(place);
    auto* const repeats = region.repeats_of(address);
    if constexpr (can_repeat)
        if (__builtin_expect(repeat_read<words>(repeats, site), 1)) return true;
    note_site(site);
    if (has_pending_ || (is_write && region.has_constants)) return false;
    if (words > 1 && !region.contains(address + bytes - word_bytes)) return false;
    if constexpr (can_repeat)
        if (repeat_in_other_line<words>(repeats, site)) return true;
    const auto mask =
        bytes < word_bytes ? ((1u << bytes) - 1) << (address % word_bytes) : whole_word;
    auto* const cells = region.cells + (repeats - region.repeats);
    for (std::size_t i = 0; i < words; ++i) {
        if (repeats[i] != 0) return false;
        if constexpr (is_write) {
            if (!record_plain_write(region, cells[i], mask, site)) return false;
        } else {
            if (!record_plain_read(region, cells[i], mask, site)) return false;
            if (can_repeat && is_repeated(cells[i])) repeats[i] = repeat_.at(site).bits();
        }
    }
    if constexpr (is_write) note_write();
    return true;
}

// Records a read of words that other threads of the block have read in this line since the last barrier. Returns whether it
// has.
template <std::size_t words>
KBUILD_CPU_INLINE bool Checker::repeat_read(std::uint64_t* repeats, std::uint32_t site) noexcept {
    const auto now = repeat_.at(site);
    for (std::size_t i = 0; i < words; ++i)
        if (!now.differs_at_most_in_thread(repeats[i])) return false;
    for (std::size_t i = 0; i < words; ++i) repeats[i] = now.bits();
    return true;
}

// The same for any line.
template <std::size_t words>
KBUILD_CPU_INLINE bool Checker::repeat_in_other_line(std::uint64_t* repeats,
                                                     std::uint32_t site) noexcept {
    for (std::size_t i = 0; i < words; ++i)
        if (repeats[i] == 0 || !repeat_.is_in_interval_of(repeats[i])) return false;
    for (std::size_t i = 0; i < words; ++i) repeats[i] = repeat_.at(site).bits();
    return true;
}

__attribute__((noinline)) void Checker::check_ordinary(std::uintptr_t address, std::size_t bytes,
                                                       unsigned kind, const void* site) {
    check_access(address, bytes, kind, site);
    // Compilers also copy objects with parts of 8 bytes like this. They check the alignment of types by themselves.
    check_alignment({address, bytes, kind, site_of(site)}, std::min<std::size_t>(bytes, 8));
}

void Checker::check_alignment(Event event, std::size_t alignment) {
    if (event.address % alignment != 0 && find_region(event.address) != nullptr)
        report_memory("KC104", event, "the address of an access is not a multiple of its size");
}

template void Checker::check_plain<0, false>(const void*, const void*);
template void Checker::check_plain<1, false>(const void*, const void*);
template void Checker::check_plain<2, false>(const void*, const void*);
template void Checker::check_plain<3, false>(const void*, const void*);
template void Checker::check_plain<4, false>(const void*, const void*);
template void Checker::check_plain<0, true>(const void*, const void*);
template void Checker::check_plain<1, true>(const void*, const void*);
template void Checker::check_plain<2, true>(const void*, const void*);
template void Checker::check_plain<3, true>(const void*, const void*);
template void Checker::check_plain<4, true>(const void*, const void*);

void Checker::check_access(std::uintptr_t address, std::size_t bytes, unsigned kind,
                           const void* site) {
    if (bytes == 0) return;
    if (has_pending_) judge_pending_write();
    const auto* const region = find_region(address);
    const Event event = {address, bytes, kind, site_of(site)};
    note_site(event.site);
    constexpr unsigned update = KBUILD_CPU_READS | KBUILD_CPU_WRITES | KBUILD_CPU_ATOMIC;
    if ((kind & ~unsigned{KBUILD_CPU_TAKES}) == update &&
        (bytes == word_bytes || bytes == 2 * word_bytes) && region != nullptr &&
        record_update(*region, address, bytes, event.site))
        return;
    // Compilers do not check the alignment of atomic accesses.
    if ((kind & KBUILD_CPU_ATOMIC) != 0 && settings_.memory) check_alignment(event, bytes);
    const bool is_synchronizing = (kind & (KBUILD_CPU_ATOMIC | KBUILD_CPU_VOLATILE)) != 0;
    if (is_synchronizing && (kind & KBUILD_CPU_RELEASES) != 0) fence(thread().scope);
    if (is_synchronizing && (kind & KBUILD_CPU_READS) != 0) acquire(address, kind);
    if (is_synchronizing && (kind & KBUILD_CPU_WRITES) != 0) order_volatile_writes(kind);
    if (region != nullptr)
        check_words(*region, event);
    else if (is_dead_local(address))
        report_dead_local(address, bytes, kind, site);
    else if (!is_private(address))
        check_other_memory(event);
    if (is_synchronizing && (kind & KBUILD_CPU_WRITES) != 0) release(address, kind);
    if ((kind & KBUILD_CPU_WRITES) == 0) return;
    // An atomic write behind a fence publishes what was written before it, so that later writes do not.
    if ((kind & KBUILD_CPU_ATOMIC) != 0)
        *writes_ &= static_cast<unsigned char>(~is_publishing);
    else
        note_write();
}

__attribute__((noinline)) void Checker::report_dead_local(std::uintptr_t address, std::size_t bytes,
                                                          unsigned kind, const void* site) {
    if (settings_.memory)
        report_memory("KC110", {address, bytes, kind, site_of(site)},
                      "an access to a local variable of a function that has returned",
                      "in a part of the thread's stack that no function uses");
}

void Checker::check_words(const Region& region, Event event) {
    if (region.has_constants && (event.kind & KBUILD_CPU_WRITES) != 0) check_constant(event);
    const auto end = event.address + event.bytes;
    bool is_valid = true;
    unsigned read_bytes = 0, fresh_bytes = 0;
    for (auto word = event.address & ~(word_bytes - 1); word < end && is_valid;
         word += word_bytes) {
        const auto first = std::max(word, event.address) - word;
        const auto last = std::min(word + word_bytes, end) - word;
        const auto mask = ((1u << last) - 1) & ~((1u << first) - 1);
        if (!region.contains(word)) break;
        check_word(region, word, mask, event, is_valid, read_bytes, fresh_bytes);
    }
    // Wider accesses can copy an object with padding, or with members that it does not use.
    const bool is_scalar = event.bytes <= word_bytes;
    if (is_valid && fresh_bytes != 0 && (is_scalar || fresh_bytes == read_bytes))
        report_uninitialized(region, event);
}

// Forgets the accesses before the current time, and the content of shared memory.
KBUILD_CPU_INLINE void Checker::renew(const Region& region, Cell& cell) const noexcept {
    cell.begin_epoch(region.epoch);
    if (region.is_shared) cell.forget_written();
}

// The same, but compares them with the launches that are not ordered with this one.
void Checker::renew_unordered(const Region& region, Cell& cell, unsigned mask, Event event) {
    const bool can_conflict = has_unordered_ && !region.is_shared;
    const auto kept = can_conflict ? check_other_launch(region, cell, mask, event) : 0;
    renew(region, cell);
    cell.keep_unordered_read(kept);
}

// Returns whether an access to a part of a word must not forget earlier ones to other parts.
bool Checker::keeps_bytes(const Region& region, const Cell& cell) const {
    if (!has_unordered_ || region.is_shared) return false;
    return cell.is_divided() ? region.has_bytes(cell) : is_unordered(cell);
}

void Checker::check_unordered_read(const Cell& cell, Event event) {
    if (has_unordered_ && (event.kind & KBUILD_CPU_WRITES) != 0 && cell.unordered_read() != 0)
        report_unordered_read(cell.unordered_read(), event);
}

bool Checker::is_behind_bad_index(std::uint32_t site) const {
    return bad_index_ == now_.bits() && image_->find_line(site).line == bad_index_line_;
}

// Reports an access to a word of which the program cannot use all bytes, as far as is known. Returns whether it can.
bool Checker::check_bounds(const Region& region, std::uintptr_t word, unsigned mask, Event event) {
    const auto valid = find_valid_bytes(region, word);
    if (region.is_initialized) {
        region.cell(word).set_written(whole_word);
        if (is_own_variable(event.address)) {
            if ((event.kind & KBUILD_CPU_WRITES) != 0) stop_write(event);
            return true;
        }
    }
    region.cell(word).set_valid(valid);
    if (valid == whole_word && &region == &arena_.region()) mark_valid_words(word);
    if ((mask & ~valid) == 0) return true;
    if (!settings_.memory) return false;
    if (region.is_initialized && is_behind_bad_index(event.site)) return false;
    const bool is_freed = !region.is_shared && [&] {
        const std::lock_guard lock(memory_mutex_);
        const auto* const near = history_.find(event.address);
        return near != nullptr && near->is_free && event.address - near->start < near->bytes;
    }();
    report_memory(is_freed ? "KC102" : "KC101", event,
                  is_freed ? "an access to memory that was freed"
                           : "an access outside of the memory it starts from");
    return false;
}

// To look up an allocation takes a lock, and kernels access one word after another.
void Checker::mark_valid_words(std::uintptr_t word) {
    const std::lock_guard lock(memory_mutex_);
    const auto* const found = history_.find(word);
    if (found == nullptr || found->is_free) return;
    const auto end = std::min(found->start + found->bytes, word + bytes_ahead);
    for (; word + word_bytes <= end; word += word_bytes)
        arena_.region().cell(word).set_valid(whole_word);
}

// The same for words that functions of the runtime have written.
void Checker::mark_written_words(const Region& region, std::uintptr_t word) {
    const std::lock_guard lock(memory_mutex_);
    const auto end =
        std::min({written_.find_end(word), word + bytes_ahead, region.start + region.bytes});
    for (; word + word_bytes <= end; word += word_bytes) region.cell(word).set_written(whole_word);
}

KBUILD_CPU_INLINE void Checker::check_word(const Region& region, std::uintptr_t word, unsigned mask,
                                           Event event, bool& is_valid, unsigned& read_bytes,
                                           unsigned& fresh_bytes) {
    auto& cell = region.cell(word);
    if (cell.epoch() == region.epoch)
        check_unordered_read(cell, event);
    else if (mask != whole_word && keeps_bytes(region, cell))
        region.divide(cell);
    else
        renew_unordered(region, cell, mask, event);
    if ((mask & ~cell.valid()) != 0 && !check_bounds(region, word, mask, event)) {
        is_valid = false;
        return;
    }
    if ((event.kind & KBUILD_CPU_READS) != 0 && checks_init_) {
        auto fresh = mask & ~cell.written();
        if (fresh != 0 && !region.is_shared) {
            const auto unwritten = find_unwritten(region, word);
            cell.set_written(whole_word & ~unwritten);
            if (unwritten == 0) mark_written_words(region, word);
            fresh &= unwritten;
        }
        read_bytes += static_cast<unsigned>(__builtin_popcount(mask));
        fresh_bytes += static_cast<unsigned>(__builtin_popcount(fresh));
    }
    if ((event.kind & KBUILD_CPU_WRITES) != 0) cell.set_written(mask);
    if (checks_races_) check_race(region, cell, word, mask, event);
}

// Returns the bytes of a word that the program can use.
unsigned Checker::find_valid_bytes(const Region& region, std::uintptr_t word) {
    const auto within = [&](std::uintptr_t start, std::size_t bytes) {
        unsigned mask = 0;
        for (unsigned i = 0; i < word_bytes; ++i)
            if (word + i - start < bytes) mask |= 1u << i;
        return mask;
    };
    if (region.is_dynamic) return within(region.start, launch_->shared_bytes);
    if (region.is_shared) {
        const auto* const variable = image_->find_shared(word + word_bytes - 1 - region.start);
        return variable == nullptr ? 0 : within(region.start + variable->place, variable->bytes);
    }
    for (const auto& image : images_)
        if (&region == &image->data()) return image->find_valid_bytes(word);
    if (&region != &arena_.region()) return whole_word;
    const std::lock_guard lock(memory_mutex_);
    const auto* const found = history_.find(word);
    return found == nullptr || found->is_free ? 0 : within(found->start, found->bytes);
}

// Reports a write to a `__constant__` variable, or to what compilers and linkers keep read-only.
void Checker::check_constant(Event event) {
    for (const auto& image : images_) {
        if (!image->contains(event.address)) continue;
        const bool is_data = image->data().contains(event.address);
        if (settings_.memory && (!is_data || image->is_constant(event.address)))
            report_memory("KC109", event, "a write to constant memory");
        return;
    }
}

bool Checker::is_own_variable(std::uintptr_t address) const noexcept {
    return std::any_of(images_.begin(), images_.end(),
                       [&](const auto& image) { return image->is_own(address); });
}

// Ends the kernel before it changes what the runtime needs.
void Checker::stop_write(Event event) {
    if (settings_.memory)
        report_memory("KC101", event, "an access outside of the memory it starts from");
    stop_kernel(describe_event(event));
}

void Checker::stop_kernel(Place place) {
    report_failure(KBUILD_CPU_ILLEGAL_ADDRESS, std::move(place));
    BlockRunner::device_api.trap(BlockRunner::running(), KBUILD_CPU_ILLEGAL_ADDRESS);
}

// Returns the other block of the cluster with shared memory at an address, or null.
const BlockState* Checker::find_block(std::uintptr_t address) const noexcept {
    for (const auto* const block : block_->cluster)
        if (block != block_ && block->has_memory_at(address)) return block;
    return nullptr;
}

// Memory that has no fixed place. Returns whether the program can use it.
bool Checker::check_other_memory(Event event) {
    if (const auto* const block = find_block(event.address)) {
        check_words(block->dynamic.contains(event.address) ? block->dynamic : block->statics,
                    event);
        return true;
    }
    for (auto& image : images_) {
        if (!image->contains(event.address)) continue;
        if (image->data().contains(event.address))
            check_words(image->data(), event);
        else if ((event.kind & KBUILD_CPU_WRITES) != 0)
            check_constant(event);
        return true;
    }
    if ((event.kind & KBUILD_CPU_WRITES) == 0 && launch_->has_argument_at(event.address))
        return true;
    {
        std::unique_lock lock(memory_mutex_);
        for (auto& other : others_)
            if (other->contains(event.address)) {
                auto& region = *other;
                lock.unlock();
                check_words(region, event);
                return true;
            }
        for (const auto& range : accepted_)
            if (event.address - range.start < range.bytes) return true;
    }
    if (accepted_pages_.count(event.address / page) != 0) return true;
    const auto* const address = reinterpret_cast<const void*>(event.address);
    if (is_of_runtime(address)) {
        accepted_pages_.insert(event.address / page);
        return true;
    }
    if (Registry::instance().has_variable_at(address)) {
        check_words(add_variables(event.address), event);
        return true;
    }
    if (!settings_.memory) return false;
    report_memory("KC103", event,
                  event.address < 16 * page ? "an access through a null pointer"
                                            : "an access to memory that is not the device's");
    // As on a GPU, the kernel fails, and the program continues.
    if (!is_mapped(event.address)) stop_kernel(describe_event(event));
    return false;
}

KBUILD_CPU_INLINE bool Checker::is_before(Access access) const {
    return is_before_barrier(access) || (has_more_order_ && is_known(access));
}

// Returns whether the current access cannot be a race with an earlier one. Most answers are here.
KBUILD_CPU_INLINE bool Checker::is_settled(Access access) const {
    return !access.exists() || is_before_barrier(access) || access.is_by_thread_of(now_);
}

KBUILD_CPU_INLINE bool Checker::record_plain_read(const Region& region, Cell& cell, unsigned mask,
                                                  std::uint32_t site) {
    if (!cell.has(mask, true)) return false;
    if (cell.epoch() != region.epoch) {
        // Nobody has accessed the word in this epoch. That of shared memory is not written then.
        if (has_unordered_ || region.is_shared) return false;
        cell.begin_epoch(region.epoch);
        cell.set_read(now_.with(mask), site);
        return true;
    }
    if (mask == whole_word || !cell.is_divided()) return record_known_read(cell, mask, site);
    auto& bytes = region.bytes_of(cell);
    for (unsigned i = 0; i < word_bytes; ++i)
        if ((mask >> i & 1) != 0 &&
            (bytes[i].epoch() != region.epoch || !record_known_read(bytes[i], 1u << i, site)))
            return false;
    return true;
}

KBUILD_CPU_INLINE bool Checker::record_known_read(Cell& cell, unsigned mask, std::uint32_t site) {
    const auto now = now_.with(mask);
    if (!is_settled(cell.write)) return false;
    const auto before = cell.read;
    if (before.exists() && !before.has_bytes_and_kind_of(now)) return false;
    if (cell.has_other()) {
        const auto other = cell.other_read();
        if (has_more_order_ || other.is_by_thread_of(now_)) return false;
        if (!is_before_barrier(other)) {
            cell.read = now;
            cell.set_read_site(site);
            return true;
        }
    }
    if (is_settled(before)) {
        cell.set_read(now, site);
        return true;
    }
    if (has_more_order_) return false;
    cell.set_other(before);
    cell.read = now;
    cell.set_read_site(site);
    return true;
}

// Returns whether reads of other threads in this interval do not change more than that of the last one, which has been
// recorded.
KBUILD_CPU_INLINE bool Checker::is_repeated(const Cell& cell) const {
    return cell.has_other() && repeat_.has_interval() &&
           (!cell.write.exists() || is_before_barrier(cell.write));
}

KBUILD_CPU_INLINE bool Checker::record_plain_write(const Region& region, Cell& cell, unsigned mask,
                                                   std::uint32_t site) {
    if (!cell.has(mask, false)) return false;
    if (cell.epoch() == region.epoch) {
        if (!is_settled(cell.write) || !is_settled(cell.read)) return false;
        if (mask != whole_word && (cell.write.exists() || cell.read.exists())) return false;
        if (cell.has_other() && !is_before_barrier(cell.other_read())) return false;
        if (has_unordered_ && cell.unordered_read() != 0) return false;
    } else {
        if (has_unordered_) return false;
        renew(region, cell);
    }
    cell.set_write(now_.with(mask), site);
    return true;
}

// Notes that the thread has read what another one wrote to volatile memory or with an atomic function, and nothing
// orders the two.
KBUILD_CPU_INLINE void Checker::note_seen(ThreadState& self, Access write) const {
    if (!write.exists() || write.flags() == 0 || write.is_by_thread_of(now_) || is_before(write))
        return;
    auto& seen = self.seen;
    const auto block = write.block();
    const auto place = std::find_if(seen.begin(), seen.end(),
                                    [&](const auto& entry) { return entry.block == block; });
    if (place == seen.end())
        seen.push_back({block, write.time()});
    else
        place->time = std::max(place->time, write.time());
}

// The same for an atomic update of words that nothing orders with other memory.
KBUILD_CPU_INLINE bool Checker::record_update(const Region& region, std::uintptr_t address,
                                              std::size_t bytes, std::uint32_t site) {
    if (has_pending_ || address % bytes != 0 || region.has_constants || !released_.empty() ||
        block_->has_volatile_writes)
        return false;
    auto& self = thread();
    if (self.fences[0].time != 0 || self.fences[1].time != 0) return false;
    const auto now = now_.with(whole_word, flags_of(KBUILD_CPU_ATOMIC, self.scope));
    for (auto word = address; word < address + bytes; word += word_bytes) {
        if (!region.contains(word)) return false;
        auto& cell = region.cell(word);
        if (cell.epoch() != region.epoch || !cell.has(whole_word, true)) return false;
        if (has_unordered_ && cell.unordered_read() != 0) return false;
        const bool is_alike =
            cell.write.has_bytes_and_kind_of(now) &&
            (self.scope != KBUILD_CPU_THREADS_OF_BLOCK || cell.write.is_of_block_of(now));
        if (!is_settled(cell.write) && !is_alike) return false;
        if (!is_settled(cell.read) || cell.has_other()) return false;
        note_seen(self, cell.write);
        cell.set_write(now, site);
    }
    *writes_ &= static_cast<unsigned char>(~is_publishing);
    return true;
}

// Returns whether something other than a barrier of the block orders the access before the current one.
bool Checker::is_known(Access access) const {
    const auto& block = *block_;
    if (access.is_unfinished_copy()) return false;
    if (access.is_of_block_of(now_)) {
        if (block.time == Access::last_time) return true;
        const auto warp = [](std::uint32_t thread) { return thread / 32; };
        if (warp(access.thread()) == warp(thread_number_)) {
            const auto& thread = this->thread();
            if (access.time() < thread.warp_time) return true;
            if (thread.lane_times != nullptr) {
                // The lanes of a warp of 64 threads have other numbers.
                const auto lane = access.thread() % 32;
                if (access.time() < (*thread.lane_times)[lane]) return true;
            }
        }
    }
    const auto is_in = [&](const Knowledge& known) {
        return known.exists() && known.covers(access, now_.block());
    };
    if (is_in(thread().acquired) || is_in(block.acquired)) return true;
    if (access.is_of_block_of(now_) && is_in(thread().fenced_in_block)) return true;
    lacks_acquire_ = is_in(thread().unfenced);
    return lacks_acquire_;
}

KBUILD_CPU_INLINE bool Checker::is_conflict(Access earlier, unsigned mask, unsigned flags,
                                            Event event) const {
    if (!earlier.exists() || earlier.is_by_thread_of(now_) || (earlier.mask() & mask) == 0)
        return false;
    const bool is_write = (event.kind & KBUILD_CPU_WRITES) != 0;
    if (flags == Access::is_volatile && (is_write || earlier.flags() == Access::is_volatile))
        return !is_flag(event.address, event.kind) && !is_before(earlier);
    if (earlier.flags() != 0 && flags != 0) {
        const bool is_scoped =
            earlier.flags() == Access::atomic_of_block || flags == Access::atomic_of_block;
        if (!is_scoped || earlier.is_of_block_of(now_)) return false;
    }
    return !is_before(earlier);
}

// Returns whether a cell that keeps one access of each kind would forget some of its bytes.
KBUILD_CPU_INLINE bool Checker::needs_bytes(const Cell& cell, unsigned mask, unsigned flags,
                                            Event event) const {
    const bool is_write = (event.kind & KBUILD_CPU_WRITES) != 0;
    const auto& kept = is_write ? cell.write : cell.read;
    if (!kept.exists() || kept.mask() == mask) return false;
    if (kept.is_by_thread_of(now_)) {  // the bytes are joined if they are of one time
        const bool is_joined = kept.flags() == flags && !is_before(kept);
        return !is_joined && (kept.mask() & ~mask) != 0;
    }
    return !is_write || (kept.mask() & ~mask) != 0;
}

void Checker::check_race(const Region& region, Cell& cell, std::uintptr_t word, unsigned mask,
                         Event event) {
    const auto flags = flags_of(event.kind, thread().scope);
    if (!cell.is_divided()) {
        if (!needs_bytes(cell, mask, flags, event))
            return check_cell(cell, word, mask, flags, event);
        region.divide(cell);
    }
    auto& bytes = region.bytes_of(cell);
    for (unsigned i = 0; i < word_bytes; ++i) {
        if ((mask >> i & 1) == 0) continue;
        if (bytes[i].epoch() == region.epoch)
            check_unordered_read(bytes[i], event);
        else
            renew_unordered(region, bytes[i], 1u << i, event);
        check_cell(bytes[i], word, 1u << i, flags, event);
    }
}

KBUILD_CPU_INLINE void Checker::check_cell(Cell& cell, std::uintptr_t word, unsigned mask,
                                           unsigned flags, Event event) {
    const auto now = now_.with(mask, flags);
    const bool is_write = (event.kind & KBUILD_CPU_WRITES) != 0;
    if (flags != 0 && (event.kind & KBUILD_CPU_READS) != 0) note_seen(thread(), cell.write);
    const auto site = cell.write_site();
    lacks_acquire_ = false;
    if (is_conflict(cell.write, mask, flags, event)) {
        const bool is_alike = flags == cell.write.flags() && event.bytes <= widest_write &&
                              (flags == 0 || flags == Access::is_volatile);
        if (is_write && is_alike)
            await_write(word, cell.write, site, event);
        else
            report_race(cell.write, site, true, event);
    } else if (lacks_acquire_ && is_data(flags, event)) {
        report_missing_acquire(cell.write, site, event);
    }
    if (!is_write) return record_read(cell, now, event.site);
    if (is_conflict(cell.read, mask, flags, event))
        report_race(cell.read, cell.read_site(), false, event);
    else if (cell.has_other() && is_conflict(cell.other_read(), mask, flags, event))
        report_race(cell.other_read(), cell.read_site(), false, event);
    if ((cell.read.mask() & ~mask) == 0) {
        cell.read = Access();
        cell.forget_other();
    }
    const auto& last = cell.write;
    if (last.exists() && last.is_by_thread_of(now_) && last.flags() == flags && !is_before(last))
        mask |= last.mask();
    cell.write = now_.with(mask, flags);
    cell.set_write_site(event.site);
}

KBUILD_CPU_INLINE void Checker::record_read(Cell& cell, Access now, std::uint32_t site) {
    const auto before = cell.read;
    cell.set_read_site(site);
    cell.read = now;
    if (!before.exists()) return;
    const bool is_same_kind = before.flags() == now.flags();
    if (before.is_by_thread_of(now_)) {
        if (is_same_kind && before.mask() != now.mask() && !is_before(before))
            cell.read.add_bytes(before.mask());
        if (cell.has_other() &&
            (!is_same_kind || cell.read.mask() != before.mask() || is_before(cell.other_read())))
            cell.forget_other();
        return;
    }
    const bool is_alike = is_same_kind && before.mask() == now.mask();
    if (cell.has_other()) {
        const auto other = cell.other_read();
        if (!is_alike || other.is_by_thread_of(now_) || is_before(other)) cell.forget_other();
    }
    if (is_alike && !cell.has_other() && !is_before(before)) cell.set_other(before);
}

// Returns whether the earlier write comes before another one that the thread has seen. Then the thread passes a
// flag, and the memory behind it can still be old.
bool Checker::relies_on_order(Access earlier, bool earlier_writes) const {
    return earlier_writes &&
           std::any_of(thread().seen.begin(), thread().seen.end(), [&](const auto& entry) {
               return entry.block == earlier.block() && earlier.time() < entry.time;
           });
}

// Returns whether lanes of a warp pass values in volatile memory by one statement, as they could on old
// GPUs. Threads that wait for a flag have different statements.
bool Checker::is_lockstep(std::uint32_t earlier_site, bool earlier_writes, Event event) const {
    if (((event.kind & KBUILD_CPU_WRITES) != 0) == earlier_writes) return false;
    const auto& first = image_->find_line(earlier_site);
    const auto& second = image_->find_line(event.site);
    return first.line == second.line && first.file == second.file;
}

const char* Checker::choose_race_rule(Access earlier, std::uint32_t earlier_site,
                                      bool earlier_writes, Event event) const {
    const bool is_same_block = earlier.is_of_block_of(now_);
    const bool is_same_warp = is_same_block && earlier.thread() / 32 == thread_number_ / 32;
    const bool is_defined = earlier.flags() != 0 && flags_of(event.kind, thread().scope) != 0;
    const bool is_scoped =
        earlier.flags() == Access::atomic_of_block || thread().scope == KBUILD_CPU_THREADS_OF_BLOCK;
    if (is_defined && (is_same_block || !is_scoped) &&
        !(is_same_warp && is_lockstep(earlier_site, earlier_writes, event)))
        return relies_on_order(earlier, earlier_writes) ? "KC206" : "KC205";
    return is_same_warp ? "KC203" : is_same_block ? "KC201" : "KC202";
}

void Checker::report_race(Access earlier, std::uint32_t earlier_site, bool earlier_writes,
                          Event event, bool is_same_value) {
    const bool is_copy = earlier.is_unfinished_copy();
    earlier = earlier.as_finished();
    const bool is_same_block = earlier.is_of_block_of(now_);
    const unsigned variant =
        (is_copy ? 32000 : 0) + (relies_on_order(earlier, earlier_writes) ? 16000 : 0) +
        (earlier_writes ? 1000 : 0) + (is_same_value ? 2000 : 0) + (is_same_block ? 4000 : 0) +
        (earlier.thread() / 32 == thread_number_ / 32 ? 8000 : 0);
    const auto key = key_of(200 + variant, event.site, earlier_site);
    if (findings_.count_again(key)) return;
    const auto* const rule =
        is_copy ? "KC210" : choose_race_rule(earlier, earlier_site, earlier_writes, event);
    const bool is_volatile = std::strcmp(rule, "KC205") == 0 || std::strcmp(rule, "KC206") == 0;
    if (is_volatile && is_same_value) return;
    Finding finding;
    finding.kernel = kernel_;
    finding.rule = is_same_value && !is_copy ? "KC204" : rule;
    finding.message = describe_race(finding.rule);
    BlockState other = {};
    const BlockState* earlier_block = block_;
    if (!is_same_block) {
        const auto& grid = launch_->grid;
        const auto number = earlier.block();
        other.index = {static_cast<std::uint32_t>(number % grid.x),
                       static_cast<std::uint32_t>(number / grid.x % grid.y),
                       static_cast<std::uint32_t>(number / grid.x / grid.y)};
        earlier_block = &other;
    }
    const std::string kind = earlier.flags() == Access::is_volatile ? "volatile "
                             : earlier.flags() != 0                 ? "atomic "
                                                                    : "";
    finding.place = describe_event(event);
    finding.other =
        make_place(is_copy ? "asynchronous copy" : kind + (earlier_writes ? "write" : "read"),
                   earlier_site, *earlier_block, earlier.thread());
    finding.memory = describe_memory(event.address);
    findings_.add(std::move(finding), key);
}

// Reports an access that another thread's write comes before only if this thread has a fence behind the flag.
void Checker::report_missing_acquire(Access earlier, std::uint32_t earlier_site, Event event) {
    const auto key = key_of(209, event.site, earlier_site);
    if (findings_.count_again(key)) return;
    Finding finding;
    finding.rule = "KC209";
    finding.kernel = kernel_;
    finding.message =
        "a thread reads a flag, and then accesses memory that was written before it, "
        "without a fence between";
    finding.place = describe_event(event);
    BlockState other = {};
    other.index = find_index(earlier.block(), launch_->grid);
    finding.other = make_place("write", earlier_site, other, earlier.thread());
    finding.memory = describe_memory(event.address);
    findings_.add(std::move(finding), key);
}

// If another thread has written the word, the next write can write the same value again.
void Checker::await_write(std::uintptr_t word, Access earlier, std::uint32_t earlier_site,
                          Event event) {
    if (!has_pending_) pending_ = {event, 0, {}};
    has_pending_ = true;
    if (pending_.count != 0 && pending_.words[pending_.count - 1].address == word) return;
    auto& place = pending_.words[pending_.count++];
    place = {word, 0, earlier, earlier_site};
    std::memcpy(&place.value, reinterpret_cast<const void*>(word), word_bytes);
}

// The write has happened.
void Checker::judge_pending_write() {
    if (!has_pending_) return;
    has_pending_ = false;
    const auto is_same = [](const PendingWrite::Word& word) {
        return std::memcmp(&word.value, reinterpret_cast<const void*>(word.address), word_bytes) ==
               0;
    };
    const PendingWrite::Word* const start = pending_.words.data();
    const auto* const end = start + pending_.count;
    const auto* const changed = std::find_if_not(start, end, is_same);
    const auto& word = changed == end ? pending_.words[0] : *changed;
    report_race(word.earlier, word.earlier_site, true, pending_.event, changed == end);
}

void Checker::fence(kbuild_cpu_scope scope) {
    auto& self = thread();
    self.finish_acquire(scope);
    self.fences[scope] = {block_->advance(), block_->barrier_time};
    note_order();
    *writes_ = (*writes_ & has_written) != 0 ? is_publishing : nothing_written;
}

// Accesses to volatile memory are like atomic ones with relaxed order, if they pass a flag: the writer has
// published something, or the reader has seen such a write. Others are ordinary accesses.
bool Checker::is_flag(std::uintptr_t address, unsigned kind) const {
    if ((kind & KBUILD_CPU_WRITES) != 0 && (*writes_ & is_publishing) != 0) return true;
    return released_.count(address) != 0;
}

// Returns whether an access needs a fence behind the flag that a thread has read. GPUs do not change the order of
// volatile reads, and no write comes before the branch that waits for a flag, which old code relies on. But a lock that
// an atomic function takes orders nothing.
bool Checker::is_data(unsigned flags, Event event) const {
    return flags == 0 ||
           (flags == Access::is_volatile && thread().has_taken &&
            (event.kind & KBUILD_CPU_WRITES) != 0 && !is_flag(event.address, event.kind));
}

// Gives a write that can pass a flag a later time than the volatile writes before it.
void Checker::order_volatile_writes(unsigned kind) {
    if (block_->has_volatile_writes) {
        block_->advance();
        note_order();
    }
    block_->has_volatile_writes = (kind & KBUILD_CPU_VOLATILE) != 0;
}

void Checker::note_write() noexcept { *writes_ = has_written; }

void Checker::release(std::uintptr_t address, unsigned kind) {
    const auto& thread = this->thread();
    if ((kind & KBUILD_CPU_ATOMIC) == 0 && !is_flag(address, kind)) return;
    if (thread.fences[0].time == 0 && thread.fences[1].time == 0) return;
    auto& knowledge = released_[address];
    knowledge.add(thread.acquired);
    knowledge.add(thread.unfenced);
    knowledge.add(block_->acquired);
    for (const auto scope : {KBUILD_CPU_ALL_THREADS, KBUILD_CPU_THREADS_OF_BLOCK}) {
        const auto& fence = thread.fences[scope];
        if (fence.time == 0) continue;
        const auto reached = std::max(scope, thread.scope);  // the smaller set of threads
        knowledge.add_thread(now_.who(), fence.time, reached);
        knowledge.add_block(now_.block(), fence.barrier_time, reached);
    }
}

// The next fence or barrier of the thread makes the order certain, unless the read does itself.
void Checker::acquire(std::uintptr_t address, unsigned kind) {
    if (released_.empty()) return;
    const auto found = released_.find(address);
    if (found == released_.end()) return;
    const bool is_certain = (kind & KBUILD_CPU_ACQUIRES) != 0;
    (is_certain ? thread().acquired : thread().unfenced).add(found->second);
    if (!is_certain && (kind & KBUILD_CPU_TAKES) != 0) thread().has_taken = true;
    block_->has_acquired = block_->has_other_order = true;
    note_order();
}

// The compiler knows that a pointer starts from a local variable. If the address has cells, the access itself reports it.
// A write ends the kernel: it would destroy other variables, or the place where the function returns to.
void Checker::report_outside_variable(std::uintptr_t address, bool writes, std::uint32_t site) {
    if (!settings_.memory || find_region(address) != nullptr) return;
    auto place = make_place(writes ? "write" : "read", site, *block_, thread_number_);
    const auto key = key_of(writes ? 1101 : 101, site);
    if (!is_behind_bad_index(site) && !findings_.count_again(key)) {
        Finding finding;
        finding.rule = "KC101";
        finding.kernel = kernel_;
        finding.message = "an access outside of the variable it starts from";
        finding.place = place;
        findings_.add(std::move(finding), key);
    }
    if (writes) stop_kernel(std::move(place));
}

void Checker::report_mistake(kbuild_cpu_mistake mistake, std::uint64_t value, std::uint64_t limit,
                             const void* site) {
    if (mistake == KBUILD_CPU_BAD_READ || mistake == KBUILD_CPU_BAD_WRITE)
        return report_outside_variable(value, mistake == KBUILD_CPU_BAD_WRITE, site_of(site));
    const bool is_memory = mistake == KBUILD_CPU_BAD_INDEX || mistake == KBUILD_CPU_BAD_ALIGNMENT;
    const bool is_selected = mistake == KBUILD_CPU_BAD_LANE ? settings_.barrier
                             : is_memory                    ? settings_.memory
                                                            : settings_.arithmetic;
    if (!is_selected) return;
    Finding finding;
    finding.kernel = kernel_;
    const auto number = static_cast<std::int64_t>(value);
    switch (mistake) {
    case KBUILD_CPU_BAD_SHIFT:
        finding.rule = "KC601";
        finding.message = "a shift by " + std::to_string(static_cast<std::int32_t>(number)) +
                          " bits of a value of " + std::to_string(limit) + " bits";
        break;
    case KBUILD_CPU_BAD_DIVISION:
        finding.rule = "KC602";
        finding.message = value == 0 ? "an integer division by zero"
                                     : "an integer division whose result is too large";
        break;
    case KBUILD_CPU_BAD_INDEX:
        bad_index_ = now_.bits();
        bad_index_line_ = image_->find_line(site_of(site)).line;
        finding.rule = "KC105";
        finding.message = "index " + std::to_string(number) + " is outside of an array of type " +
                          reinterpret_cast<const char*>(limit);
        break;
    case KBUILD_CPU_BAD_READ:
    case KBUILD_CPU_BAD_WRITE: return;
    case KBUILD_CPU_BAD_LANE:
        finding.rule = "KC304";
        finding.message = "a shuffle reads lane " + std::to_string(value) + ", which " +
                          ((limit >> value & 1) != 0 ? "has exited or is not in the block"
                                                     : "is not in its mask") +
                          ", so the value is undefined";
        break;
    case KBUILD_CPU_BAD_ALIGNMENT:
        if (value == 0) return;  // the access itself reports a null pointer
        finding.rule = "KC104";
        finding.message =
            "the address of an access is not a multiple of its alignment, " + std::to_string(limit);
        finding.memory = describe_memory(value);
        break;
    }
    finding.place = make_place("here", site_of(site), *block_, thread_number_);
    findings_.add(std::move(finding));
}

void Checker::report_uninitialized(const Region& region, Event event) {
    if (!checks_init_) return;
    for (std::size_t i = 0; i < event.bytes; ++i)
        if (region.contains(event.address + i))
            region.cell(event.address + i).set_written(whole_word);
    report_memory(region.is_shared ? "KC402" : "KC401", event,
                  region.is_shared ? "a read of shared memory that the block has not written"
                                   : "a read of device memory that nobody has written");
}

void Checker::report_memory(const char* rule, Event event, const char* message,
                            const char* memory) {
    const auto key = key_of(static_cast<unsigned>(std::atoi(rule + 2)), event.site);
    if (findings_.count_again(key)) return;
    Finding finding;
    finding.rule = rule;
    finding.kernel = kernel_;
    finding.message = message;
    finding.place = describe_event(event);
    finding.memory = memory != nullptr ? memory : describe_memory(event.address);
    findings_.add(std::move(finding), key);
}

Place Checker::describe_event(Event event) const {
    const bool reads = (event.kind & KBUILD_CPU_READS) != 0;
    const bool writes = (event.kind & KBUILD_CPU_WRITES) != 0;
    std::string action = (event.kind & KBUILD_CPU_ATOMIC) != 0     ? "atomic "
                         : (event.kind & KBUILD_CPU_VOLATILE) != 0 ? "volatile "
                                                                   : "";
    action += reads && writes ? "update" : writes ? "write" : "read";
    return make_place(action + " of " + count_bytes(event.bytes), event.site, *block_,
                      thread_number_);
}

Place Checker::make_place(std::string action, std::uint32_t site, const BlockState& block,
                          std::uint32_t thread) const {
    Place place;
    place.action = std::move(action);
    if (site != 0) {
        const auto& line = image_->find_line(site);
        place.file = line.file;
        place.line = line.line;
    }
    const auto& extent = launch_->block;
    place.has_thread = true;
    place.block = block.index;
    place.thread = {thread % extent.x, thread / extent.x % extent.y, thread / extent.x / extent.y};
    return place;
}

std::string Checker::describe_allocation(std::uintptr_t address) const {
    const std::lock_guard lock(memory_mutex_);
    const auto* const near = history_.find(address);
    constexpr std::uintptr_t farthest = std::uintptr_t{1} << 30;
    if (near == nullptr || (address < near->start ? near->start - address : address - near->start) >
                               farthest + near->bytes)
        return "no allocation is near it; is it a pointer to host memory?";
    return compare_address(address, near->start, near->bytes,
                           (near->is_free ? "the freed memory of " : "") + name_allocation(*near));
}

std::string Checker::describe_memory(std::uintptr_t address) const {
    const auto* const other = find_block(address);
    const auto& block = other == nullptr ? *block_ : *other;
    const auto owner = other == nullptr ? "" : " of block " + to_string(other->index);
    if (block.dynamic.contains(address))
        return compare_address(
            address, block.dynamic.start, launch_->shared_bytes,
            "the " + count_bytes(launch_->shared_bytes) + " of dynamic shared memory" + owner);
    if (block.statics.contains(address)) {
        const auto* const variable = image_->find_shared(address - block.statics.start);
        if (variable == nullptr) return "before all shared variables";
        return compare_address(address, block.statics.start + variable->place, variable->bytes,
                               "the shared variable '" + variable->name + "' (" +
                                   count_bytes(variable->bytes) + ")" + owner);
    }
    for (const auto& image : images_)
        if (const auto* const variable = image->find_variable(address))
            return compare_address(address, variable->start, variable->bytes,
                                   "the device variable '" + demangle_variable(variable->name) +
                                       "' (" + count_bytes(variable->bytes) + ")");
    if (address < 16 * page) return "address " + std::to_string(address);
    return describe_allocation(address);
}

}  // namespace kbuild::cpu::checks
