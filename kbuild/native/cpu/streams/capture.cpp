// The part of Streams that captures.
#include "streams/stream_table.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <utility>

namespace kbuild::cpu {
namespace {

thread_local CaptureMode mode_of_this_thread = CaptureMode::global;

// Makes a capture invalid, and throws.
[[noreturn]] void stop_capture(Capture& capture, kbuild_cpu_error code, const char* detail) {
    capture.is_invalid = true;
    throw Failure(code, detail);
}

void add_unique(std::vector<Node*>& nodes, const std::vector<Node*>& more) {
    for (Node* node : more)
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
}

}  // namespace

void Streams::require_valid(const Capture& capture) {
    if (capture.is_invalid)
        throw Failure(KBUILD_CPU_CAPTURE_INVALIDATED, "an earlier error ended the capture");
}

void Streams::require_no_capture(const Stream& stream) {
    if (stream.capture.capture != nullptr)
        stop_capture(*stream.capture.capture, KBUILD_CPU_CAPTURE_UNSUPPORTED,
                     "a stream cannot be waited for or asked while it captures");
    check_implicit_capture(stream);
}

// Adds a node to the graph that the stream captures.
Node& Streams::capture(Stream& stream, Operation operation) {
    auto& [capture, dependencies] = stream.capture;
    require_valid(*capture);
    if (auto* callback = std::get_if<CallbackCall>(&operation); callback != nullptr)
        stop_capture(*capture, KBUILD_CPU_CAPTURE_UNSUPPORTED,
                     "a stream that captures has no callbacks; use cudaLaunchHostFunc");
    Node& node = capture->graph->add(std::move(operation), dependencies);
    dependencies = {&node};
    return node;
}

std::vector<Capture*> Streams::captures() {
    std::vector<Capture*> found;
    const auto add = [&](const Stream& stream) {
        if (auto* capture = stream.capture.capture.get();
            capture != nullptr && std::find(found.begin(), found.end(), capture) == found.end())
            found.push_back(capture);
    };
    for (const auto& [handle, stream] : streams_) add(stream);
    for (const Stream* stream : of_threads_) add(*stream);
    return found;
}

// The legacy default stream waits for all blocking streams, which a graph cannot express.
void Streams::check_implicit_capture(const Stream& stream) {
    if (capture_count_ == 0 || &stream != &legacy_) return;
    const auto check = [](const Stream& other) {
        if (other.capture.capture != nullptr && (other.properties.flags & non_blocking_stream) == 0)
            stop_capture(*other.capture.capture, KBUILD_CPU_CAPTURE_IMPLICIT,
                         "the default stream waits for a stream that captures; create the stream "
                         "with cudaStreamNonBlocking");
    };
    for (const auto& [handle, other] : streams_) check(other);
    for (const Stream* other : of_threads_) check(*other);
}

void Streams::forbid_while_capturing() {
    if (capture_count_ == 0 || mode_of_this_thread == CaptureMode::relaxed) return;
    const std::lock_guard lock(mutex_);
    for (Capture* capture : captures()) {
        if (capture->mode == CaptureMode::relaxed) continue;
        const bool is_own = pthread_equal(capture->thread, pthread_self()) != 0;
        const bool is_global =
            capture->mode == CaptureMode::global && mode_of_this_thread == CaptureMode::global;
        if (is_own || is_global)
            stop_capture(*capture, KBUILD_CPU_CAPTURE_UNSUPPORTED,
                         "the operation is not possible while a stream captures");
    }
}

void Streams::begin_capture(void* handle, std::shared_ptr<Graph> graph,
                            const std::vector<Node*>& dependencies, CaptureMode mode) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(handle);
    if (&stream == &legacy_)
        throw Failure(KBUILD_CPU_CAPTURE_UNSUPPORTED,
                      "the default stream cannot capture; create a stream");
    if (stream.capture.capture != nullptr)
        stop_capture(*stream.capture.capture, KBUILD_CPU_INVALID_VALUE,
                     "the stream already captures");
    stream.capture = {
        std::make_shared<Capture>(
            Capture{std::move(graph), mode, ++last_capture_, pthread_self(), &stream, {}, false}),
        dependencies};
    ++capture_count_;
}

