#include "streams/stream_table.hpp"

#include "api/errors.hpp"

#include <chrono>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

Streams* process_streams = nullptr;

// The handles of the default streams: null, and the vendor's two constants.
constexpr std::uintptr_t largest_default_stream = 2;

// Handles start above the default streams and are multiples of 16, like the addresses of objects.
constexpr std::uintptr_t handle_step = 16;

template <class Map>
auto& look_up(Map& map, void* handle, const char* what) {
    const auto found = map.find(handle);
    if (found == map.end())
        throw Failure(KBUILD_CPU_INVALID_HANDLE, std::string("the ") + what +
                                                     " does not exist or was destroyed");
    return found->second;
}

bool is_default(void* stream) {
    return reinterpret_cast<std::uintptr_t>(stream) <= largest_default_stream;
}

std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Streams& Streams::instance() {
    static const bool created = [] {
        process_streams = new Streams;
        pthread_atfork([] { process_streams->mutex_.lock(); },
                       [] { process_streams->mutex_.unlock(); },
                       [] { process_streams->mutex_.unlock(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_streams;
}

void* Streams::new_handle() { return reinterpret_cast<void*>(last_handle_ += handle_step); }

void* Streams::create(const kbuild_cpu_stream& properties) {
    const std::lock_guard lock(mutex_);
    void* const handle = new_handle();
    auto& stream = streams_[handle] = properties;
    stream.id = reinterpret_cast<std::uintptr_t>(handle) / handle_step;
    return handle;
}

void Streams::destroy(void* stream) {
    const std::lock_guard lock(mutex_);
    look_up(streams_, stream, "stream");
    streams_.erase(stream);
}

kbuild_cpu_stream Streams::describe(void* stream) {
    if (is_default(stream)) return {};
    const std::lock_guard lock(mutex_);
    return look_up(streams_, stream, "stream");
}

void* Streams::create_event(unsigned flags) {
    const std::lock_guard lock(mutex_);
    void* const handle = new_handle();
    events_[handle] = {flags, 0};
    return handle;
}

void Streams::destroy_event(void* event) {
    const std::lock_guard lock(mutex_);
    look_up(events_, event, "event");
    events_.erase(event);
}

void Streams::record(void* event, void* stream) {
    const auto time = now();
    const std::lock_guard lock(mutex_);
    if (!is_default(stream)) look_up(streams_, stream, "stream");
    look_up(events_, event, "event").time = time;
}

Event Streams::find_event(void* event) {
    const std::lock_guard lock(mutex_);
    return look_up(events_, event, "event");
}

void Streams::clear() {
    const std::lock_guard lock(mutex_);
    streams_.clear();
    events_.clear();
}

}  // namespace kbuild::cpu
