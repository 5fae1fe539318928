#include "fork_safe_mutex.hpp"
#include "memory/heap.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "crashes/callers.hpp"
#include "memory/pools.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <unordered_map>

namespace kbuild::cpu {
namespace {

constexpr std::size_t guard_page_bytes = 4096;
constexpr std::size_t red_zone_bytes = allocation_alignment;
constexpr unsigned char red_value = 0xA7;
// An allocation splits a mapping in two, and Linux allows 65,530 by default (vm.max_map_count).
constexpr std::size_t most_mapped_blocks = 8192;
constexpr std::size_t most_unused_bytes = std::size_t{64} << 20;

struct GuardedBlock {
    std::size_t bytes;   // that the program requested
    std::size_t room;    // behind the start of the memory, with the red_value zone
    std::size_t front;   // the red_value zone in front of the memory
    void* base;          // what to release
    std::size_t mapped;  // 0 for memory of the C library
    Callers callers;
};

std::size_t round_up_bytes(std::size_t value, std::size_t unit) {
    return (value + unit - 1) / unit * unit;
}

bool read_guard_setting() {
    const char* text = std::getenv("KBUILD_CPU_GUARDS");
    if (text == nullptr || *text == '\0' || std::strcmp(text, "on") == 0) return true;
    if (std::strcmp(text, "off") == 0) return false;
    throw Failure(KBUILD_CPU_INVALID_VALUE,
                  std::string("KBUILD_CPU_GUARDS is '") + text + "'; expected on or off");
}

bool has_guards() {
    static const bool is_on = read_guard_setting();
    return is_on;
}

void paint_red_zones(void* pointer, const GuardedBlock& block) noexcept {
    auto* const start = static_cast<unsigned char*>(pointer);
    std::memset(start - block.front, red_value, block.front);
    std::memset(start + block.bytes, red_value, std::min(block.room - block.bytes, red_zone_bytes));
}

struct Damage {
    std::size_t distance;
    bool is_behind;  // the end, or else before the start
};

// Finds the first byte of a red zone that changed, and the last one in front of the memory.
std::optional<Damage> find_damage(const void* pointer, const GuardedBlock& block) noexcept {
    const auto* const start = static_cast<const unsigned char*>(pointer);
    const auto behind = std::min(block.room - block.bytes, red_zone_bytes);
    for (std::size_t i = 0; i < behind; ++i)
        if (start[block.bytes + i] != red_value) return Damage{i, true};
    for (std::size_t i = 1; i <= block.front; ++i)
        if (*(start - i) != red_value) return Damage{i, false};
    return std::nullopt;
}

// Pages that were released, with their guards, to save the system calls and page faults of programs that
// allocate again and again.
class UnusedPages {
public:
    // Returns null if no pages of this size are left.
    void* take(std::size_t mapped) noexcept {
        const auto found = all_.find(mapped);
        if (found == all_.end()) return nullptr;
        void* const base = found->second;
        all_.erase(found);
        bytes_ -= mapped;
        return base;
    }

    // Returns whether the pages are kept.
    bool keep(void* base, std::size_t mapped) {
        if (mapped > most_unused_bytes - bytes_) return false;
        all_.emplace(mapped, base);
        bytes_ += mapped;
        return true;
    }

private:
    std::unordered_multimap<std::size_t, void*> all_;
    std::size_t bytes_ = 0;
};

// Returns pages without access around others, or null if Linux refuses.
void* map_pages(std::size_t mapped) noexcept {
    void* const base =
        mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return nullptr;
    const auto inner = mapped - 2 * guard_page_bytes;
    if (mprotect(static_cast<char*>(base) + guard_page_bytes, inner, PROT_READ | PROT_WRITE) == 0)
        return base;
    munmap(base, mapped);
    return nullptr;
}

// Places the memory at the end of its pages. Returns null if Linux refuses.
void* map_block(GuardedBlock& block, UnusedPages& unused) noexcept {
    const auto pages = round_up_bytes(block.room, guard_page_bytes);
    if (pages < block.room || pages + 2 * guard_page_bytes < pages) return nullptr;
    block.mapped = pages + 2 * guard_page_bytes;
    block.base = unused.take(block.mapped);
    if (block.base == nullptr) block.base = map_pages(block.mapped);
    if (block.base == nullptr) return nullptr;
    block.front = std::min(pages - block.room, red_zone_bytes);
    return static_cast<char*>(block.base) + guard_page_bytes + (pages - block.room);
}

void* take_block(GuardedBlock& block) noexcept {
    block.mapped = 0;
    block.front = allocation_alignment;
    const auto room = block.room + red_zone_bytes;
    if (room < block.room || block.front + room < room) return nullptr;
    block.room = room;
    if (posix_memalign(&block.base, allocation_alignment, block.front + block.room) != 0)
        return nullptr;
    return static_cast<char*>(block.base) + block.front;
}

class Heap {
public:
    static Heap& instance();

