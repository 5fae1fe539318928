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

ThreadStorage find_thread_storage(const kbuild_cpu_image& image) {
    Search search = {reinterpret_cast<std::uintptr_t>(&image), {}};
    dl_iterate_phdr(visit, &search);
    return search.found;
}

void SharedMemory::restore(const ThreadStorage& storage) const noexcept {
    std::memcpy(storage.start, copy_.data(), copy_.size());
}

}  // namespace kbuild::cpu
