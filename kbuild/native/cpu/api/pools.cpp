// Memory pools, and memory in the order of streams.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"
#include "memory/pools.hpp"
#include "streams/stream_table.hpp"

namespace {

using namespace kbuild::cpu;

void free_queued(void* pointer) {
    note_release(pointer);
    if (!Pools::instance().give_back(pointer)) free_memory(pointer);
}

}  // namespace

int kbuild_cpu_create_pool(void** pool) {
    return guarded_use([&] {
        require(pool != nullptr, "the address for the result is a null pointer");
        *pool = Pools::instance().create();
    });
}

int kbuild_cpu_destroy_pool(void* pool) {
    return guarded_use([&] { Pools::instance().destroy(pool); });
}

int kbuild_cpu_default_pool(void** pool) {
    return guarded_use([&] {
        require(pool != nullptr, "the address for the result is a null pointer");
        *pool = Pools::instance().default_pool();
    });
}

int kbuild_cpu_current_pool(void** pool) {
    return guarded_use([&] {
        require(pool != nullptr, "the address for the result is a null pointer");
        *pool = Pools::instance().current();
    });
}

int kbuild_cpu_set_current_pool(void* pool) {
    return guarded_use([&] { Pools::instance().set_current(pool); });
}

int kbuild_cpu_pool_attribute(unsigned long long* value, void* pool, int number) {
    return guarded_use([&] {
        require(value != nullptr, "the address for the result is a null pointer");
        *value = Pools::instance().attribute(pool, number);
    });
}

int kbuild_cpu_set_pool_attribute(void* pool, int number, unsigned long long value) {
    return guarded_use([&] { Pools::instance().set_attribute(pool, number, value); });
}

int kbuild_cpu_trim_pool(void* pool, std::size_t kept_bytes) {
    return guarded_use([&] { Pools::instance().trim(pool, kept_bytes); });
}

int kbuild_cpu_check_pool(void* pool) {
    return guarded_use([&] { Pools::instance().check(pool); });
}

int kbuild_cpu_queue_allocation(void** pointer, std::size_t bytes, void* pool, void* stream) {
    return guarded_use([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        Streams::instance().describe(stream);
        if (pool != nullptr) Pools::instance().check(pool);
        if (Streams::instance().is_capturing(stream)) {
            auto memory = std::make_shared<GraphMemory>(bytes);
            *pointer = memory->pointer();
            Streams::instance().enqueue(stream, AllocateCall{std::move(memory)});
        } else {
            *pointer = Pools::instance().allocate(pool, bytes);
        }
    });
}

// The program cannot name the memory from now on, but work that was queued before can use it.
int kbuild_cpu_queue_release(void* pointer, void* stream) {
    return guarded_use([&] {
        Streams::instance().describe(stream);
        if (pointer == nullptr) return;
        const bool is_of_graph = GraphMemory::contains(pointer);
        require(is_of_graph || !Streams::instance().is_capturing(stream),
                "a graph can only free memory that a graph has allocated");
        if (!is_of_graph)
            require(Allocations::instance().remove(
                        pointer, {KBUILD_CPU_MEMORY_DEVICE, KBUILD_CPU_MEMORY_MANAGED}),
                    "the pointer is not the start of an allocation on the device");
        Streams::instance().enqueue(stream,
                                    ReleaseCall{pointer, is_of_graph ? nullptr : &free_queued});
    });
}

int kbuild_cpu_graph_memory_attribute(unsigned long long* value, int number) {
    return guarded_use([&] {
        require(value != nullptr, "the address for the result is a null pointer");
        *value = GraphMemory::attribute(number);
    });
}

int kbuild_cpu_reset_graph_memory_attribute(int number) {
    return guarded_use([&] { GraphMemory::reset_attribute(number); });
}
