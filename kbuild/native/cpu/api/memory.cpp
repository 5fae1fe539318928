// Memory: allocations, copies, and questions about pointers.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "crashes/signals.hpp"
#include "devices/machine_facts.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"
#include "memory/pools.hpp"
#include "streams/stream_table.hpp"
#include "streams/transfers.hpp"

namespace {

using namespace kbuild::cpu;

constexpr std::size_t pitch_alignment = 512;

void* allocate(std::size_t bytes, kbuild_cpu_memory_kind kind, unsigned flags) {
    if (bytes == 0) return nullptr;
    void* const pointer = allocate_memory(bytes);
    try {
        Allocations::instance().add({pointer, bytes, kind, flags});
    } catch (...) {
        free_memory(pointer);
        throw;
    }
    return pointer;
}

// Waits for work that can use the memory. Removes the entry first: another thread can get the same
// memory as soon as it is free.
void release(void* pointer, std::initializer_list<kbuild_cpu_memory_kind> kinds,
             const char* otherwise) {
    if (pointer == nullptr) return;
    Streams::instance().forbid_while_capturing();
    Streams::instance().synchronize_all();
    if (GraphMemory::contains(pointer)) return;
    if (!Allocations::instance().remove(pointer, kinds)) {
        if (auto* const checker = checks::Checker::find())
            checker->report_invalid_free(otherwise, pointer);
        throw Failure(KBUILD_CPU_INVALID_VALUE, otherwise);
    }
    note_release(pointer);
    if (!Pools::instance().give_back(pointer)) free_memory(pointer);
}

bool is_host(const Allocation& allocation) {
    return allocation.kind == KBUILD_CPU_MEMORY_HOST ||
           allocation.kind == KBUILD_CPU_MEMORY_REGISTERED;
}

}  // namespace

int kbuild_cpu_allocate(void** pointer, std::size_t bytes) {
    return kbuild_cpu_allocate_kind(pointer, bytes, KBUILD_CPU_MEMORY_DEVICE, 0);
}

int kbuild_cpu_allocate_kind(void** pointer, std::size_t bytes, kbuild_cpu_memory_kind kind,
                             unsigned flags) {
    return guarded_use([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        Streams::instance().forbid_while_capturing();
        install_call_handler();
        *pointer = allocate(bytes, kind, flags);
    });
}

int kbuild_cpu_allocate_pitched(void** pointer, std::size_t* pitch, std::size_t width,
                                std::size_t rows) {
    return guarded_use([&] {
        require(pointer != nullptr && pitch != nullptr,
                "an address for the result is a null pointer");
        const auto aligned = (width + pitch_alignment - 1) / pitch_alignment * pitch_alignment;
        std::size_t bytes = 0;
        if (aligned < width || __builtin_mul_overflow(aligned, rows, &bytes))
            throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "the size of the allocation is too large");
        *pointer = allocate(bytes, KBUILD_CPU_MEMORY_DEVICE, 0);
        *pitch = bytes == 0 ? 0 : aligned;
    });
}

int kbuild_cpu_release(void* pointer) {
    return guarded_use([&] {
        release(pointer, {KBUILD_CPU_MEMORY_DEVICE, KBUILD_CPU_MEMORY_MANAGED},
                "the pointer is not the start of an allocation on the device");
    });
}

int kbuild_cpu_release_host(void* pointer) {
    return guarded_use([&] {
        release(pointer, {KBUILD_CPU_MEMORY_HOST},
                "the pointer is not the start of page-locked memory");
    });
}

int kbuild_cpu_register_host(void* pointer, std::size_t bytes, unsigned flags) {
    return guarded_use([&] {
        require(pointer != nullptr && bytes != 0, "there is no memory to register");
        Allocations::instance().add_registered(
            {pointer, bytes, KBUILD_CPU_MEMORY_REGISTERED, flags});
    });
}

int kbuild_cpu_unregister_host(void* pointer) {
    return guarded_use([&] {
        require(pointer != nullptr, "the pointer is a null pointer");
        Streams::instance().synchronize_all();
        if (!Allocations::instance().remove(pointer, {KBUILD_CPU_MEMORY_REGISTERED}))
            throw Failure(KBUILD_CPU_NOT_REGISTERED, "the memory is not registered");
        note_release(pointer);
    });
}

int kbuild_cpu_find_allocation(const void* pointer, void** base, std::size_t* bytes) {
    return guarded([&] {
        require(base != nullptr && bytes != nullptr, "an address for the result is a null pointer");
        const auto allocation = Allocations::instance().find(pointer);
        *base = allocation.base;
        *bytes = allocation.bytes;
    });
}

int kbuild_cpu_describe_pointer(kbuild_cpu_pointer* description, const void* pointer) {
    return guarded([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        const auto allocation = Allocations::instance().find(pointer);
        *description = {allocation.kind, allocation.flags};
    });
}

int kbuild_cpu_describe_host(kbuild_cpu_pointer* description, const void* pointer) {
    return guarded([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        const auto allocation = Allocations::instance().find(pointer);
        require(is_host(allocation), "the pointer is not in page-locked memory");
        *description = {allocation.kind, allocation.flags};
    });
}

int kbuild_cpu_copy(void* destination, const void* source, std::size_t bytes,
                    kbuild_copy_direction direction) {
    return guarded_use([&] {
        require(direction == KBUILD_COPY_TO_DEVICE || direction == KBUILD_COPY_TO_HOST ||
                    direction == KBUILD_COPY_ON_DEVICE,
                "unknown copy direction");
        // The callers can pass any memory to kernels, so only null pointers and sizes are checked.
        submit_copy({{destination, bytes, 1},
                     {const_cast<void*>(source), bytes, 1},
                     bytes,
                     1,
                     1,
                     KBUILD_CPU_COPY_DEFAULT},
                    nullptr, true);
    });
}

int kbuild_cpu_copy_area(const kbuild_cpu_area_copy* area, void* stream) {
    return guarded_use([&] {
        require(area != nullptr, "the parameters of the copy are a null pointer");
        Streams::instance().describe(stream);
        submit_copy(*area, stream, true);
    });
}

int kbuild_cpu_queue_copy(const kbuild_cpu_area_copy* area, void* stream) {
    return guarded_use([&] {
        require(area != nullptr, "the parameters of the copy are a null pointer");
        Streams::instance().describe(stream);
        submit_copy(*area, stream, false);
    });
}

int kbuild_cpu_fill_area(const kbuild_cpu_area_fill* area, void* stream) {
    return guarded_use([&] {
        require(area != nullptr, "the parameters are a null pointer");
        Streams::instance().describe(stream);
        submit_fill(*area, 1, stream, true);
    });
}

int kbuild_cpu_queue_fill(const kbuild_cpu_area_fill* area, unsigned element_bytes, void* stream) {
    return guarded_use([&] {
        require(area != nullptr, "the parameters are a null pointer");
        Streams::instance().describe(stream);
        submit_fill(*area, element_bytes, stream, false);
    });
}

int kbuild_cpu_memory_info(std::size_t* free, std::size_t* total) {
    return guarded_use([&] {
        const auto facts = read_memory_facts();
        if (free != nullptr) *free = facts.free;
        if (total != nullptr) *total = facts.total;
    });
}
