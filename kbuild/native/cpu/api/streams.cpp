// Streams and events. All work is done when the function that starts it returns.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "streams/stream_table.hpp"

namespace {

using namespace kbuild::cpu;

// The vendor's flags.
constexpr unsigned non_blocking = 1;
constexpr unsigned blocking_sync = 1;
constexpr unsigned disable_timing = 2;

// Returns the time of a recorded event.
std::int64_t time_of(void* event) {
    const auto found = Streams::instance().find_event(event);
    if ((found.flags & disable_timing) != 0)
        throw Failure(KBUILD_CPU_INVALID_HANDLE, "the event was created without timing");
    if (found.time == 0)
        throw Failure(KBUILD_CPU_INVALID_HANDLE, "the event was not recorded");
    return found.time;
}

}  // namespace

int kbuild_cpu_create_stream(void** stream, unsigned flags, int priority) {
    return guarded_use([&] {
        require(stream != nullptr, "the address for the result is a null pointer");
        require((flags & ~non_blocking) == 0, "unknown flags of a stream");
        static_cast<void>(priority);  // there is one priority
        *stream = Streams::instance().create({flags, 0, 0});
    });
}

int kbuild_cpu_destroy_stream(void* stream) {
    return guarded_use([&] { Streams::instance().destroy(stream); });
}

int kbuild_cpu_synchronize_stream(void* stream) {
    return guarded_use([&] { Streams::instance().describe(stream); });
}

int kbuild_cpu_describe_stream(kbuild_cpu_stream* description, void* stream) {
    return guarded_use([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        *description = Streams::instance().describe(stream);
    });
}

int kbuild_cpu_create_event(void** event, unsigned flags) {
    return guarded_use([&] {
        require(event != nullptr, "the address for the result is a null pointer");
        require((flags & ~(blocking_sync | disable_timing)) == 0,
                "unsupported flags of an event");
        *event = Streams::instance().create_event(flags);
    });
}

int kbuild_cpu_destroy_event(void* event) {
    return guarded_use([&] { Streams::instance().destroy_event(event); });
}

int kbuild_cpu_record_event(void* event, void* stream) {
    return guarded_use([&] { Streams::instance().record(event, stream); });
}

int kbuild_cpu_synchronize_event(void* event) {
    return guarded_use([&] { Streams::instance().find_event(event); });
}

int kbuild_cpu_wait_for_event(void* stream, void* event) {
    return guarded_use([&] {
        Streams::instance().describe(stream);
        Streams::instance().find_event(event);
    });
}

int kbuild_cpu_elapsed_time(float* milliseconds, void* start, void* end) {
    return guarded_use([&] {
        require(milliseconds != nullptr, "the address for the result is a null pointer");
        const auto nanoseconds = time_of(end) - time_of(start);
        *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
    });
}
