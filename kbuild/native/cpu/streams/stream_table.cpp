#include "streams/stream_table.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"

#include <algorithm>
#include <pthread.h>

namespace kbuild::cpu {
namespace {

Streams* process_streams = nullptr;

// The handles of the default streams: null, and the vendor's two constants.
constexpr std::uintptr_t legacy_handle = 1;
constexpr std::uintptr_t handle_of_this_thread = 2;

// Handles start above the default streams and are multiples of 16, like the addresses of objects.
constexpr std::uintptr_t handle_step = 16;

template <class Map>
auto& look_up(Map& map, void* handle, const char* what) {
    const auto found = map.find(handle);
    if (found == map.end())
        throw Failure(KBUILD_CPU_INVALID_HANDLE,
                      std::string("the ") + what + " does not exist or was destroyed");
    return found->second;
}

bool is_done(const JobPointer& job) {
    return job == nullptr || job->is_done.load(std::memory_order_acquire);
}

bool is_blocking(const Stream& stream) {
    return (stream.properties.flags & non_blocking_stream) == 0;
}

// Returns whether nothing needs to wait for the job, and the checks know that.
bool is_forgotten(const JobPointer& job) {
    if (!is_done(job)) return false;
    auto* const checker = checks::Checker::find();
    return job == nullptr || checker == nullptr || job->task == nullptr ||
           checker->order().is_known(*job->task);
}

// The order that checks know does not depend on how far the work is.
void add_predecessor(std::vector<JobPointer>& jobs, const JobPointer& job) {
    if (!is_done(job) || (job != nullptr && checks::Checker::find() != nullptr))
        jobs.push_back(job);
}

void wait_for_all(const std::vector<JobPointer>& jobs) {
    for (const auto& job : jobs) Scheduler::instance().wait(job);
}

}  // namespace

Streams& Streams::instance() {
    static const bool created = [] {
        process_streams = new Streams;
        pthread_atfork(nullptr, nullptr, [] { process_streams->forget_work(); });
        return true;
    }();
    static_cast<void>(created);
    return *process_streams;
}

// In a forked child, the threads that would run the work do not exist. The jobs are not destroyed,
// because another thread could have been using them.
void Streams::forget_work() {
    auto* const lost = new std::vector<JobPointer>(std::move(destroyed_));
    destroyed_.clear();
    const auto forget = [&](Stream& stream) { lost->push_back(std::move(stream.last)); };
    forget(legacy_);
    for (Stream* stream : of_threads_) forget(*stream);
    for (auto& [handle, stream] : streams_) forget(stream);
    for (auto& [handle, event] : events_) lost->push_back(std::move(event.job));
}

void* Streams::new_handle() { return reinterpret_cast<void*>(last_handle_ += handle_step); }

void* Streams::create(const kbuild_cpu_stream& properties) {
    const std::lock_guard lock(mutex_);
    void* const handle = new_handle();
    auto& stream = streams_[handle];
    stream.properties = properties;
    stream.properties.id = reinterpret_cast<std::uintptr_t>(handle) / handle_step;
    return handle;
}

// The work of the stream continues.
void Streams::destroy(void* handle) {
    const std::lock_guard lock(mutex_);
    Stream& stream = look_up(streams_, handle, "stream");
    leave_capture(stream);
    keep_last(stream);
    streams_.erase(handle);
}

void Streams::keep_last(Stream& stream) {
    destroyed_.erase(std::remove_if(destroyed_.begin(), destroyed_.end(), is_forgotten),
                     destroyed_.end());
    if (!is_forgotten(stream.last)) destroyed_.push_back(stream.last);
}

Stream& Streams::find(void* handle) {
    const auto number = reinterpret_cast<std::uintptr_t>(handle);
    if (number <= legacy_handle) return legacy_;
    if (number == handle_of_this_thread) return of_this_thread();
    return look_up(streams_, handle, "stream");
}

Event& Streams::look_up_event(void* event) { return look_up(events_, event, "event"); }

Stream& Streams::of_this_thread() {
    static const pthread_key_t key = [] {
        pthread_key_t created;
        if (pthread_key_create(&created, &Streams::remove_of_thread) != 0)
            throw Failure(KBUILD_CPU_OUT_OF_MEMORY,
                          "the process has no thread-specific data key left");
        return created;
    }();
    auto* stream = static_cast<Stream*>(pthread_getspecific(key));
    if (stream == nullptr) {
        stream = new Stream;
        of_threads_.push_back(stream);
        pthread_setspecific(key, stream);
    }
    return *stream;
}

// Runs when a thread ends.
void Streams::remove_of_thread(void* stream) {
    auto& streams = instance();
    const std::lock_guard lock(streams.mutex_);
    auto& all = streams.of_threads_;
    all.erase(std::remove(all.begin(), all.end(), stream), all.end());
    streams.keep_last(*static_cast<Stream*>(stream));
    delete static_cast<Stream*>(stream);
}

kbuild_cpu_stream Streams::describe(void* stream) {
    const std::lock_guard lock(mutex_);
    return find(stream).properties;
}

// Returns what the next work of the stream waits for. The legacy default stream and blocking streams
// wait for each other.
std::vector<JobPointer> Streams::predecessors_of(const Stream& stream) {
    std::vector<JobPointer> jobs;
    add_predecessor(jobs, stream.last);
    if (&stream == &legacy_) {
        for (const auto& [handle, other] : streams_)
            if (is_blocking(other)) add_predecessor(jobs, other.last);
        for (const Stream* other : of_threads_) add_predecessor(jobs, other->last);
        for (const auto& job : destroyed_) add_predecessor(jobs, job);
    } else if (is_blocking(stream)) {
        add_predecessor(jobs, legacy_.last);
    }
    return jobs;
}

void Streams::append(Stream& stream, const JobPointer& job,
                     const std::vector<JobPointer>& predecessors) {
    Scheduler::instance().submit(job, predecessors);
    stream.last = job;
}

JobPointer Streams::enqueue(void* handle, Operation operation, bool is_awaited) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(handle);
    if (stream.capture.capture != nullptr) {
        capture(stream, std::move(operation));
        return nullptr;
    }
    check_implicit_capture(stream);
    auto job = std::make_shared<Job>(std::move(operation), stream.properties.priority);
    job->is_awaited = is_awaited;
    append(stream, job, predecessors_of(stream));
    return job;
}

