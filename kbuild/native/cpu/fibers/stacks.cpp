#include "fibers/stacks.hpp"

#include "api/errors.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

constexpr std::size_t default_stack_bytes = std::size_t{256} * 1024;
constexpr std::size_t smallest_stack_bytes = std::size_t{16} * 1024;
constexpr std::size_t largest_stack_bytes = std::size_t{1} << 30;

// A guard page splits the mapping in two, and Linux allows about 65,000 mappings per process
// (vm.max_map_count). More guards than this could leave too few for the rest of the program, so
// further stacks have none. A guard only turns a stack overflow into a clean crash.
constexpr std::size_t most_guards = 8192;
std::atomic<std::size_t> guards{0};

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

std::size_t read_stack_bytes() {
    const char* text = std::getenv("KBUILD_CPU_STACK_BYTES");
    if (text == nullptr || *text == '\0') return default_stack_bytes;
    char* end = nullptr;
    errno = 0;
    const auto bytes = std::strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0' || bytes < smallest_stack_bytes || bytes > largest_stack_bytes)
        throw Failure(KBUILD_CPU_INVALID_VALUE, std::string("KBUILD_CPU_STACK_BYTES is '") + text +
                                                    "'; expected a number from " +
                                                    std::to_string(smallest_stack_bytes) + " to " +
                                                    std::to_string(largest_stack_bytes));
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

}  // namespace

std::size_t stack_bytes() {
    static const std::size_t bytes = read_stack_bytes();
    return bytes;
}

std::size_t first_stack_bytes() { return stack_bytes() + Stacks::array_bytes; }

Stacks::~Stacks() { release(); }

void Stacks::reserve(std::size_t count) {
    if (count <= count_) return;
    release();
    // The distance is an odd number of pages. Otherwise, the pages that all fibers use would compete for
    // the same few entries of translation buffers, and of second-level caches.
    const auto distance = stack_bytes() | page_bytes();
    const auto bytes = count * distance + array_bytes;
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "cannot map " + std::to_string(bytes) +
                                                    " bytes of stacks for a block of " +
                                                    std::to_string(count) + " threads");
    // A huge page would allocate the stacks of eight threads when the first one is used.
    madvise(base, bytes, MADV_NOHUGEPAGE);
    base_ = static_cast<char*>(base);
    count_ = count;
    stack_size_ = stack_bytes();
    guard_bytes_ = page_bytes();
    distance_ = distance;
}

void Stacks::guard(std::size_t index) noexcept {
    guarded_ = index + 1;
    if (guards.fetch_add(1, std::memory_order_relaxed) < most_guards)
        mprotect(whole(index).base, guard_bytes_, PROT_NONE);  // can fail, see most_guards
}

void Stacks::release() noexcept {
    if (base_ != nullptr) munmap(base_, count_ * distance_ + array_bytes);
    guards.fetch_sub(guarded_, std::memory_order_relaxed);
    base_ = nullptr;
    count_ = 0;
    guarded_ = 0;
}

}  // namespace kbuild::cpu
