// Streams and events. Work is synchronous, so every stream is always empty, and an event is a time.
#ifndef KBUILD_CPU_STREAMS_STREAM_TABLE_HPP
#define KBUILD_CPU_STREAMS_STREAM_TABLE_HPP

#include <kbuild/cpu_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>

namespace kbuild::cpu {

struct Event {
    unsigned flags;
    std::int64_t time;  // in nanoseconds; 0 if it was not recorded
};

// The streams and events of the process. A handle is an address in neither heap nor stack, so that
// a program that uses a destroyed handle gets an error. All functions throw Failure.
class Streams {
public:
    // Never freed, because programs destroy streams in atexit handlers and destructors, too.
    static Streams& instance();

    void* create(const kbuild_cpu_stream& properties);
    void destroy(void* stream);
    kbuild_cpu_stream describe(void* stream);

    void* create_event(unsigned flags);
    void destroy_event(void* event);
    void record(void* event, void* stream);
    Event find_event(void* event);

    // Destroys all streams and events.
    void clear();

private:
    Streams() = default;
    void* new_handle();

    std::mutex mutex_;
    std::uintptr_t last_handle_ = 0;
    std::map<void*, kbuild_cpu_stream> streams_;
    std::map<void*, Event> events_;
};

}  // namespace kbuild::cpu

#endif
