// What the checks know of memory: one cell for each word of 4 bytes.
#ifndef KBUILD_CPU_CHECKS_CELLS_HPP
#define KBUILD_CPU_CHECKS_CELLS_HPP

#include <cstddef>
#include <cstdint>

namespace kbuild::cpu::checks {

constexpr std::size_t word_bytes = 4;
constexpr unsigned whole_word = 15;  // a mask of bytes

// The content of fresh device memory. A read of a word with this value reads what nobody has written.
constexpr unsigned char fresh_word[word_bytes] = {0x9D, 0x4B, 0xE7, 0x26};

// An access: which thread of which block, when, and to which bytes of the word. The bits are, from the
// highest one: block 24, thread 10, mask 4, kind 2, time 22. Zero means no access.
class Access {
public:
    static constexpr unsigned time_bits = 22, who_shift = 28;
    static constexpr std::uint32_t last_time = (1u << time_bits) - 1;
    static constexpr std::uint32_t block_mask = (1u << 24) - 1;
    // Kinds besides ordinary accesses.
    static constexpr unsigned atomic = 1, is_volatile = 2, atomic_of_block = 3;

    constexpr Access() = default;
    constexpr Access(std::uint64_t who, unsigned mask, unsigned flags, std::uint32_t time)
        : bits_(who << who_shift | std::uint64_t{mask} << 24 | std::uint64_t{flags} << 22 | time) {}

    static constexpr std::uint64_t name(std::uint32_t block, std::uint32_t thread) {
        return std::uint64_t{block & block_mask} << 10 | thread;
    }

    constexpr bool exists() const { return bits_ != 0; }
    constexpr std::uint64_t who() const { return bits_ >> who_shift; }
    constexpr std::uint32_t block() const { return static_cast<std::uint32_t>(bits_ >> 38); }
    constexpr std::uint32_t thread() const { return bits_ >> who_shift & 1023; }
    constexpr unsigned mask() const { return bits_ >> 24 & 15; }
    constexpr unsigned flags() const { return bits_ >> 22 & 3; }
    constexpr std::uint32_t time() const { return bits_ & last_time; }
    void add_bytes(unsigned mask) { bits_ |= std::uint64_t{mask} << 24; }

private:
    std::uint64_t bits_ = 0;
};

// 8 bytes for each byte of the program. A cell of zeros means that nothing is known.
struct Cell {
    Access write;  // the last one
    Access read;   // the last one that was not ordered after `other`
    // Another thread that has read the same bytes, and nothing orders the two reads: its name, and most
    // bits of the time.
    std::uint32_t other_low;
    std::uint16_t other_high;
    std::uint16_t epoch;       // the accesses and, of shared memory, the state are of this time
    std::uint32_t write_site;  // where, in the lower bits; which bytes are valid and written
    std::uint32_t read_site;   // where, in the lower bits; the rest of the time

    static constexpr std::uint32_t site_mask = (1u << 24) - 1;

    static constexpr unsigned other_time_bits = Access::time_bits - 8;
    static constexpr std::uint64_t other_time_mask = (1u << other_time_bits) - 1;

    unsigned valid() const { return write_site >> 24 & 15; }
    unsigned written() const { return write_site >> 28; }
    void set_valid(unsigned mask) { write_site |= mask << 24; }
    void set_written(unsigned mask) { write_site |= mask << 28; }
    void set_write_site(std::uint32_t site) {
        write_site = (write_site & ~site_mask) | (site & site_mask);
    }
    bool has_other() const { return (other_low | other_high) != 0; }
    void forget_other() { other_low = other_high = 0; }
    // The read of the other thread, which has the same bytes and the same kind as the last one.
    Access other_read() const {
        const auto bits = std::uint64_t{other_high} << 32 | other_low;
        const auto time = static_cast<std::uint32_t>(bits & other_time_mask) << 8 | read_site >> 24;
        return Access(bits >> other_time_bits, read.mask(), read.flags(), time);
    }
    void set_other(Access access) {
        const auto bits = access.who() << other_time_bits | access.time() >> 8;
        other_low = static_cast<std::uint32_t>(bits);
        other_high = static_cast<std::uint16_t>(bits >> 32);
        read_site = (read_site & site_mask) | access.time() << 24;
    }
    void set_read_site(std::uint32_t site) {
        read_site = (read_site & ~site_mask) | (site & site_mask);
    }
    void forget_accesses() {
        write = read = Access();
        forget_other();
    }
};
static_assert(sizeof(Cell) == 8 * word_bytes);

// Memory with cells, which is contiguous.
struct Region {
    std::uintptr_t start = 0;
    std::size_t bytes = 0;
    Cell* cells = nullptr;
    std::uint16_t epoch = 1;
    bool is_shared = false;  // the memory of a block, whose content is forgotten in each epoch

    bool contains(std::uintptr_t address) const { return address - start < bytes; }
    Cell& cell(std::uintptr_t address) const { return cells[(address - start) / word_bytes]; }
};

}  // namespace kbuild::cpu::checks

#endif
