// The shared memory of blocks.
#ifndef KBUILD_CPU_LAUNCHES_SHARED_MEMORY_HPP
#define KBUILD_CPU_LAUNCHES_SHARED_MEMORY_HPP

#include <kbuild/cpu_image.h>

#include <cstddef>
#include <cstdint>

namespace kbuild::cpu {

// The thread-local storage of an image. `__shared__` variables have their places there.
struct StorageLayout {
    std::ptrdiff_t start;  // relative to threadIdx, on any OS thread
    std::size_t bytes;
    std::size_t alignment;
};

// Finds the storage of a loaded image.
StorageLayout find_storage(const kbuild_cpu_image& image);

// The memory of one block after another on one OS thread, with separate mappings for static variables
// and for `extern` arrays. Blocks of the same OS thread have different memory, so that no byte is
// copied when they take turns.
class SharedMemory {
public:
    SharedMemory();  // throws Failure
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    // Uses the thread-local storage itself for static variables, so that it needs no other memory.
    void use_thread_storage() noexcept { offset_ = 0; }
    // Uses other memory, in which all bytes are 0. Throws Failure.
    void use_own_memory(const StorageLayout& storage, const kbuild_dim3* thread_idx);

    // Returns where the memory is for the OS thread with a `threadIdx`.
    kbuild_cpu_shared describe(const StorageLayout& storage,
                               const kbuild_dim3* thread_idx) const noexcept;

    // Returns where another block has what is at an address of this block's memory, or null if the
    // address is outside of it.
    char* find_in(const SharedMemory& other, const void* address, const StorageLayout& storage,
                  const kbuild_dim3* thread_idx) const noexcept;

private:
    std::uintptr_t find_statics(const StorageLayout& storage,
                                const kbuild_dim3* thread_idx) const noexcept;

    char* dynamic_;
    std::uintptr_t offset_ = 0;
    char* static_memory_ = nullptr;
    std::size_t static_bytes_ = 0;
};

}  // namespace kbuild::cpu

#endif
