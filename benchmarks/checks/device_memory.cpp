// Lets the data of the cases be device memory, as in programs, because checks treat other memory as a mistake.
#include <kbuild/cpu_runtime.h>

#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t smallest = 4096; // what the runtime itself allocates is smaller

} // namespace

void* operator new(std::size_t bytes)
{
    void* memory = nullptr;
    if (bytes >= smallest)
        kbuild_cpu_allocate(&memory, bytes);
    else
        memory = std::malloc(bytes);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept
{
    void* base = nullptr;
    std::size_t bytes = 0;
    if (kbuild_cpu_find_allocation(memory, &base, &bytes) == 0 && base != nullptr)
        kbuild_cpu_release(memory);
    else
        std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
