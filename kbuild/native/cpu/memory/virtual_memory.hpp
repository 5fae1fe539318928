// Virtual memory management: address ranges, and memory that is mapped into them.
//
// Memory is an anonymous file, so that it can be mapped at several addresses and shared with other processes. A
// program can use mapped addresses after it has set their access. Addresses next to each other are then one
// allocation, because copies and kernels can cross the border between two mappings.
#ifndef KBUILD_CPU_MEMORY_VIRTUAL_MEMORY_HPP
#define KBUILD_CPU_MEMORY_VIRTUAL_MEMORY_HPP

#include "fork_safe_mutex.hpp"

#include <kbuild/cpu_driver.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace kbuild::cpu {

// A piece of memory. It exists as long as a handle or a mapping.
class PhysicalMemory {
public:
    PhysicalMemory(int file, const kbuild_cpu_physical& description) noexcept
        : file_(file), description_(description) {}
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    int file() const noexcept { return file_; }
    const kbuild_cpu_physical& description() const noexcept { return description_; }

private:
    int file_;
    kbuild_cpu_physical description_;
};

// All functions throw Failure.
class VirtualMemory {
public:
    static VirtualMemory& instance();

    void* reserve(std::size_t bytes, std::size_t alignment, void* wish);
    void free(void* start, std::size_t bytes);

    std::uint64_t create(const kbuild_cpu_physical& description);
    std::uint64_t import(int file);
    int export_file(std::uint64_t handle);
    void release(std::uint64_t handle);
    std::uint64_t retain(const void* address);
    kbuild_cpu_physical describe(std::uint64_t handle);

    void map(void* start, std::size_t bytes, std::size_t offset, std::uint64_t handle);
    void unmap(void* start, std::size_t bytes);
    void set_access(void* start, std::size_t bytes, unsigned access);
    unsigned access(const void* address);

private:
    struct Handle {
        std::shared_ptr<PhysicalMemory> memory;
        unsigned uses;  // cuMemRetainAllocationHandle counts
    };
    struct Mapping {
        std::size_t bytes;
        std::shared_ptr<PhysicalMemory> memory;
        unsigned access;
    };
    using Mappings = std::map<std::uintptr_t, Mapping>;
    struct Range {
        Mappings::iterator first, last;
    };

    std::uint64_t add(std::shared_ptr<PhysicalMemory> memory);
    Handle& find(std::uint64_t handle);
    Mappings::iterator find_mapping(const void* address);
    Range find_range(void* start, std::size_t bytes);
    void update_allocations(std::uintptr_t start, std::size_t bytes);
    std::pair<std::uintptr_t, std::uintptr_t> find_reservation(std::uintptr_t start,
                                                               std::size_t bytes) const;

    ForkSafeMutex mutex_{LockRank::virtual_memory};
    std::map<std::uintptr_t, std::size_t> reservations_;
    std::map<std::uint64_t, Handle> handles_;
    Mappings mappings_;
    std::map<std::uintptr_t, std::size_t> usable_;  // the allocations
    std::uint64_t last_handle_ = 0;
};

}  // namespace kbuild::cpu

#endif
