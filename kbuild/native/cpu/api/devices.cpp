// The device: this machine's processor.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "devices/properties.hpp"
#include "memory/allocations.hpp"
#include "memory/heap.hpp"
#include "memory/pools.hpp"
#include "registry.hpp"
#include "streams/stream_table.hpp"
#include "textures/arrays.hpp"
#include "textures/bindings.hpp"
#include "textures/objects.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

using namespace kbuild::cpu;

// The vendor's flags of a device. Only the ways to wait exclude each other.
constexpr unsigned known_device_flags = 0x9F;

// The vendor's limits, in the order of their numbers, with the defaults of its GPUs.
struct Limit {
    std::atomic<std::size_t> value;
    const std::size_t initial;
    const bool is_supported;
};
Limit limits[] = {
    {{1024}, 1024, true},        // stack of a thread, in bytes
    {{1 << 20}, 1 << 20, true},  // buffer of printf
    {{8 << 20}, 8 << 20, true},  // heap of malloc
    {{0}, 0, false},             // nesting depth of synchronization in kernels
    {{2048}, 2048, true},        // pending launches from kernels
    {{64}, 64, true},            // bytes that the L2 cache fetches at once
    {{0}, 0, true},              // persisting part of the L2 cache
};
std::atomic<unsigned> device_flags{0};
std::atomic<int> management_users{0};

void check_device(int device) {
    if (device != 0)
        throw Failure(KBUILD_CPU_INVALID_DEVICE, "there is no device " + std::to_string(device) +
                                                     "; the cpu backend has one device, 0");
}

Limit& find_limit(int number) {
    require(number >= 0 && number < static_cast<int>(std::size(limits)), "unknown limit");
    auto& limit = limits[number];
    if (!limit.is_supported)
        throw Failure(KBUILD_CPU_UNSUPPORTED_LIMIT,
                      "the cpu backend does not support limit " + std::to_string(number));
    return limit;
}

}  // namespace

int kbuild_cpu_device_count(int* count) {
    return guarded([&] {
        require(count != nullptr, "the count is a null pointer");
        *count = 1;
    });
}

int kbuild_cpu_set_device(int device) {
    return guarded([&] { check_device(device); });
}

int kbuild_cpu_device_properties(void* properties, std::size_t bytes, int device) {
    return guarded([&] {
        require(properties != nullptr, "the address for the result is a null pointer");
        check_device(device);
        std::memcpy(properties, &device_properties(), std::min(bytes, sizeof(cudaDeviceProp)));
    });
}

int kbuild_cpu_device_attribute(int* value, int attribute, int device) {
    return guarded([&] {
        require(value != nullptr, "the address for the result is a null pointer");
        check_device(device);
        require(find_attribute(attribute, value), "unknown attribute");
    });
}

int kbuild_cpu_set_device_flags(unsigned flags) {
    return guarded([&] {
        const auto schedule = flags & 7;
        require((flags & ~known_device_flags) == 0 && (schedule & (schedule - 1)) == 0,
                "unknown or contradictory flags");
        device_flags = flags;
    });
}

int kbuild_cpu_device_flags(unsigned* flags) {
    return guarded([&] {
        require(flags != nullptr, "the address for the result is a null pointer");
        *flags = device_flags;
    });
}

int kbuild_cpu_count_management_users(int change) {
    int users = management_users;
    while (!management_users.compare_exchange_weak(users, std::max(users + change, 0))) continue;
    return users;
}

int kbuild_cpu_set_limit(int limit, std::size_t value) {
    return guarded([&] { find_limit(limit).value = value; });
}

int kbuild_cpu_limit(std::size_t* value, int limit) {
    return guarded([&] {
        require(value != nullptr, "the address for the result is a null pointer");
        *value = find_limit(limit).value;
    });
}

int kbuild_cpu_reset_device() {
    return guarded([&] {
        Streams::instance().clear();
        Pools::instance().clear();
        for (void* memory : Allocations::instance().clear()) free_memory(memory);
        Objects<Texture>::instance().clear();
        Objects<Surface>::instance().clear();
        Objects<MipmappedArray>::instance().clear();
        Objects<Array>::instance().clear();
        Registry::instance().reset_attributes();
        for (auto& limit : limits) limit.value = limit.initial;
        device_flags = 0;
        close_broken_device();
    });
}

int kbuild_cpu_synchronize() {
    return guarded_wait([] {
        Streams::instance().forbid_while_capturing();
        Streams::instance().synchronize_all();
    });
}

const unsigned* kbuild_cpu_unfinished_operations() {
    return reinterpret_cast<const unsigned*>(&Scheduler::unfinished());
}
