#include "streams/scheduler.hpp"

#include "checks/checker.hpp"
#include "crashes/signals.hpp"
#include "api/errors.hpp"
#include "loader.hpp"
#include "own_threads.hpp"

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <utility>

namespace kbuild::cpu {
namespace {

Scheduler* process_scheduler = nullptr;
std::atomic<unsigned> unfinished_jobs{0};

// How many operations can run at the same time.
constexpr unsigned most_executors = 64;

// An executor without work looks for it so often and so long before it sleeps. To wake a thread
// takes longer than a small kernel, so launches do not wake an executor that looks.
constexpr std::chrono::microseconds look_interval{50};
constexpr unsigned most_idle_looks = 20;

void fail(Job& job, int code, const char* detail) {
    job.error = code;
    job.detail = detail;
    if (!job.is_awaited) break_device(code, detail);
}

bool is_of_host(const Operation& operation) {
    return std::holds_alternative<HostCall>(operation) ||
           std::holds_alternative<CallbackCall>(operation);
}

// After a kernel has failed, nothing but callbacks runs.
void perform(Job& job) noexcept {
    if (broken_device() != 0 && !std::holds_alternative<CallbackCall>(job.operation)) return;
    const checks::TaskScope scope(job.task);
    try {
        run(job.operation);
    } catch (const Failure& failure) {
        fail(job, failure.code(), failure.what());
    } catch (const std::exception& failure) {
        fail(job, KBUILD_CPU_OUT_OF_MEMORY, failure.what());
    }
}

}  // namespace

Scheduler& Scheduler::instance() {
    pin_this_library();  // before there are threads that need it
    // The child does not touch the old scheduler, whose jobs belong to threads that do not exist.
    static const bool created = [] {
        process_scheduler = new Scheduler;
        pthread_atfork(nullptr, nullptr, [] {
            process_scheduler = new Scheduler;
            unfinished_jobs = 0;
        });
        return true;
    }();
    static_cast<void>(created);
    return *process_scheduler;
}

void note_waited(const Job& job) {
    if (auto* const checker = checks::Checker::find()) checker->order().join_host(job.task);
}

const std::atomic<unsigned>& Scheduler::unfinished() { return unfinished_jobs; }

void Scheduler::submit(const JobPointer& job, const std::vector<JobPointer>& predecessors) {
    if (auto* const checker = checks::Checker::find()) {
        std::vector<checks::TaskPointer> tasks;
        for (const auto& predecessor : predecessors)
            tasks.push_back(predecessor == nullptr ? nullptr : predecessor->task);
        job->task = checker->add_task(job->operation, tasks);
    }
    if (const auto* call = std::get_if<KernelCall>(&job->operation)) checks::note_queued(*call);
    const std::lock_guard lock(mutex_);
    ++submitted_;
    ++unfinished_jobs;
    for (const auto& predecessor : predecessors) {
        if (predecessor == nullptr || predecessor->state == Job::State::done) continue;
        predecessor->successors.push_back(job);
        job->predecessors.push_back(predecessor);
        ++job->unfinished;
    }
    if (job->unfinished != 0) return;
    make_ready(job);
    if (!job->is_awaited && !ready_.empty()) call_executor();
}

// Runs momentary operations at once, and those that only waited for them.
void Scheduler::make_ready(const JobPointer& job) {
    if (is_momentary(job->operation)) {
        run(job->operation);
        finish(job);
    } else {
        job->state = Job::State::ready;
        ready_.push_back(job);
    }
}

void Scheduler::finish(const JobPointer& job) {
    std::vector<JobPointer> done = {job};
    while (!done.empty()) {
        const JobPointer last = std::move(done.back());
        done.pop_back();
        last->state = Job::State::done;
        last->predecessors.clear();
        last->is_done.store(true, std::memory_order_release);
        unfinished_jobs.fetch_sub(1, std::memory_order_release);
        for (const auto& successor : std::exchange(last->successors, {})) {
            if (--successor->unfinished != 0) continue;
            if (is_momentary(successor->operation)) {
                run(successor->operation);
                done.push_back(successor);
            } else {
                make_ready(successor);
            }
        }
    }
}

// Returns the oldest of the jobs with the highest priority.
JobPointer Scheduler::take_ready() noexcept {
    const auto first = std::min_element(
        ready_.begin(), ready_.end(),
        [](const JobPointer& a, const JobPointer& b) { return a->priority < b->priority; });
    if (first == ready_.end()) return nullptr;
    JobPointer job = std::move(*first);
    ready_.erase(first);
    return job;
}

void Scheduler::run_ready(Lock& lock, const JobPointer& job) {
    job->state = Job::State::running;
    auto predecessors = std::exchange(job->predecessors, {});
    if (!ready_.empty()) call_executor();
    lock.unlock();
    predecessors.clear();
    if (is_of_host(job->operation)) note_waited(*job);  // it can tell other threads of the host
    perform(*job);
    job->operation = Join();  // releases the kernel
    lock.lock();
    finish(job);
    if (ready_.size() > 1) call_executor();  // this thread takes one of them
    if (waiting_ != 0) finished_.notify_all();
}

void Scheduler::wait(const JobPointer& target) {
    if (target != nullptr) note_waited(*target);
    if (target == nullptr || target->is_done.load(std::memory_order_acquire)) return;
    std::vector<JobPointer> path = {target};
    Lock lock(mutex_);
    while (!path.empty()) {
        const JobPointer job = path.back();
        switch (job->state) {
        case Job::State::done: path.pop_back(); break;
        case Job::State::waiting:
            for (const auto& predecessor : job->predecessors)
                if (predecessor->state != Job::State::done) {
                    path.push_back(predecessor);
                    break;
                }
            break;
        case Job::State::ready:
            ready_.erase(std::find(ready_.begin(), ready_.end(), job));
            run_ready(lock, job);
            break;
        case Job::State::running:
            if (!ready_.empty()) call_executor();
            ++waiting_;
            finished_.wait(lock, [&] { return job->state == Job::State::done; });
            --waiting_;
            break;
        }
    }
    // The jobs that became ready meanwhile, but that this thread does not wait for.
    if (!ready_.empty()) call_executor();
}

// Makes sure that an executor looks for work.
void Scheduler::call_executor() {
    if (is_watched_ || is_called_) return;
    if (sleeping_ != 0) {
        is_called_ = true;
        offered_.notify_one();
    } else if (executors_ < most_executors) {
        start_executor();
    }
}

void Scheduler::start_executor() {
    try {
        start_own_thread("stream", [this] { execute(); });
        ++executors_;
        is_called_ = true;
    } catch (const std::exception&) {
        // The threads that wait for the work execute it.
    }
}

void Scheduler::execute() {
    unblock_crash_signals();
    Lock lock(mutex_);
    is_called_ = false;
    for (;;) {
        if (const JobPointer job = take_ready()) {
            run_ready(lock, job);
        } else if (!is_watched_) {
            watch(lock);
        } else {
            sleep(lock);
        }
    }
}

// Looks for work in intervals, and sleeps when there was none for some time.
void Scheduler::watch(Lock& lock) {
    is_watched_ = true;
    auto seen = submitted_;
    for (unsigned looks = 0; ready_.empty() && looks < most_idle_looks; ++looks) {
        offered_.wait_for(lock, look_interval);
        if (seen != submitted_) looks = 0;
        seen = submitted_;
    }
    is_watched_ = false;
    if (ready_.empty()) sleep(lock);
}

void Scheduler::sleep(Lock& lock) {
    ++sleeping_;
    offered_.wait(lock);
    --sleeping_;
    is_called_ = false;
}

}  // namespace kbuild::cpu
