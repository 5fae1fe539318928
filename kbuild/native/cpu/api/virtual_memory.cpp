// Virtual memory management.
#include "memory/virtual_memory.hpp"

#include "api/errors.hpp"
#include "api/exported.hpp"
#include "streams/stream_table.hpp"

namespace {

using namespace kbuild::cpu;

template <class T>
void require_result(const T* address) {
    require(address != nullptr, "the address for the result is a null pointer");
}

}  // namespace

int kbuild_cpu_reserve_addresses(void** start, std::size_t bytes, std::size_t alignment,
                                 void* wish) {
    return guarded_use([&] {
        require_result(start);
        *start = VirtualMemory::instance().reserve(bytes, alignment, wish);
    });
}

int kbuild_cpu_free_addresses(void* start, std::size_t bytes) {
    return guarded_use([&] { VirtualMemory::instance().free(start, bytes); });
}

int kbuild_cpu_create_physical(unsigned long long* handle, std::size_t bytes,
                               unsigned handle_types) {
    return guarded_use([&] {
        require_result(handle);
        *handle = VirtualMemory::instance().create({bytes, handle_types, 0});
    });
}

int kbuild_cpu_release_physical(unsigned long long handle) {
    return guarded_use([&] { VirtualMemory::instance().release(handle); });
}

int kbuild_cpu_describe_physical(kbuild_cpu_physical* description, unsigned long long handle) {
    return guarded_use([&] {
        require_result(description);
        *description = VirtualMemory::instance().describe(handle);
    });
}

int kbuild_cpu_export_physical(int* file, unsigned long long handle) {
    return guarded_use([&] {
        require_result(file);
        *file = VirtualMemory::instance().export_file(handle);
    });
}

int kbuild_cpu_import_physical(unsigned long long* handle, int file) {
    return guarded_use([&] {
        require_result(handle);
        *handle = VirtualMemory::instance().import(file);
    });
}

int kbuild_cpu_map_physical(void* start, std::size_t bytes, std::size_t offset,
                            unsigned long long handle) {
    return guarded_use([&] { VirtualMemory::instance().map(start, bytes, offset, handle); });
}

int kbuild_cpu_unmap(void* start, std::size_t bytes) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        VirtualMemory::instance().unmap(start, bytes);
    });
}

int kbuild_cpu_set_access(void* start, std::size_t bytes, unsigned access) {
    return guarded_use([&] {
        Streams::instance().synchronize_all();
        VirtualMemory::instance().set_access(start, bytes, access);
    });
}

int kbuild_cpu_access(unsigned* access, const void* address) {
    return guarded_use([&] {
        require_result(access);
        *access = VirtualMemory::instance().access(address);
    });
}

int kbuild_cpu_retain_physical(unsigned long long* handle, const void* address) {
    return guarded_use([&] {
        require_result(handle);
        *handle = VirtualMemory::instance().retain(address);
    });
}
