#include "checks/arena.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t most_arena_bytes = std::size_t{1} << 38,
                      least_arena_bytes = std::size_t{1} << 28;
constexpr std::size_t alignment = 512;  // as of other device memory
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t fresh_file_bytes = std::size_t{4} << 20;
constexpr std::size_t smallest_gap = 256, largest_gap = std::size_t{1} << 20;

std::uintptr_t round_up(std::uintptr_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

// Returns null if the system refuses.
void* reserve(std::size_t bytes) noexcept {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
}

void write_pattern(std::uintptr_t start, std::size_t bytes) noexcept {
    auto* const memory = reinterpret_cast<unsigned char*>(start);
    auto done = std::min(bytes, word_bytes);
    std::memcpy(memory, fresh_word, done);
    for (std::size_t part; done < bytes; done += part) {
        part = std::min(done, bytes - done);
        std::memcpy(memory + done, memory, part);
    }
}

// Returns a file of the system's memory with the content of fresh memory, or -1.
int open_fresh_file() noexcept {
    const int file = memfd_create("kbuild-fresh", MFD_CLOEXEC);
    if (file < 0) return file;
    void* const pages =
        ftruncate(file, fresh_file_bytes) == 0
            ? mmap(nullptr, fresh_file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
            : MAP_FAILED;
    if (pages == MAP_FAILED) {
        close(file);
        return -1;
    }
    write_pattern(reinterpret_cast<std::uintptr_t>(pages), fresh_file_bytes);
    munmap(pages, fresh_file_bytes);
    return file;
}

}  // namespace

void fill_fresh(void* start, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(start), end = begin + bytes;
    auto place = std::min(round_up(begin, page_bytes), end);
    write_pattern(begin, place - begin);
    static const int file = open_fresh_file();
    // The system limits the number of mappings, so small memory is written.
    while (file >= 0 && end - place >= fresh_file_bytes / 4) {
        const auto part =
            std::min<std::size_t>((end - place) / page_bytes * page_bytes, fresh_file_bytes);
        if (mmap(reinterpret_cast<void*>(place), part, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
            break;
        place += part;
    }
    write_pattern(place, end - place);
}

void* map_memory(std::size_t bytes) {
    if (void* const memory = reserve(bytes)) return memory;
    throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                  "cannot reserve " + std::to_string(bytes) +
                      " bytes of addresses for checks; raise the limit of virtual memory "
                      "(ulimit -v)");
}

void map_cells(Region& region) {
    const auto words = region.bytes / word_bytes + 1;
    region.use_memory(map_memory(Region::count_bytes(words)), words);
}

void clear_cells(const Region& region, std::uintptr_t start, std::size_t bytes) noexcept {
    const auto words = (bytes + word_bytes - 1) / word_bytes;
    clear_memory(&region.cell(start), words * sizeof(Cell));
    clear_memory(region.repeats_of(start), words * sizeof(std::uint64_t));
}

void clear_memory(void* start, std::size_t bytes) noexcept {
    const auto begin = reinterpret_cast<std::uintptr_t>(start), end = begin + bytes;
    const auto first = round_up(begin, page_bytes), last = end / page_bytes * page_bytes;
    if (first >= last) {
        std::memset(start, 0, bytes);
        return;
    }
    std::memset(start, 0, first - begin);
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    std::memset(reinterpret_cast<void*>(last), 0, end - last);
}

// A limit of virtual memory, or a system that promises no more than it has, allows less.
Arena::Arena() {
    const auto with_cells = [](std::size_t bytes) {
        return bytes + Region::count_bytes(bytes / word_bytes);
    };
    auto bytes = most_arena_bytes;
    void* memory = reserve(with_cells(bytes));
    while (memory == nullptr && bytes > least_arena_bytes) {
        bytes /= 2;
        memory = reserve(with_cells(bytes));
    }
    if (memory == nullptr) memory = map_memory(with_cells(bytes));  // it says what is missing
    region_.start = reinterpret_cast<std::uintptr_t>(memory);
    region_.bytes = bytes;
    region_.use_memory(static_cast<char*>(memory) + bytes, bytes / word_bytes);
    next_ = region_.start + page_bytes;
}

void* Arena::allocate(std::size_t bytes) {
    const auto gap = std::clamp(bytes / 4, smallest_gap, largest_gap);
    const std::lock_guard lock(mutex_);
    const auto end = region_.start + region_.bytes;
    if (bytes > end - next_ || gap + alignment > end - next_ - bytes)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "the checks have no addresses left for " + std::to_string(bytes) + " bytes");
    const auto start = next_;
    next_ = round_up(start + bytes + gap, alignment);
    return reinterpret_cast<void*>(start);
}

}  // namespace kbuild::cpu::checks
