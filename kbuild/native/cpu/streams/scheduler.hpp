// Runs operations in an order that respects what they wait for.
#ifndef KBUILD_CPU_STREAMS_SCHEDULER_HPP
#define KBUILD_CPU_STREAMS_SCHEDULER_HPP

#include "streams/operation.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kbuild::cpu {

namespace checks {
struct Task;
}

struct Job;
using JobPointer = std::shared_ptr<Job>;

// A queued operation. The scheduler's mutex guards everything but `is_done`.
struct Job {
    Job(Operation&& operation, int priority)
        : operation(std::move(operation)), priority(priority) {}

    enum class State { waiting, ready, running, done };

    Operation operation;
    const int priority;       // a lower number runs first
    bool is_awaited = false;  // the caller waits, and receives the failure
    State state = State::waiting;
    std::atomic<bool> is_done{false};
    unsigned unfinished = 0;  // predecessors
    std::vector<JobPointer> predecessors;
    std::vector<JobPointer> successors;
    int error = 0;
    std::string detail;
    std::shared_ptr<checks::Task> task;  // in a process with checks
};

// Tells the checks that the host knows that the job is done.
void note_waited(const Job& job);

// Threads that wait for a job run what it needs themselves, unless another thread does so already.
// Then a launch that the program waits for at once needs no other thread. Everything else runs on
// executors: threads that start when there is work.
class Scheduler {
public:
    // Never freed. A forked child gets a new one without jobs and threads.
    static Scheduler& instance();

    // Queues a job that runs after its predecessors, of which some can be null.
    void submit(const JobPointer& job, const std::vector<JobPointer>& predecessors);

    // Waits until the job is done. Executes what it needs.
    void wait(const JobPointer& job);

    // Returns how many jobs are not done, at an address that does not change.
    static const std::atomic<unsigned>& unfinished();

private:
    using Lock = std::unique_lock<std::mutex>;

    Scheduler() = default;

    void make_ready(const JobPointer& job);
    JobPointer take_ready() noexcept;
    void run_ready(Lock& lock, const JobPointer& job);
    void finish(const JobPointer& job);
    void call_executor();
    void start_executor();
    void execute();
    void watch(Lock& lock);
    void sleep(Lock& lock);

    std::mutex mutex_;
    std::condition_variable offered_;
    std::condition_variable finished_;
    std::vector<JobPointer> ready_;
    std::uint64_t submitted_ = 0;
    unsigned waiting_ = 0;  // threads in wait()
    unsigned executors_ = 0;
    unsigned sleeping_ = 0;
    bool is_watched_ = false;  // an executor looks for work soon, so that nobody must wake it
    bool is_called_ = false;   // an executor starts or wakes
};

}  // namespace kbuild::cpu

#endif
