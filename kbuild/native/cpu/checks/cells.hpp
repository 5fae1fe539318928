// What the checks know of memory: one cell for each word of 4 bytes.
#ifndef KBUILD_CPU_CHECKS_CELLS_HPP
#define KBUILD_CPU_CHECKS_CELLS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kbuild::cpu::checks {

constexpr std::size_t word_bytes = 4;
constexpr unsigned whole_word = 15;  // a mask of bytes

// The content of fresh device memory. A read of a word with this value reads what nobody has written.
constexpr unsigned char fresh_word[word_bytes] = {0x9D, 0x4B, 0xE7, 0x26};

// An access: which thread of which block, when, and to which bytes of the word. The bits are, from the
// highest one: unused 1 (see Cell::division), copy 1, block 24, time 22, thread 10, mask 4, kind 2. So the accesses of a
// block before some time are a range of numbers. An asynchronous copy that is not finished is a number beyond all of
// them, and of no thread. Zero means no access.
class Access {
public:
    static constexpr unsigned block_shift = 38, time_shift = 16, thread_shift = 6, mask_shift = 2;
    static constexpr unsigned time_bits = block_shift - time_shift;
    static constexpr std::uint32_t last_time = (1u << time_bits) - 1;
    static constexpr std::uint32_t block_mask = (1u << 24) - 1;
    // Kinds besides ordinary accesses.
    static constexpr unsigned atomic = 1, is_volatile = 2, atomic_of_block = 3;

    constexpr Access() = default;
    explicit constexpr Access(std::uint64_t bits) : bits_(bits) {}
    constexpr Access(std::uint64_t who, unsigned mask, unsigned flags, std::uint32_t time)
        : bits_((who >> 10) << block_shift | std::uint64_t{time} << time_shift |
                (who & 1023) << thread_shift | mask << mask_shift | flags) {}

    static constexpr std::uint64_t name(std::uint32_t block, std::uint32_t thread) {
        return std::uint64_t{block & block_mask} << 10 | thread;
    }

    constexpr std::uint64_t bits() const { return bits_; }
    constexpr bool exists() const { return bits_ != 0; }
    constexpr std::uint64_t who() const { return name(block(), thread()); }
    constexpr std::uint32_t block() const {
        return static_cast<std::uint32_t>(bits_ >> block_shift) & block_mask;
    }
    constexpr bool is_unfinished_copy() const { return (bits_ & copy) != 0; }
    constexpr Access as_unfinished_copy() const { return Access(bits_ | copy); }
    constexpr Access as_finished() const { return Access(bits_ & ~copy); }
    constexpr std::uint32_t thread() const { return bits_ >> thread_shift & 1023; }
    constexpr unsigned mask() const { return bits_ >> mask_shift & 15; }
    constexpr unsigned flags() const { return bits_ & 3; }
    constexpr std::uint32_t time() const { return bits_ >> time_shift & last_time; }
    // The access to some of its bytes, or no access.
    constexpr Access only(unsigned bytes) const {
        const auto kept = mask() & bytes;
        const auto all = std::uint64_t{15} << mask_shift;
        return kept == 0 ? Access() : Access((bits_ & ~all) | std::uint64_t{kept} << mask_shift);
    }
    void add_bytes(unsigned mask) { bits_ |= std::uint64_t{mask} << mask_shift; }

    // The same thread and time, if this one has no bytes and no kind.
    constexpr Access with(unsigned mask, unsigned flags = 0) const {
        return Access(bits_ | mask << mask_shift | flags);
    }

    // Compare without taking the parts out.
    constexpr bool is_of_block_of(Access other) const {
        return (bits_ ^ other.bits_) >> block_shift == 0;
    }
    constexpr bool is_by_thread_of(Access other) const {
        return ((bits_ ^ other.bits_) & ~(time_field | bytes_field)) == 0;
    }
    constexpr bool has_bytes_and_kind_of(Access other) const {
        return ((bits_ ^ other.bits_) & bytes_field) == 0;
    }

    // The same of another thread of the block.
    constexpr Access by(std::uint32_t thread) const {
        return Access((bits_ & ~thread_field) | std::uint64_t{thread} << thread_shift);
    }

private:
    static constexpr std::uint64_t copy = std::uint64_t{1} << 62;
    static constexpr std::uint64_t time_field = std::uint64_t{last_time} << time_shift;
    static constexpr std::uint64_t thread_field = std::uint64_t{1023} << thread_shift;
    static constexpr std::uint64_t bytes_field = (1u << thread_shift) - 1;

    std::uint64_t bits_ = 0;
};

// A read of a word that changes its cell in no more than the thread and the line: in this interval, two other threads of
// the block have read it, and nobody has written it. An interval is the time between two events that order accesses of a
// block; its number is not used again. From the highest bits: interval 30, line 24, thread 10.
class Repeat {
public:
    static constexpr std::uint32_t last_interval = (1u << 30) - 1;

