// Which memory of the device has been written. Functions of the runtime say what they write, and instrumented code,
// too. Fresh memory contains a pattern, so that what other code writes differs.
#include "checks/checker.hpp"

#include <cstring>

namespace kbuild::cpu::checks {
namespace {

// What `-ftrivial-auto-var-init=pattern` of gcc writes to local variables.
constexpr std::uint32_t local_word = 0xFEFEFEFE;

std::uintptr_t round_up(std::uintptr_t address) {
    return (address + word_bytes - 1) / word_bytes * word_bytes;
}

}  // namespace

// Returns the bytes of a word that the program can use and that nobody has written.
unsigned Checker::find_unwritten(const Region& region, std::uintptr_t word) const {
    const auto& cell = region.cell(word);
    const auto* const content = reinterpret_cast<const unsigned char*>(word);
    const auto known = cell.valid();
    unsigned unwritten = (known == 0 ? whole_word : known) & ~cell.written();
    const std::lock_guard lock(memory_mutex_);
    for (unsigned i = 0; i < word_bytes; ++i)
        if ((unwritten >> i & 1) != 0 && written_.contains(word + i)) unwritten &= ~(1u << i);
    for (unsigned i = 0; i < word_bytes; ++i)
        if ((unwritten >> i & 1) != 0 && content[i] != fresh_word[i]) return 0;  // by other code
    return unwritten;
}

bool Checker::is_device_memory(std::uintptr_t address, std::size_t bytes) const {
    const std::lock_guard lock(memory_mutex_);
    const auto* const found = history_.find(address);
    return found != nullptr && !found->is_free && address - found->start < found->bytes &&
           bytes <= found->start + found->bytes - address &&
           (found->kind == KBUILD_CPU_MEMORY_DEVICE || found->kind == KBUILD_CPU_MEMORY_MANAGED);
}

void Checker::note_written(const void* start, std::size_t bytes) {
    if (!checks_init_ || !arena_.contains(start)) return;
    const std::lock_guard lock(memory_mutex_);
    written_.add(reinterpret_cast<std::uintptr_t>(start), bytes);
}

// Finds the first word in a range that nobody has written, or returns its end.
std::uintptr_t Checker::find_fresh(std::uintptr_t start, std::uintptr_t end) const {
    const auto& region = arena_.region();
    for (auto word = round_up(start); word + word_bytes <= end; word += word_bytes)
        if (std::memcmp(reinterpret_cast<const void*>(word), fresh_word, word_bytes) == 0 &&
            find_unwritten(region, word) == whole_word)
            return word;
    return end;
}

// A copy of memory that nobody has written is such memory, and no result.
void Checker::note_copied(const void* to, const void* from, std::size_t bytes) {
    if (!checks_init_) return;
    const auto start = reinterpret_cast<std::uintptr_t>(from), end = start + bytes;
    if (!arena_.contains(from) || !is_device_memory(start, bytes)) return note_written(to, bytes);
    if (!arena_.contains(to)) {
        const auto fresh = find_fresh(start, end);
        if (fresh != end) report_copy("KC403", fresh, "a copy of memory that nobody has written");
        return check_locals(start, bytes);
    }
    const auto target = reinterpret_cast<std::uintptr_t>(to);
    for (auto place = start; place < end;) {
        const auto fresh = find_fresh(place, end);
        note_written(reinterpret_cast<const void*>(target + (place - start)), fresh - place);
        for (place = fresh; place < end && find_fresh(place, place + word_bytes) == place;)
            place += word_bytes;
    }
}

// Looks for values of local variables that kernels have not initialized. The last write of a word says where.
void Checker::check_locals(std::uintptr_t start, std::size_t bytes) {
    for (auto word = round_up(start); word + word_bytes <= start + bytes; word += word_bytes) {
        std::uint32_t value;
        std::memcpy(&value, reinterpret_cast<const void*>(word), word_bytes);
        if (value != local_word) continue;
        const auto& cell = arena_.region().cell(word);
        if (cell.written() != whole_word || !cell.write.exists() || cell.is_divided()) continue;
        return report_copy("KC404", word,
                           "a result is the value of a local variable that is not initialized");
    }
}

void Checker::check_locals_of(std::uintptr_t start) {
    std::size_t bytes = 0;
    {
        const std::lock_guard lock(memory_mutex_);
        const auto* const found = history_.find(start);
        if (found != nullptr && found->start == start && !found->is_free) bytes = found->bytes;
    }
    check_locals(start, bytes);
}

// The kernel and the place are those of the last write, if they are known.
void Checker::report_copy(const char* rule, std::uintptr_t address, const char* message) {
    Finding finding;
    finding.rule = rule;
    finding.message = message;
    finding.memory = describe_allocation(address);
    const auto& cell = arena_.region().cell(address);
    if (cell.write.exists() && !cell.is_divided() && cell.epoch < launches_of_epochs_.size()) {
        finding.kernel = launches_of_epochs_[cell.epoch].kernel;
        finding.place = describe_cell(cell, true);
    }
    findings_.add(std::move(finding));
}

}  // namespace kbuild::cpu::checks
