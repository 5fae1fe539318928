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
    // A part that the launch does not use, at the end of the space for `extern __shared__` arrays.
    std::size_t unused_start = 0;
    std::size_t unused_bytes = 0;
};

// Finds the storage for blocks with this number of bytes in `extern __shared__` arrays. The builtins
// are those of this OS thread.
ThreadStorage find_thread_storage(const kbuild_cpu_image& image,
                                  const kbuild_cpu_builtins& builtins, std::size_t shared_bytes);

// The shared memory of a block while another one runs.
class SharedMemory {
public:
    void save(const ThreadStorage& storage);
    void restore(const ThreadStorage& storage) const noexcept;

private:
    std::vector<char> copy_;
};

}  // namespace kbuild::cpu

#endif
