// Streams and events.
#ifndef KBUILD_CPU_STREAMS_STREAM_TABLE_HPP
#define KBUILD_CPU_STREAMS_STREAM_TABLE_HPP

#include "fork_safe_mutex.hpp"
#include "streams/capture.hpp"
#include "streams/scheduler.hpp"

#include <kbuild/cpu_runtime.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace kbuild::cpu {

constexpr unsigned non_blocking_stream = 1;
constexpr int least_priority = 0;
constexpr int greatest_priority = -5;

struct Stream {
    kbuild_cpu_stream properties = {};
    JobPointer last;       // ends when all work of the stream has ended
    CapturePoint capture;  // without a capture if the stream does not capture
};

struct Event {
    unsigned flags;
    std::shared_ptr<Moment> moment;  // null if the event was never recorded
    JobPointer job;                  // that records it
    CapturePoint capture;            // if it was recorded in a stream that captures
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

    // Appends an operation, and returns its job. If the stream captures, adds it to the graph
    // instead, and returns null. The caller of an awaited operation must wait for the job.
    JobPointer enqueue(void* stream, Operation operation, bool is_awaited = false);

    // Queues a copy of a graph.
    void launch(ExecutableGraph& graph, void* stream);

    // Appends an operation and waits until it is done. Throws its failure.
    void execute(void* stream, Operation operation);
    // Waits for a job, unless it is null. Throws its failure.
    void await(const JobPointer& job);

    void synchronize(void* stream);
    void synchronize_all();
    bool is_idle(void* stream);

    void* create_event(unsigned flags);
    void destroy_event(void* event);
    void record(void* event, void* stream, bool is_external);
    void wait_for_event(void* stream, void* event, bool is_external);
    Event find_event(void* event);
    // Throws for an event that only exists in a capture, and makes the capture invalid.
    [[noreturn]] void reject_captured(const Event& event);

    void begin_capture(void* stream, std::shared_ptr<Graph> graph,
                       const std::vector<Node*>& dependencies, CaptureMode mode);
    // Returns the captured graph. Throws Failure if the capture has failed.
    std::shared_ptr<Graph> end_capture(void* stream);
    CapturePoint find_capture(void* stream);
    bool is_capturing(void* stream);
    void set_capture_dependencies(void* stream, const std::vector<Node*>& nodes, bool adds);
    CaptureMode exchange_capture_mode(CaptureMode mode);

    // Fails if an operation that captures cannot contain is not possible now, and makes the captures
    // invalid.
    void forbid_while_capturing();

    // Waits for all work, and destroys all streams and events.
    void clear();

private:
    Streams() = default;
    void forget_work();
    void* new_handle();
    Stream& find(void* stream);
    Event& look_up_event(void* event);
    Stream& of_this_thread();
    static void remove_of_thread(void* stream);
    void keep_last(Stream& stream);
    std::vector<JobPointer> predecessors_of(const Stream& stream);
    void append(Stream& stream, const JobPointer& job, const std::vector<JobPointer>& predecessors);
    JobPointer record_job(Event& event, int priority);

    static void require_valid(const Capture& capture);
    void require_no_capture(const Stream& stream);
    void check_implicit_capture(const Stream& stream);
    Node& capture(Stream& stream, Operation operation);
    std::vector<Capture*> captures();
    void join_capture(Stream& stream, const Event& event);
    void leave_capture(const Stream& stream);
    static bool leads_to(const Node& node, const std::vector<Node*>& nodes);
    void queue_nodes(const Graph& graph, const ExecutableGraph& executable, int priority,
                     const std::vector<JobPointer>& before, std::vector<JobPointer>& ends);

    ForkSafeMutex mutex_{LockRank::streams};
    std::uintptr_t last_handle_ = 0;
    unsigned long long last_capture_ = 0;
    std::atomic<unsigned> capture_count_{0};
    Stream legacy_;
    std::vector<Stream*> of_threads_;  // per-thread default streams
    std::map<void*, Stream> streams_;
    std::map<void*, Event> events_;
    std::vector<JobPointer> destroyed_;  // the last jobs of streams that do not exist anymore
};

}  // namespace kbuild::cpu

#endif
