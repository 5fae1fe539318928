// Streams and events.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "streams/stream_table.hpp"

#include <algorithm>

namespace {

using namespace kbuild::cpu;

// The vendor's flags.
constexpr unsigned blocking_sync = 1;
constexpr unsigned disable_timing = 2;

bool has_happened(const Event& event) {
    return event.job == nullptr || event.job->is_done.load(std::memory_order_acquire);
}

void require_uncaptured(const Event& event) {
    if (event.capture.capture != nullptr) Streams::instance().reject_captured(event);
}

void require_timing(const Event& event) {
    if ((event.flags & disable_timing) != 0)
        throw Failure(KBUILD_CPU_INVALID_HANDLE, "the event was created without timing");
    if (event.moment == nullptr)
        throw Failure(KBUILD_CPU_INVALID_HANDLE, "the event was not recorded");
}

std::int64_t time_of(const Event& event) {
    if (!has_happened(event))
        throw Failure(KBUILD_CPU_NOT_READY, "the stream has not reached the event");
    return event.moment->time;
}

}  // namespace

int kbuild_cpu_create_stream(void** stream, unsigned flags, int priority) {
    return guarded_use([&] {
        require(stream != nullptr, "the address for the result is a null pointer");
        require((flags & ~non_blocking_stream) == 0, "unknown flags of a stream");
        *stream = Streams::instance().create(
            {flags, std::clamp(priority, greatest_priority, least_priority), 0});
    });
}

int kbuild_cpu_destroy_stream(void* stream) {
    return guarded_use([&] { Streams::instance().destroy(stream); });
}

int kbuild_cpu_synchronize_stream(void* stream) {
    return guarded_wait([&] { Streams::instance().synchronize(stream); });
}

int kbuild_cpu_query_stream(void* stream) {
    return guarded_wait([&] {
        if (!Streams::instance().is_idle(stream))
            throw Failure(KBUILD_CPU_NOT_READY, "the stream has work");
    });
}

int kbuild_cpu_describe_stream(kbuild_cpu_stream* description, void* stream) {
    return guarded_use([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        *description = Streams::instance().describe(stream);
    });
}

int kbuild_cpu_call_host(void* stream, void (*function)(void*), void* data) {
    return guarded_use([&] {
        Streams::instance().describe(stream);
        require(function != nullptr, "the function is a null pointer");
        Streams::instance().enqueue(stream, HostCall{function, data});
    });
}

int kbuild_cpu_call_back(void* stream, void (*callback)(void*, int, void*), void* data) {
    return guarded_use([&] {
        Streams::instance().describe(stream);
        require(callback != nullptr, "the callback is a null pointer");
        Streams::instance().enqueue(stream, CallbackCall{callback, stream, data});
    });
}

int kbuild_cpu_create_event(void** event, unsigned flags) {
    return guarded_use([&] {
        require(event != nullptr, "the address for the result is a null pointer");
        require((flags & ~(blocking_sync | disable_timing)) == 0, "unsupported flags of an event");
        *event = Streams::instance().create_event(flags);
    });
}

int kbuild_cpu_destroy_event(void* event) {
    return guarded_use([&] { Streams::instance().destroy_event(event); });
}

int kbuild_cpu_record_event(void* event, void* stream) {
    return guarded_use([&] { Streams::instance().record(event, stream, false); });
}

int kbuild_cpu_record_external_event(void* event, void* stream) {
    return guarded_use([&] { Streams::instance().record(event, stream, true); });
}

int kbuild_cpu_synchronize_event(void* event) {
    return guarded_wait([&] {
        const auto found = Streams::instance().find_event(event);
        require_uncaptured(found);
        Scheduler::instance().wait(found.job);
    });
}

int kbuild_cpu_query_event(void* event) {
    return guarded_wait([&] {
        const auto found = Streams::instance().find_event(event);
        require_uncaptured(found);
        if (!has_happened(found))
            throw Failure(KBUILD_CPU_NOT_READY, "the stream has not reached the event");
        if (found.job != nullptr) note_waited(*found.job);
    });
}

int kbuild_cpu_wait_for_event(void* stream, void* event) {
    return guarded_use([&] { Streams::instance().wait_for_event(stream, event, false); });
}

int kbuild_cpu_wait_for_external_event(void* stream, void* event) {
    return guarded_use([&] { Streams::instance().wait_for_event(stream, event, true); });
}

int kbuild_cpu_elapsed_time(float* milliseconds, void* start, void* end) {
    return guarded_use([&] {
        require(milliseconds != nullptr, "the address for the result is a null pointer");
        const auto first = Streams::instance().find_event(start);
        const auto last = Streams::instance().find_event(end);
        require_timing(first);
        require_timing(last);
        const auto nanoseconds = time_of(last) - time_of(first);
        *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
    });
}
