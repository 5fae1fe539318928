#include "launches/shared_memory.hpp"

#include <cstdint>
#include <cstring>
#include <link.h>

namespace kbuild::cpu {
namespace {

struct Search {
    std::uintptr_t address;
    ThreadStorage found;
};

int visit(dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    const ElfW(Phdr)* storage = nullptr;
    bool has_address = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& segment = object->dlpi_phdr[i];
        const auto start = object->dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_TLS) storage = &segment;
        if (segment.p_type == PT_LOAD && search.address - start < segment.p_memsz)
            has_address = true;
    }
    if (!has_address) return 0;
    if (storage != nullptr && object->dlpi_tls_data != nullptr)
        search.found = {static_cast<char*>(object->dlpi_tls_data), storage->p_memsz};
    return 1;
}

}  // namespace

ThreadStorage find_thread_storage(const kbuild_cpu_image& image,
                                  const kbuild_cpu_builtins& builtins, std::size_t shared_bytes) {
    Search search = {reinterpret_cast<std::uintptr_t>(&image), {}};
    dl_iterate_phdr(visit, &search);
    auto& storage = search.found;
    if (builtins.dynamic_shared != nullptr && storage.start != nullptr) {
        storage.unused_start =
            static_cast<std::size_t>(builtins.dynamic_shared - storage.start) + shared_bytes;
        storage.unused_bytes = image.dynamic_shared_bytes - shared_bytes;
    }
    return storage;
}

void SharedMemory::save(const ThreadStorage& storage) {
    const char* const rest = storage.start + storage.unused_start + storage.unused_bytes;
    copy_.assign(storage.start, storage.start + storage.unused_start);
    copy_.insert(copy_.end(), rest, static_cast<const char*>(storage.start) + storage.bytes);
}

void SharedMemory::restore(const ThreadStorage& storage) const noexcept {
    char* const rest = storage.start + storage.unused_start + storage.unused_bytes;
    std::memcpy(storage.start, copy_.data(), storage.unused_start);
    std::memcpy(rest, copy_.data() + storage.unused_start, copy_.size() - storage.unused_start);
}

}  // namespace kbuild::cpu