    constexpr Repeat() = default;
    explicit constexpr Repeat(std::uint64_t bits) : bits_(bits) {}
    constexpr Repeat(std::uint32_t interval, std::uint32_t thread)
        : bits_(std::uint64_t{interval} << interval_shift | thread) {}

    // The same of another thread.
    constexpr Repeat by(std::uint32_t thread) const {
        return Repeat((bits_ & ~std::uint64_t{(1u << site_shift) - 1}) | thread);
    }
    constexpr Repeat at(std::uint32_t site) const {
        return Repeat(bits_ | std::uint64_t{site << 8} << (site_shift - 8));
    }
    constexpr std::uint64_t bits() const { return bits_; }
    constexpr std::uint32_t thread() const { return bits_ & ((1u << site_shift) - 1); }
    constexpr std::uint32_t site() const {
        return static_cast<std::uint32_t>(bits_ >> site_shift) & ((1u << 24) - 1);
    }
    bool has_interval() const { return bits_ >> interval_shift != 0; }
    constexpr bool is_in_interval_of(std::uint64_t other) const {
        return (bits_ ^ other) >> interval_shift == 0;
    }
    constexpr bool differs_at_most_in_thread(std::uint64_t other) const {
        return (bits_ ^ other) >> site_shift == 0;
    }

private:
    static constexpr unsigned interval_shift = 34, site_shift = 10;

    std::uint64_t bits_ = 0;
};

// 8 bytes for each byte of the program. A cell of zeros means that nothing is known.
class Cell {
public:
    Access write;  // the last one
    Access read;   // the last one that was not ordered after the other one

    static constexpr std::uint32_t site_mask = (1u << 24) - 1;

    // Returns whether the bytes are valid and, for reads, written.
    bool has(unsigned mask, bool reads) const {
        const auto needed = std::uint64_t{mask} | (reads ? mask << written_shift : 0);
        return (needed & ~content_) == 0;
    }

    // The accesses and, of shared memory, what is written are of this time.
    std::uint16_t epoch() const { return static_cast<std::uint16_t>(sites_ >> epoch_shift); }
    void set_epoch(std::uint16_t epoch) {
        sites_ = (sites_ & ~epoch_field) | std::uint64_t{epoch} << epoch_shift;
    }
    // Bytes, as masks.
    unsigned valid() const { return content_ & 15; }
    unsigned written() const { return content_ >> written_shift & 15; }
    void set_valid(unsigned mask) { content_ |= mask; }
    void set_written(unsigned mask) { content_ |= mask << written_shift; }
    void forget_written() { content_ &= ~(std::uint64_t{15} << written_shift); }
    // Where the accesses are, in the lower bits.
    std::uint32_t write_site() const { return sites_ >> write_site_shift & site_mask; }
    std::uint32_t read_site() const { return sites_ & site_mask; }
    void set_write_site(std::uint32_t site) {
        sites_ = (sites_ & ~(std::uint64_t{site_mask} << write_site_shift)) |
                 std::uint64_t{site & site_mask} << write_site_shift;
    }
    void set_read_site(std::uint32_t site) {
        sites_ = (sites_ & ~std::uint64_t{site_mask}) | (site & site_mask);
    }
    // The line where a launch has read the word that is not ordered with the current one, as long as nobody has written it
    // in this epoch, or 0.
    std::uint32_t unordered_read() const { return write.exists() ? 0 : write_site(); }
    void keep_unordered_read(std::uint32_t site) {
        if (site != 0) set_write_site(site);
    }
    // The read of another thread, of the same bytes and kind, and nothing orders the two reads.
    bool has_other() const { return content_ >> other_shift != 0; }
    void forget_other() { content_ &= bytes_field; }
    Access other_read() const {
        return Access(content_ >> other_shift << Access::thread_shift |
                      (read.bits() & ((1u << Access::thread_shift) - 1)));
    }
    void set_other(Access access) {
        content_ = (content_ & bytes_field) | access.bits() >> Access::thread_shift << other_shift;
    }
    void forget_accesses() {
        write = read = Access();
        forget_other();
    }
    // Forgets the accesses of another epoch.
    void begin_epoch(std::uint16_t epoch) {
        forget_accesses();
        sites_ = std::uint64_t{epoch} << epoch_shift;
    }
    // Records the only read in the epoch that matters, or the only access.
    void set_read(Access access, std::uint32_t site) {
        read = access;
        forget_other();
        set_read_site(site);
    }
    void set_write(Access access, std::uint32_t site) {
        write = access;
        read = Access();
        content_ = (content_ & bytes_field) | access.mask() << written_shift;
        sites_ = (sites_ & epoch_field) | std::uint64_t{site & site_mask} << write_site_shift;
    }
    // Takes over the last read and its line.
    void add(Repeat last) {
        const auto before = read;
        if (!before.exists()) return;
        read = before.by(last.thread());
        if (has_other() && other_read().who() == read.who()) set_other(before);
        set_read_site(last.site());
    }