    void* allocate(std::size_t bytes);
    void release(void* pointer) noexcept;
    void reuse(void* pointer, std::size_t bytes) noexcept;
    void check(const void* pointer) noexcept;
    void check_all() noexcept;
    bool find(const void* pointer, GuardedBlock& block) noexcept;

private:
    ForkSafeMutex mutex_{LockRank::heap};
    std::unordered_map<const void*, GuardedBlock> blocks_;
    std::size_t mapped_ = 0;
    UnusedPages unused_;
};

// Never freed, because programs also release memory in atexit handlers and destructors.
Heap* process_heap = nullptr;

Heap& Heap::instance() {
    static const bool created = [] {
        process_heap = new Heap;
        std::atexit([] { process_heap->check_all(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_heap;
}

[[noreturn]] void report_damage(const void* pointer, const GuardedBlock& block,
                                const Damage& damage) noexcept {
    const auto origin = find_origin(pointer);
    const auto text =
        "kbuild: memory next to the allocation of " + std::to_string(block.bytes) + " bytes" +
        (origin.empty() ? "" : " of " + origin) + " was overwritten, " +
        std::to_string(damage.distance) + (damage.distance == 1 ? " byte " : " bytes ") +
        (damage.is_behind ? "past its end" : "before its start") +
        "; run with checks (--check, CHECK ON, or check=True in Python) to see the kernel "
        "and the line that wrote it\n";
    std::fflush(nullptr);
    std::fputs(text.c_str(), stderr);
    std::abort();
}

void check_block(const void* pointer, const GuardedBlock& block) noexcept {
    if (const auto damage = find_damage(pointer, block)) report_damage(pointer, block, *damage);
}

void* Heap::allocate(std::size_t bytes) {
    GuardedBlock block = {bytes, round_up_bytes(bytes, allocation_alignment), 0, nullptr, 0, {}};
    void* pointer = nullptr;
    if (block.room >= bytes) {
        const std::lock_guard lock(mutex_);
        if (mapped_ < most_mapped_blocks && (pointer = map_block(block, unused_)) != nullptr)
            ++mapped_;
    }
    if (pointer == nullptr && block.room >= bytes) pointer = take_block(block);
    if (pointer == nullptr)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot allocate " + std::to_string(bytes) + " bytes");
    paint_red_zones(pointer, block);
    block.callers = list_callers();
    const std::lock_guard lock(mutex_);
    blocks_[pointer] = block;
    return pointer;
}

bool Heap::find(const void* pointer, GuardedBlock& block) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return false;
    block = found->second;
    return true;
}

void Heap::release(void* pointer) noexcept {
    GuardedBlock block;
    if (!find(pointer, block)) return std::free(pointer);  // not of this heap
    check_block(pointer, block);
    {
        const std::lock_guard lock(mutex_);
        blocks_.erase(pointer);
        if (block.mapped != 0) --mapped_;
        if (block.mapped != 0 && unused_.keep(block.base, block.mapped)) return;
    }
    if (block.mapped != 0)
        munmap(block.base, block.mapped);
    else
        std::free(block.base);
}

void Heap::reuse(void* pointer, std::size_t bytes) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(pointer);
    if (found == blocks_.end()) return;
    found->second.bytes = bytes;
    paint_red_zones(pointer, found->second);
}

void Heap::check(const void* pointer) noexcept {
    GuardedBlock block;
    if (find(pointer, block)) check_block(pointer, block);
}

void Heap::check_all() noexcept {
    std::unordered_map<const void*, GuardedBlock> all;
    {
        const std::lock_guard lock(mutex_);
        all = blocks_;
    }
    for (const auto& [pointer, block] : all) check_block(pointer, block);
}

}  // namespace

void* allocate_memory(std::size_t bytes) {
    if (checks::is_active()) return checks::Checker::instance().arena().allocate(bytes);
    if (has_guards()) return Heap::instance().allocate(bytes);
    void* pointer = nullptr;
    if (posix_memalign(&pointer, allocation_alignment, bytes) != 0)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot allocate " + std::to_string(bytes) + " bytes");
    return pointer;
}

// The addresses of the arena are not used again.
void free_memory(void* pointer) noexcept {
    if (checks::is_active() && checks::Checker::instance().arena().contains(pointer)) return;
    if (has_guards())
        Heap::instance().release(pointer);
    else
        std::free(pointer);
}

void reuse_memory(void* pointer, std::size_t bytes) noexcept {
    if (process_heap != nullptr) process_heap->reuse(pointer, bytes);
}

void check_memory(const void* pointer) noexcept {
    if (process_heap != nullptr) process_heap->check(pointer);
}

std::string find_origin(const void* pointer) {
    GuardedBlock block;
    if (process_heap == nullptr || !process_heap->find(pointer, block)) return "";
    const auto line = find_line_of(block.callers);
    return line ? line->file + ":" + std::to_string(line->line) : "";
}

void note_release(const void* pointer) {
    if (checks::is_active()) checks::Checker::instance().remove_memory(pointer);
}

}  // namespace kbuild::cpu
