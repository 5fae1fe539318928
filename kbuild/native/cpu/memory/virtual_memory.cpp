#include "memory/virtual_memory.hpp"

#include "api/errors.hpp"
#include "devices/machine_facts.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <iterator>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kbuild::cpu {
namespace {

constexpr std::size_t granularity = KBUILD_CPU_VIRTUAL_GRANULARITY;

std::atomic<std::size_t> physical_bytes{0};

void* to_address(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

void require_size(std::size_t bytes) {
    require(bytes != 0 && bytes % granularity == 0,
            "the size is not a multiple of the granularity; round it up to what "
            "cuMemGetAllocationGranularity returns");
}

int to_protection(unsigned access) {
    return (access & 1 ? PROT_READ : PROT_NONE) | (access & 2 ? PROT_WRITE : PROT_NONE);
}

// Makes addresses unusable, but keeps them.
void* occupy(void* start, std::size_t bytes, int flags) {
    return mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1,
                0);
}

[[noreturn]] void reject_mapping() {
    throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the system rejected the mapping");
}

}  // namespace

PhysicalMemory::~PhysicalMemory() {
    close(file_);
    if (!description_.is_imported) physical_bytes -= description_.bytes;
}

// Never freed, because programs also release memory in atexit handlers and destructors.
VirtualMemory& VirtualMemory::instance() {
    static auto* const process_memory = new VirtualMemory;
    return *process_memory;
}

void* VirtualMemory::reserve(std::size_t bytes, std::size_t alignment, void* wish) {
    require_size(bytes);
    require((alignment & (alignment - 1)) == 0, "the alignment is not a power of two");
    alignment = std::max(alignment, granularity);
    const std::size_t room = bytes + alignment;
    const std::lock_guard lock(mutex_);
    // The wish is a hint.
    if (to_number(wish) % alignment == 0 && wish != nullptr) {
        void* const found = occupy(wish, bytes, MAP_FIXED_NOREPLACE);
        if (found == wish) {
            reservations_[to_number(found)] = bytes;
            return found;
        }
        if (found != MAP_FAILED) munmap(found, bytes);
    }
    void* const found = room < bytes ? MAP_FAILED : occupy(nullptr, room, 0);
    if (found == MAP_FAILED)
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the system does not have so many free addresses");
    const auto first = to_number(found);
    const auto start = (first + alignment - 1) / alignment * alignment;
    if (start != first) munmap(found, start - first);
    munmap(to_address(start + bytes), first + room - start - bytes);
    reservations_[start] = bytes;
    return to_address(start);
}

void VirtualMemory::free(void* start, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = reservations_.find(to_number(start));
    require(found != reservations_.end() && found->second == bytes,
            "the addresses are not those that cuMemAddressReserve returned");
    const auto mapping = mappings_.lower_bound(found->first);
    require(mapping == mappings_.end() || mapping->first >= found->first + bytes,
            "memory is still mapped at the addresses; call cuMemUnmap first");
    munmap(start, bytes);
    reservations_.erase(found);
}

std::uint64_t VirtualMemory::add(std::shared_ptr<PhysicalMemory> memory) {
    handles_[++last_handle_] = {std::move(memory), 1};
    return last_handle_;
}

std::uint64_t VirtualMemory::create(const kbuild_cpu_physical& description) {
    require_size(description.bytes);
    const std::lock_guard lock(mutex_);
    // Linux gives pages to a file when they are used, so only the sum of sizes says whether memory is left.
    const bool has_room = description.bytes <= read_memory_facts().total - physical_bytes;
    const int file = has_room ? memfd_create("kbuild-device-memory", MFD_CLOEXEC) : -1;
    if (file < 0 || ftruncate(file, static_cast<off_t>(description.bytes)) != 0) {
        if (file >= 0) close(file);
        throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                      "cannot create " + std::to_string(description.bytes) + " bytes of memory");
    }
    physical_bytes += description.bytes;
    auto own = description;
    own.is_imported = 0;
    return add(std::make_shared<PhysicalMemory>(file, own));
}

std::uint64_t VirtualMemory::import(int file) {
    struct stat status;
    require(fstat(file, &status) == 0 && status.st_size > 0 &&
                static_cast<std::size_t>(status.st_size) % granularity == 0,
            "the file descriptor is not one of cuMemExportToShareableHandle");
    const int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the process has too many open files");
    const std::lock_guard lock(mutex_);
    return add(std::make_shared<PhysicalMemory>(
        copy, kbuild_cpu_physical{static_cast<std::size_t>(status.st_size), 1, 1}));
}

int VirtualMemory::export_file(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    const auto& memory = *find(handle).memory;
    require((memory.description().handle_types & 1) != 0,
            "the memory was created without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR");
    const int copy = fcntl(memory.file(), F_DUPFD_CLOEXEC, 0);
    if (copy < 0) throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the process has too many open files");
    return copy;
}

VirtualMemory::Handle& VirtualMemory::find(std::uint64_t handle) {
    const auto found = handles_.find(handle);
    require(found != handles_.end(), "the handle of memory does not exist or was released");
    return found->second;
}

