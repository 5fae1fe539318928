// The part of the runtime that device code can call; see kbuild/detail/cpu_device_runtime.h.
#include "launches/device_runtime.hpp"

#include "api/errors.hpp"
#include "api/kernel_calls.hpp"
#include "checks/checker.hpp"
#include "launches/runner.hpp"
#include "memory/allocations.hpp"
#include "memory/copies.hpp"
#include "memory/heap.hpp"

#include <kbuild/cpu_runtime.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace kbuild::cpu {
namespace {

// The vendor's flags.
constexpr unsigned non_blocking = 1;
constexpr unsigned disable_timing = 2;

constexpr std::size_t heap_alignment = 256;

void queue(Operation operation, void* stream) {
    if (const auto* call = std::get_if<KernelCall>(&operation)) checks::note_queued(*call);
    BlockRunner::running()->launch().children.add(std::move(operation), stream);
}

int launch_limited(const void* kernel, const kbuild_launch_config* config, void* const* args) {
    return guarded([&] {
        require(config != nullptr, "the launch configuration is a null pointer");
        try {
            queue(make_kernel_call(kernel, *config, args, SharedLimit::kernel, false),
                  config->stream);
        } catch (const Failure& failure) {
            checks::report_refused(kernel, failure.code(), failure.what());
            // Device code has one code for all mistakes in a configuration (recorded on an H100).
            if (failure.code() != KBUILD_CPU_INVALID_VALUE) throw;
            throw Failure(KBUILD_CPU_INVALID_CONFIGURATION, failure.what());
        }
    });
}

// The memory of `malloc`, which the host API does not know.
int allocate(void** pointer, std::size_t bytes) {
    return guarded([&] {
        require(pointer != nullptr, "the address for the result is a null pointer");
        *pointer = nullptr;
        if (bytes == 0) return;
        if (checks::is_active())
            *pointer = checks::Checker::instance().allocate_heap(bytes);
        else if (posix_memalign(pointer, heap_alignment, bytes) != 0)
            throw Failure(KBUILD_CPU_OUT_OF_MEMORY, "there is no memory left");
    });
}

int release(void* pointer) {
    return guarded([&] {
        require(Allocations::instance().find(pointer).base == nullptr,
                "the memory was allocated by host code");
        note_release(pointer);
        free_memory(pointer);
    });
}

// Memory of the heap is not in the list of allocations, so its addresses have no direction.
void check(kbuild_cpu_area_copy copy) {
    if (copy.kind != KBUILD_CPU_COPY_DEVICE_TO_DEVICE && copy.kind != KBUILD_CPU_COPY_DEFAULT)
        throw Failure(KBUILD_CPU_INVALID_COPY_DIRECTION,
                      "device code copies from device memory to device memory");
    copy.kind = KBUILD_CPU_COPY_DEFAULT;
    check_copy(copy);
}

int queue_copy(const kbuild_cpu_area_copy* copy, void* stream) {
    return guarded([&] {
        require(copy != nullptr, "the description of the copy is a null pointer");
        check(*copy);
        queue(CopyCall{*copy, nullptr}, stream);
    });
}

int queue_fill(const kbuild_cpu_area_fill* fill, unsigned element_bytes, void* stream) {
    return guarded([&] {
        require(fill != nullptr, "the description of the fill is a null pointer");
        check(
            {fill->to, fill->to, fill->width, fill->height, fill->depth, KBUILD_CPU_COPY_DEFAULT});
        queue(FillCall{*fill, element_bytes}, stream);
    });
}

// Streams and events are only names, because children run in the order in which they were queued.
void* new_name() {
    static std::atomic<std::uintptr_t> last{0};
    constexpr std::uintptr_t step = 16;
    return reinterpret_cast<void*>(last += step);
}

void require_ordinary(const void* stream) {
    require(stream != tail_stream && stream != detached_stream,
            "the stream of the kernel has no events");
}

int create_stream(void** stream, unsigned flags, int) {
    return guarded([&] {
        require(stream != nullptr, "the address for the result is a null pointer");
        require(flags <= non_blocking, "the flags of the stream are unknown");
        *stream = new_name();
    });
}

int destroy_stream(void* stream) {
    return guarded([&] { require_ordinary(stream); });
}

int create_event(void** event, unsigned flags) {
    return guarded([&] {
        require(event != nullptr, "the address for the result is a null pointer");
        require(flags == disable_timing, "an event of device code needs cudaEventDisableTiming");
        *event = new_name();
    });
}

int destroy_event(void*) { return KBUILD_CPU_SUCCESS; }

int record_event(void*, void* stream) {
    return guarded([&] { require_ordinary(stream); });
}

int wait_for_event(void* stream, void*) {
    return guarded([&] { require_ordinary(stream); });
}

}  // namespace

const kbuild_cpu_device_runtime device_runtime = {
    launch_limited,
    kbuild_cpu_describe_function,
    kbuild_cpu_occupancy,
    allocate,
    release,
    queue_copy,
    queue_fill,
    kbuild_cpu_describe_array,
    kbuild_cpu_find_in_array,
    create_stream,
    destroy_stream,
    create_event,
    destroy_event,
    record_event,
    record_event,
    wait_for_event,
    wait_for_event,
    kbuild_cpu_device_count,
    kbuild_cpu_device_properties,
    kbuild_cpu_device_attribute,
    kbuild_cpu_limit,
    kbuild_cpu_fail,
    kbuild_cpu_peek_error,
    kbuild_cpu_take_error,
    kbuild_cpu_error_name,
    kbuild_cpu_error_text,
};

}  // namespace kbuild::cpu
