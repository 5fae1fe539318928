// Which memory of the device has been written. Functions of the runtime say what they write, and instrumented code,
// too. Fresh memory contains a pattern, so that what other code writes differs.
#include "checks/checker.hpp"

#include <cstring>
#include <iterator>

namespace kbuild::cpu::checks {
namespace {

// What `-ftrivial-auto-var-init=pattern` of gcc writes to local variables.
constexpr std::uint32_t local_word = 0xFEFEFEFE;

std::uintptr_t round_up(std::uintptr_t address) {
    return (address + word_bytes - 1) / word_bytes * word_bytes;
}

std::uint32_t read_word(std::uintptr_t address) {
    std::uint32_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), word_bytes);
    return value;
}

bool contains_word(std::uintptr_t start, std::uintptr_t end, std::uint32_t value) {
    for (auto word = round_up(start); word + word_bytes <= end; word += word_bytes)
        if (read_word(word) == value) return true;
    return false;
}

// Returns whether words that nobody has written can be the padding of an object, which ends where a member of 8 or 16
// bytes can begin, and has fewer bytes than that member.
bool can_be_padding(std::uintptr_t start, std::uintptr_t end) {
    const std::uintptr_t alignment = end % 16 == 0 ? 16 : 8;
    return end % alignment == 0 && end - start < alignment;
}

// Pixels and letters often have four equal bytes in a word, and other types only for a few values.
bool is_word_of_equal_bytes(std::uint32_t value) {
    const auto byte = value & 0xFF;
    return value == byte * 0x01010101 && byte != 0 && byte != 0xFE && byte != 0xFF;
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
    const auto place = reinterpret_cast<std::uintptr_t>(start);
    const std::lock_guard lock(memory_mutex_);
    written_.add(place, bytes);
    has_local_word_ = has_local_word_ || contains_word(place, place + bytes, local_word);
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
    const auto target = reinterpret_cast<std::uintptr_t>(to);
    if (!is_device_memory(target, bytes)) {
        note_host_copy(target, start, bytes);
        return check_locals(start, bytes);
    }
    for (auto place = start; place < end;) {
        const auto fresh = find_fresh(place, end);
        {
            const std::lock_guard lock(memory_mutex_);
            written_.add(target + (place - start), fresh - place);
        }
        place = find_end_of_fresh(fresh, end);
    }
}

// Returns the end of the words from a place on that nobody has written.
std::uintptr_t Checker::find_end_of_fresh(std::uintptr_t place, std::uintptr_t end) const {
    while (place < end && find_fresh(place, place + word_bytes) == place) place += word_bytes;
    return place;
}

// A copy to the host can contain words that nobody has written, such as padding or the rest of a buffer, as long as
// the host does not use them. Host code without instrumentation does not tell whether it does.
void Checker::note_host_copy(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
    const auto end = from + bytes;
    const auto report = [&](std::uintptr_t place) {
        report_copy("KC403", place, "a copy of memory that nobody has written");
    };
    {
        const std::lock_guard lock(memory_mutex_);
        unwritten_copies_.remove(to, bytes);
    }
    for (auto place = from; place < end;) {
        const auto fresh = find_fresh(place, end);
        if (fresh == end) return;
        place = find_end_of_fresh(fresh, end);
        if (fresh == from && place == end) return report(fresh);
        if (!has_host_texts_ && !can_be_padding(fresh, place)) return report(fresh);
        const std::lock_guard lock(memory_mutex_);
        unwritten_copies_.add(to + (fresh - from), place - fresh);
        origins_[to] = {bytes, from};
    }
}

// Reports host code that uses what a copy to the host contains only because nobody has written it.
void Checker::check_host_read(const void* start, std::size_t bytes, const void* site) {
    if (!checks_init_ || bytes == 0) return;
    const auto address = reinterpret_cast<std::uintptr_t>(start), end = address + bytes;
    {
        const std::lock_guard lock(memory_mutex_);
        if (!unwritten_copies_.contains(address) || !unwritten_copies_.contains(end - 1)) return;
    }
    for (auto place = address; place != end; ++place)
        if (*reinterpret_cast<const unsigned char*>(place) != fresh_word[place % word_bytes])
            return;
    std::uintptr_t origin = 0;
    {
        const std::lock_guard lock(memory_mutex_);
        const auto behind = origins_.upper_bound(address);
        if (behind == origins_.begin()) return;
        const auto& [start, copy] = *std::prev(behind);
        origin = copy.from + (address - start);
    }
    const auto line = find_host_line(site);
    Finding finding;
    finding.rule = "KC403";
    finding.message = "host code uses a copy of memory that nobody has written";
    finding.memory = describe_allocation(origin);
    finding.place.action = "read of " + count_bytes(bytes);
    finding.place.file = line.file;
    finding.place.line = line.line;
    findings_.add(std::move(finding));
}

// A copy by the host of such memory is such memory.
void Checker::note_host_move(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
    const std::lock_guard lock(memory_mutex_);
    if (!checks_init_ || unwritten_copies_.is_empty()) return;
    const auto moved = unwritten_copies_.list_within(from, bytes);
    unwritten_copies_.remove(to, bytes);
    for (const auto& [start, end] : moved) unwritten_copies_.add(to + (start - from), end - start);
    const auto behind = origins_.upper_bound(from);
    if (!moved.empty() && behind != origins_.begin()) {
        const auto& [start, copy] = *std::prev(behind);
        origins_[to] = {bytes, copy.from + (from - start)};
    }
}

// Looks for values of local variables that kernels have not initialized. The last write of a word says where.
void Checker::check_locals(std::uintptr_t start, std::size_t bytes) {
    for (auto word = round_up(start); word + word_bytes <= start + bytes; word += word_bytes) {
        if (read_word(word) != local_word) continue;
        const auto& cell = arena_.region().cell(word);
        if (cell.written() != whole_word || !cell.write.exists() || cell.is_divided()) continue;
        if (is_input() || has_words_of_bytes(start, bytes)) return;
        return report_copy("KC404", word,
                           "a result is the value of a local variable that is not initialized");
    }
}

// Returns whether the program has given the device the value of such a variable. Then a kernel can have copied it.
bool Checker::is_input() const {
    if (has_local_word_) return true;
    const auto live = [&] {
        const std::lock_guard lock(memory_mutex_);
        return history_.list_live();
    }();
    const auto& region = arena_.region();
    for (const auto& allocation : live) {
        const auto end = allocation.start + allocation.bytes;
        for (auto word = round_up(allocation.start);
             region.contains(word) && word + word_bytes <= end; word += word_bytes)
            if (read_word(word) == local_word && !region.cell(word).write.exists()) return true;
    }
    return false;
}

// Returns whether the memory seems to contain pixels or letters, of which any values are results.
bool Checker::has_words_of_bytes(std::uintptr_t start, std::size_t bytes) {
    for (auto word = round_up(start); word + word_bytes <= start + bytes; word += word_bytes)
        if (is_word_of_equal_bytes(read_word(word))) return true;
    return false;
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
    if (cell.write.exists() && !cell.is_divided() && cell.epoch() < launches_of_epochs_.size()) {
        finding.kernel = launches_of_epochs_[cell.epoch()].kernel;
        finding.place = describe_cell(cell, true);
    }
    findings_.add(std::move(finding));
}

}  // namespace kbuild::cpu::checks
