#include "launches/shared_memory.hpp"

#include "api/errors.hpp"
#include "devices/properties.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <link.h>
#include <string>
#include <sys/mman.h>

namespace kbuild::cpu {
namespace {

struct Search {
    std::uintptr_t image;
    std::uintptr_t thread_idx;
    StorageLayout found;
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const ElfW(Phdr)* storage = nullptr;
    bool has_image = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        const auto start = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_TLS) storage = &segment;
        if (segment.p_type == PT_LOAD && search.image - start < segment.p_memsz) has_image = true;
    }
    if (!has_image) return 0;
    if (storage != nullptr) {
        const auto start = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
        search.found = {static_cast<std::ptrdiff_t>(start - search.thread_idx), storage->p_memsz,
                        std::max<std::size_t>(storage->p_align, 1)};
    }
    return 1;
}

char* map(std::size_t bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "cannot map " + std::to_string(bytes) +
                                                    " bytes of shared memory for a block");
    return static_cast<char*>(memory);
}

}  // namespace

StorageLayout find_storage(const kbuild_cpu_image& image) {
    kbuild_cpu_builtins builtins = {};
    image.builtins(&builtins);
    Search search = {reinterpret_cast<std::uintptr_t>(&image),
                     reinterpret_cast<std::uintptr_t>(builtins.thread_idx),
                     {}};
    dl_iterate_phdr(visit, &search);
    return search.found;
}

SharedMemory::SharedMemory() : dynamic_(map(most_shared_bytes)) {}

SharedMemory::~SharedMemory() {
    munmap(dynamic_, most_shared_bytes);
    if (static_memory_ != nullptr) munmap(static_memory_, static_bytes_);
}

char* SharedMemory::find_in(const SharedMemory& other, const void* address,
                            const StorageLayout& storage,
                            const kbuild_dim3* thread_idx) const noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(address);
    const auto dynamic = place - reinterpret_cast<std::uintptr_t>(dynamic_);
    if (dynamic < most_shared_bytes) return other.dynamic_ + dynamic;
    if (place - find_statics(storage, thread_idx) >= storage.bytes) return nullptr;
    return reinterpret_cast<char*>(place - offset_ + other.offset_);
}

kbuild_cpu_shared SharedMemory::describe(const StorageLayout& storage,
                                         const kbuild_dim3* thread_idx) const noexcept {
    return {offset_, dynamic_, most_shared_bytes, find_statics(storage, thread_idx), storage.bytes};
}

std::uintptr_t SharedMemory::find_statics(const StorageLayout& storage,
                                          const kbuild_dim3* thread_idx) const noexcept {
    return reinterpret_cast<std::uintptr_t>(thread_idx) +
           static_cast<std::uintptr_t>(storage.start) + offset_;
}

void SharedMemory::use_own_memory(const StorageLayout& storage, const kbuild_dim3* thread_idx) {
    const auto bytes = storage.bytes + storage.alignment;
    if (bytes > static_bytes_) {
        char* const memory = map(bytes);
        if (static_memory_ != nullptr) munmap(static_memory_, static_bytes_);
        static_memory_ = memory;
        static_bytes_ = bytes;
    } else {
        std::memset(static_memory_, 0, bytes);
    }
    const auto start =
        reinterpret_cast<std::uintptr_t>(thread_idx) + static_cast<std::uintptr_t>(storage.start);
    const auto memory = reinterpret_cast<std::uintptr_t>(static_memory_);
    // The storage is aligned, and so is this memory.
    offset_ = (memory + storage.alignment - 1) / storage.alignment * storage.alignment - start;
}

}  // namespace kbuild::cpu