void Streams::execute(void* handle, Operation operation) {
    await(enqueue(handle, std::move(operation), true));
}

void Streams::await(const JobPointer& job) {
    if (job == nullptr) return;
    Scheduler::instance().wait(job);
    if (job->error != 0) throw Failure(static_cast<kbuild_cpu_error>(job->error), job->detail);
    require_device();
}

void Streams::synchronize(void* handle) {
    std::vector<JobPointer> jobs;
    {
        const std::lock_guard lock(mutex_);
        const Stream& stream = find(handle);
        require_no_capture(stream);
        jobs = predecessors_of(stream);
    }
    wait_for_all(jobs);
}

bool Streams::is_idle(void* handle) {
    const std::lock_guard lock(mutex_);
    const Stream& stream = find(handle);
    require_no_capture(stream);
    const auto jobs = predecessors_of(stream);
    if (!std::all_of(jobs.begin(), jobs.end(), is_done)) return false;
    for (const auto& job : jobs) note_waited(*job);
    return true;
}

void Streams::synchronize_all() {
    std::vector<JobPointer> jobs;
    {
        const std::lock_guard lock(mutex_);
        add_predecessor(jobs, legacy_.last);
        for (const auto& [handle, stream] : streams_) add_predecessor(jobs, stream.last);
        for (const Stream* stream : of_threads_) add_predecessor(jobs, stream->last);
        for (const auto& job : destroyed_) add_predecessor(jobs, job);
    }
    wait_for_all(jobs);
    if (auto* const checker = checks::Checker::find()) checker->order().join_all();
}

void* Streams::create_event(unsigned flags) {
    const std::lock_guard lock(mutex_);
    void* const handle = new_handle();
    events_[handle].flags = flags;
    return handle;
}

void Streams::destroy_event(void* event) {
    const std::lock_guard lock(mutex_);
    look_up(events_, event, "event");
    events_.erase(event);
}

void Streams::record(void* handle, void* stream_handle, bool is_external) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(stream_handle);
    Event& event = look_up(events_, handle, "event");
    if (stream.capture.capture != nullptr) {
        if (is_external) {
            capture(stream, RecordCall{nullptr, handle});
        } else {
            require_valid(*stream.capture.capture);
            event.capture = stream.capture;
        }
        return;
    }
    check_implicit_capture(stream);
    append(stream, record_job(event, stream.properties.priority), predecessors_of(stream));
}

JobPointer Streams::record_job(Event& event, int priority) {
    event.capture = {};
    event.moment = std::make_shared<Moment>();
    event.job = std::make_shared<Job>(RecordCall{event.moment, nullptr}, priority);
    return event.job;
}

void Streams::wait_for_event(void* stream_handle, void* handle, bool is_external) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(stream_handle);
    const Event& event = look_up(events_, handle, "event");
    if (event.capture.capture != nullptr && !is_external) {
        join_capture(stream, event);
        return;
    }
    if (stream.capture.capture != nullptr) {
        if (is_external)
            capture(stream, WaitCall{handle});
        else if (event.job != nullptr)
            throw Failure(KBUILD_CPU_CAPTURE_ISOLATION,
                          "a stream that captures waits for an event of a stream that does not");
        return;
    }
    check_implicit_capture(stream);
    if (event.job == nullptr || (is_done(event.job) && checks::Checker::find() == nullptr)) return;
    auto predecessors = predecessors_of(stream);
    predecessors.push_back(event.job);
    append(stream, std::make_shared<Job>(Join(), stream.properties.priority), predecessors);
}

Event Streams::find_event(void* event) {
    const std::lock_guard lock(mutex_);
    return look_up(events_, event, "event");
}

void Streams::clear() {
    synchronize_all();
    const std::lock_guard lock(mutex_);
    streams_.clear();
    events_.clear();
    destroyed_.clear();
    legacy_ = {};
    for (Stream* stream : of_threads_) *stream = {};
}

}  // namespace kbuild::cpu