// A stream that waits for an event of a capture becomes part of the capture.
void Streams::join_capture(Stream& stream, const Event& event) {
    const auto& source = event.capture;
    require_valid(*source.capture);
    if (&stream == &legacy_)
        stop_capture(*source.capture, KBUILD_CPU_CAPTURE_UNSUPPORTED,
                     "the default stream cannot become part of a capture");
    if (stream.capture.capture == nullptr)
        stream.capture.capture = source.capture;
    else if (stream.capture.capture != source.capture)
        stop_capture(*source.capture, KBUILD_CPU_CAPTURE_MERGE,
                     "the stream is part of another capture");
    add_unique(stream.capture.dependencies, source.dependencies);
}

// Call this before a stream is destroyed.
void Streams::leave_capture(const Stream& stream) {
    const auto& [capture, dependencies] = stream.capture;
    if (capture == nullptr) return;
    add_unique(capture->left, dependencies);
    if (capture->origin != &stream) return;
    capture->is_invalid = true;
    --capture_count_;
}

std::shared_ptr<Graph> Streams::end_capture(void* handle) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(handle);
    const auto capture = stream.capture.capture;
    if (capture == nullptr) throw Failure(KBUILD_CPU_ILLEGAL_STATE, "the stream does not capture");
    if (capture->origin != &stream)
        stop_capture(*capture, KBUILD_CPU_CAPTURE_UNMATCHED, "the capture began in another stream");
    if (capture->mode != CaptureMode::relaxed &&
        pthread_equal(capture->thread, pthread_self()) == 0)
        throw Failure(KBUILD_CPU_CAPTURE_WRONG_THREAD, "another thread began the capture");
    const auto leave = [&](Stream& other) {
        if (other.capture.capture != capture || &other == &stream) return;
        leave_capture(other);
        other.capture = {};
    };
    for (auto& [other_handle, other] : streams_) leave(other);
    for (Stream* other : of_threads_) leave(*other);
    for (auto& [event_handle, event] : events_)
        if (event.capture.capture == capture) event.capture = {};
    const auto ends = std::exchange(stream.capture, {}).dependencies;
    --capture_count_;
    require_valid(*capture);
    if (!std::all_of(capture->left.begin(), capture->left.end(),
                     [&](const Node* node) { return leads_to(*node, ends); }))
        throw Failure(KBUILD_CPU_CAPTURE_UNJOINED,
                      "the stream does not wait for all streams that the capture contains");
    return capture->graph;
}

// Returns whether some of the nodes come after this one, or are this one.
bool Streams::leads_to(const Node& node, const std::vector<Node*>& nodes) {
    std::vector<const Node*> reached = {&node};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        if (std::find(nodes.begin(), nodes.end(), reached[i]) != nodes.end()) return true;
        for (const Node* next : reached[i]->dependents)
            if (std::find(reached.begin(), reached.end(), next) == reached.end())
                reached.push_back(next);
    }
    return false;
}

void Streams::reject_captured(const Event& event) {
    const std::lock_guard lock(mutex_);
    stop_capture(*event.capture.capture, KBUILD_CPU_CAPTURED_EVENT,
                 "the event was recorded in a stream that captures");
}

bool Streams::is_capturing(void* handle) {
    if (capture_count_ == 0) return false;
    const std::lock_guard lock(mutex_);
    return find(handle).capture.capture != nullptr;
}

CapturePoint Streams::find_capture(void* handle) {
    const std::lock_guard lock(mutex_);
    const Stream& stream = find(handle);
    if (stream.capture.capture == nullptr) check_implicit_capture(stream);
    return stream.capture;
}

void Streams::set_capture_dependencies(void* handle, const std::vector<Node*>& nodes, bool adds) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(handle);
    if (stream.capture.capture == nullptr)
        throw Failure(KBUILD_CPU_ILLEGAL_STATE, "the stream does not capture");
    require_valid(*stream.capture.capture);
    for (const Node* node : nodes)
        require(node->graph == stream.capture.capture->graph.get(),
                "a node is not in the graph that the stream captures");
    if (!adds) stream.capture.dependencies.clear();
    add_unique(stream.capture.dependencies, nodes);
}

CaptureMode Streams::exchange_capture_mode(CaptureMode mode) {
    return std::exchange(mode_of_this_thread, mode);
}

}  // namespace kbuild::cpu