void VirtualMemory::release(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    if (--find(handle).uses == 0) handles_.erase(handle);
}

kbuild_cpu_physical VirtualMemory::describe(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    return find(handle).memory->description();
}

VirtualMemory::Mappings::iterator VirtualMemory::find_mapping(const void* address) {
    const auto behind = mappings_.upper_bound(to_number(address));
    require(behind != mappings_.begin(), "no memory is mapped at the address");
    const auto found = std::prev(behind);
    require(to_number(address) - found->first < found->second.bytes,
            "no memory is mapped at the address");
    return found;
}

std::uint64_t VirtualMemory::retain(const void* address) {
    const std::lock_guard lock(mutex_);
    const auto memory = find_mapping(address)->second.memory;
    for (auto& [number, handle] : handles_)
        if (handle.memory == memory) {
            ++handle.uses;
            return number;
        }
    return add(memory);
}

unsigned VirtualMemory::access(const void* address) {
    const std::lock_guard lock(mutex_);
    return find_mapping(address)->second.access;
}

// Returns the mappings that make up a range. A part of a mapping has no access of its own.
VirtualMemory::Range VirtualMemory::find_range(void* start, std::size_t bytes) {
    const auto begin = to_number(start);
    const auto first = mappings_.find(begin);
    auto last = first;
    auto end = begin;
    for (; last != mappings_.end() && last->first == end && end - begin < bytes; ++last)
        end += last->second.bytes;
    require(first != mappings_.end() && end - begin == bytes,
            "the addresses are not those of whole mappings");
    return {first, last};
}

// Returns the addresses of the reservation that contains a range.
std::pair<std::uintptr_t, std::uintptr_t> VirtualMemory::find_reservation(std::uintptr_t start,
                                                                          std::size_t bytes) const {
    const auto behind = reservations_.upper_bound(start);
    require(behind != reservations_.begin(), "the addresses are not reserved");
    const auto& [begin, size] = *std::prev(behind);
    require(start - begin <= size && bytes <= size - (start - begin),
            "the addresses are not reserved");
    return {begin, begin + size};
}

void VirtualMemory::map(void* start, std::size_t bytes, std::size_t offset, std::uint64_t handle) {
    require(to_number(start) % granularity == 0,
            "the address is not a multiple of the granularity");
    require_size(bytes);
    require(offset == 0, "the offset is not 0, which CUDA demands");
    const std::lock_guard lock(mutex_);
    const auto& memory = find(handle).memory;
    require(bytes <= memory->description().bytes, "the memory of the handle is smaller");
    const auto begin = to_number(start);
    find_reservation(begin, bytes);
    const auto next = mappings_.lower_bound(begin);
    require((next == mappings_.end() || next->first >= begin + bytes) &&
                (next == mappings_.begin() ||
                 std::prev(next)->first + std::prev(next)->second.bytes <= begin),
            "memory is already mapped at the addresses");
    if (mmap(start, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file(), 0) == MAP_FAILED)
        reject_mapping();
    mappings_[begin] = {bytes, memory, 0};
}

// Makes the allocations of a reservation those addresses that programs can use.
void VirtualMemory::update_allocations(std::uintptr_t start, std::size_t bytes) {
    const auto [begin, end] = find_reservation(start, bytes);
    std::map<std::uintptr_t, std::size_t> usable;
    auto last = usable.end();
    for (auto place = mappings_.lower_bound(begin); place != mappings_.end() && place->first < end;
         ++place) {
        if (place->second.access != KBUILD_CPU_ACCESS_ALL) continue;
        if (last != usable.end() && last->first + last->second == place->first)
            last->second += place->second.bytes;
        else
            last = usable.emplace(place->first, place->second.bytes).first;
    }
    for (auto known = usable_.lower_bound(begin); known != usable_.end() && known->first < end;) {
        const auto same = usable.find(known->first);
        if (same != usable.end() && same->second == known->second) {
            usable.erase(same);
            ++known;
            continue;
        }
        Allocations::instance().remove_mapped(to_address(known->first));
        note_release(to_address(known->first));
        known = usable_.erase(known);
    }
    for (const auto& [first, size] : usable)
        Allocations::instance().add(
            {to_address(first), size, KBUILD_CPU_MEMORY_DEVICE, mapped_memory_flag});
    usable_.merge(usable);
}

void VirtualMemory::unmap(void* start, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto range = find_range(start, bytes);
    if (occupy(start, bytes, MAP_FIXED) == MAP_FAILED) reject_mapping();
    mappings_.erase(range.first, range.last);
    update_allocations(to_number(start), bytes);
}

void VirtualMemory::set_access(void* start, std::size_t bytes, unsigned access) {
    const std::lock_guard lock(mutex_);
    const auto range = find_range(start, bytes);
    if (mprotect(start, bytes, to_protection(access)) != 0) reject_mapping();
    for (auto place = range.first; place != range.last; ++place) place->second.access = access;
    update_allocations(to_number(start), bytes);
}

}  // namespace kbuild::cpu
