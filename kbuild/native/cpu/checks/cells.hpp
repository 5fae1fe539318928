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
    constexpr bool differs_at_most_in_thread(Access other) const {
        return ((bits_ ^ other.bits_) & ~thread_field) == 0;
    }
    // Compares lower bits of the thread with those that a cell keeps of another read in `read_site`.
    constexpr bool has_thread_of_other(std::uint32_t read_site) const {
        return static_cast<std::uint32_t>(bits_ >> thread_shift) << 24 == read_site;
    }
    constexpr bool has_bytes_and_kind_of(Access other) const {
        return ((bits_ ^ other.bits_) & bytes_field) == 0;
    }

private:
    static constexpr std::uint64_t copy = std::uint64_t{1} << 62;
    static constexpr std::uint64_t time_field = std::uint64_t{last_time} << time_shift;
    static constexpr std::uint64_t thread_field = std::uint64_t{1023} << thread_shift;
    static constexpr std::uint64_t bytes_field = (1u << thread_shift) - 1;

    std::uint64_t bits_ = 0;
};

// 8 bytes for each byte of the program. A cell of zeros means that nothing is known.
struct Cell {
    Access write;  // the last one
    Access read;   // the last one that was not ordered after `other`
    // The read of another thread, of the same bytes and kind, and nothing orders the two reads: all but the
    // lower bits.
    std::uint32_t other_low;
    std::uint16_t other_high;
    std::uint16_t epoch;       // the accesses and, of shared memory, the state are of this time
    std::uint32_t write_site;  // where, in the lower bits; which bytes are valid and written
    std::uint32_t read_site;   // where, in the lower bits; more bits of the other read

    static constexpr std::uint32_t site_mask = (1u << 24) - 1;

    static constexpr unsigned other_shift = Access::thread_shift + 8;

    unsigned valid() const { return write_site >> 24 & 15; }
    unsigned written() const { return write_site >> 28; }
    void set_valid(unsigned mask) { write_site |= mask << 24; }
    void set_written(unsigned mask) { write_site |= mask << 28; }
    void set_write_site(std::uint32_t site) {
        write_site = (write_site & ~site_mask) | (site & site_mask);
    }
    bool has_other() const { return (other_low | other_high) != 0; }
    void forget_other() { other_low = other_high = 0; }
    Access other_read() const {
        const auto high = (std::uint64_t{other_high} << 32 | other_low) << other_shift;
        const auto low = std::uint64_t{read_site >> 24} << Access::thread_shift;
        return Access(high | low | (read.bits() & ((1u << Access::thread_shift) - 1)));
    }
    void set_other(Access access) {
        const auto bits = access.bits() >> other_shift;
        other_low = static_cast<std::uint32_t>(bits);
        other_high = static_cast<std::uint16_t>(bits >> 32);
        const auto low = static_cast<std::uint32_t>(access.bits() >> Access::thread_shift);
        read_site = (read_site & site_mask) | low << 24;
    }
    void set_read_site(std::uint32_t site) {
        read_site = (read_site & ~site_mask) | (site & site_mask);
    }
    void forget_accesses() {
        write = read = Access();
        forget_other();
    }

    // A cell whose bytes have cells of their own, instead of accesses; see Region::divide.
    static constexpr std::uint64_t division = std::uint64_t{1} << 63;  // no access has this bit
    bool is_divided() const { return (write.bits() & division) != 0; }
    std::size_t number_of_bytes() const {
        return static_cast<std::size_t>(write.bits() & ~division);
    }
    // Forgets the accesses to other bytes.
    void keep_bytes(unsigned mask) {
        write = write.only(mask);
        const auto kept = read.only(mask);
        if (!kept.exists()) forget_other();
        read = kept;
    }
};
static_assert(sizeof(Cell) == 8 * word_bytes);

// Memory with cells, which is contiguous.
struct Region {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    Cell* cells = nullptr;
    std::uint16_t epoch = 1;
    bool is_shared = false;       // the memory of a block, whose content is forgotten in each epoch
    bool is_dynamic = false;      // of a block: its dynamic memory
    bool is_initialized = false;  // the memory of variables
    bool has_constants = false;

    bool contains(std::uintptr_t address) const { return address - start < bytes; }
    Cell& cell(std::uintptr_t address) const { return cells[(address - start) / word_bytes]; }

    // The cells of the bytes of words that threads access in parts.
    mutable std::vector<std::array<Cell, word_bytes>> bytes_of_words;
    std::array<Cell, word_bytes>& bytes_of(const Cell& cell) const {
        return bytes_of_words[cell.number_of_bytes()];
    }
    // Gives each byte of the word a cell. All are forgotten with the accesses of an epoch.
    void divide(Cell& cell) const {
        std::array<Cell, word_bytes> bytes;
        bytes.fill(cell);
        for (unsigned i = 0; i < word_bytes; ++i) bytes[i].keep_bytes(1u << i);
        bytes_of_words.push_back(bytes);
        cell.forget_accesses();
        cell.write = Access(Cell::division | (bytes_of_words.size() - 1));
    }
    void begin_epoch(std::uint16_t number) {
        epoch = number;
        bytes_of_words.clear();
    }
};

}  // namespace kbuild::cpu::checks

#endif
