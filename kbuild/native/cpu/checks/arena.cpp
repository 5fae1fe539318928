#include "checks/arena.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <sys/mman.h>

namespace kbuild::cpu::checks {
namespace {

constexpr std::size_t arena_bytes = std::size_t{1} << 38;
constexpr std::size_t alignment = 512;  // as of other device memory
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t smallest_gap = 256, largest_gap = std::size_t{1} << 20;

std::uintptr_t round_up(std::uintptr_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

}  // namespace

void* map_memory(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot reserve " + std::to_string(bytes) +
                          " bytes of addresses for checks; raise the limit of virtual memory "
                          "(ulimit -v)");
    madvise(memory, bytes, MADV_DONTDUMP);
    return memory;
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

Arena::Arena() {
    region_.start = reinterpret_cast<std::uintptr_t>(map_memory(arena_bytes));
    region_.cells = static_cast<Cell*>(map_memory(arena_bytes / word_bytes * sizeof(Cell)));
    region_.bytes = arena_bytes;
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
