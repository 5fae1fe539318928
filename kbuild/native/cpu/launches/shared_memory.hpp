// Copies of the shared memory of blocks, for OS threads that run several blocks in turn.
#ifndef KBUILD_CPU_LAUNCHES_SHARED_MEMORY_HPP
#define KBUILD_CPU_LAUNCHES_SHARED_MEMORY_HPP

#include <kbuild/cpu_image.h>

#include <cstddef>
#include <vector>

namespace kbuild::cpu {

// The thread-local storage of an image on the calling OS thread. `__shared__` variables are there,
// and have the same address in all blocks that the OS thread runs.
struct ThreadStorage {
    char* start = nullptr;
    std::size_t bytes = 0;
};

// Finds the storage. The image's `builtins` must have been called on this OS thread.
ThreadStorage find_thread_storage(const kbuild_cpu_image& image);

// The shared memory of a block while another one runs.
class SharedMemory {
public:
    void save(const ThreadStorage& storage) { copy_.assign(storage.start, storage.start + storage.bytes); }
    void restore(const ThreadStorage& storage) const noexcept;

private:
    std::vector<char> copy_;
};

}  // namespace kbuild::cpu

#endif