    // A cell whose bytes have cells of their own, instead of accesses; see Region::divide.
    static constexpr std::uint64_t division = std::uint64_t{1} << 63;  // no access has this bit
    bool is_divided() const { return (write.bits() & division) != 0; }
    std::size_t number_of_bytes() const {
        return static_cast<std::size_t>(write.bits() & ~division);
    }
    // Forgets the accesses to other bytes.
    void keep_bytes(unsigned mask) {
        if (write.exists() && !write.only(mask).exists()) set_write_site(0);
        write = write.only(mask);
        const auto kept = read.only(mask);
        if (!kept.exists()) forget_other();
        read = kept;
    }

private:
    static constexpr unsigned written_shift = 4, other_shift = 8;
    static constexpr std::uint64_t bytes_field = (1u << other_shift) - 1;
    static constexpr unsigned epoch_shift = 48, write_site_shift = 24;
    static constexpr std::uint64_t epoch_field = std::uint64_t{0xFFFF} << epoch_shift;
    static_assert(Access::thread_shift <= other_shift - 2);  // the other read has two unused bits

    std::uint64_t content_;  // from the highest bits: other read 56, written 4, valid 4
    std::uint64_t sites_;    // the same: epoch 16, line of the write 24, line of the read 24
};
static_assert(sizeof(Cell) == 8 * word_bytes);

// Memory with cells, which is contiguous.
struct Region {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    Cell* cells = nullptr;
    std::uint64_t* repeats =
        nullptr;  // the last Repeat of each word, which its cell does not contain, or 0
    std::uint16_t epoch = 1;
    bool is_shared = false;       // the memory of a block, whose content is forgotten in each epoch
    bool is_dynamic = false;      // of a block: its dynamic memory
    bool is_initialized = false;  // the memory of variables
    bool has_constants = false;

    bool contains(std::uintptr_t address) const { return address - start < bytes; }
    __attribute__((always_inline)) Cell& cell(std::uintptr_t address) const {
        const auto word = (address - start) / word_bytes;
        if (repeats[word] != 0) {
            cells[word].add(Repeat(repeats[word]));
            repeats[word] = 0;
        }
        return cells[word];
    }
    std::uint64_t* repeats_of(std::uintptr_t address) const {
        return repeats + (address - start) / word_bytes;
    }
    // Lets the cells of an access contain its repeats. Returns whether there were any.
    bool take_repeats(std::uintptr_t address, std::size_t bytes) const {
        bool has_taken = false;
        for (std::size_t i = 0; i < bytes; i += word_bytes) {
            has_taken = has_taken || *repeats_of(address + i) != 0;
            cell(address + i);
        }
        return has_taken;
    }

    // What cells and repeats need, with room for an access of 16 bytes that starts at the last word.
    static constexpr std::size_t count_bytes(std::size_t words) {
        return (words + 4) * (sizeof(Cell) + sizeof(std::uint64_t));
    }
    void use_memory(void* memory, std::size_t words) {
        cells = static_cast<Cell*>(memory);
        repeats = reinterpret_cast<std::uint64_t*>(cells + words + 4);
    }

    // The cells of the bytes of words that threads access in parts.
    mutable std::vector<std::array<Cell, word_bytes>> bytes_of_words;
    std::uint16_t first_epoch_of_bytes = 1;  // of which they are known
    std::array<Cell, word_bytes>& bytes_of(const Cell& cell) const {
        return bytes_of_words[cell.number_of_bytes()];
    }
    // Gives each byte of the word a cell. Those of a word that has not been accessed in this epoch keep theirs.
    void divide(Cell& cell) const {
        std::array<Cell, word_bytes> bytes;
        if (has_bytes(cell)) {
            bytes = bytes_of(cell);
        } else {
            bytes.fill(cell);
            for (unsigned i = 0; i < word_bytes; ++i) bytes[i].keep_bytes(1u << i);
        }
        bytes_of_words.push_back(bytes);
        cell.forget_accesses();
        cell.set_epoch(epoch);
        cell.write = Access(Cell::division | (bytes_of_words.size() - 1));
    }
    // Returns whether the bytes of the word have cells, which can be of other epochs.
    bool has_bytes(const Cell& cell) const {
        return cell.is_divided() && cell.epoch() >= first_epoch_of_bytes;
    }
    // Forgets the cells of bytes, unless accesses of earlier epochs are still needed.
    void begin_epoch(std::uint16_t number, bool keeps_bytes = false) {
        constexpr std::size_t most_kept = std::size_t{1} << 20;
        epoch = number;
        if (keeps_bytes && bytes_of_words.size() < most_kept) return;
        bytes_of_words.clear();
        first_epoch_of_bytes = number;
    }
    // Returns the cell, or one of those of its bytes, for which the condition holds, or null.
    template <class Condition>
    const Cell* find_cell(const Cell& cell, const Condition& holds) const {
        if (!cell.is_divided()) return holds(cell) ? &cell : nullptr;
        if (!has_bytes(cell)) return nullptr;
        for (const auto& each : bytes_of(cell))
            if (holds(each)) return &each;
        return nullptr;
    }
};

}  // namespace kbuild::cpu::checks

#endif
