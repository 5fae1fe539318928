#include "crashes/reporter.hpp"

#include "checks/checker.hpp"
#include "crashes/describe_stop.hpp"
#include "crashes/signals.hpp"
#include "launches/report.hpp"
#include "launches/runner.hpp"
#include "own_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace kbuild::cpu {
namespace {

// How long a crashed thread waits for the report, and a stopped one for the end of a question.
constexpr double longest_report_seconds = 5;
constexpr double longest_answer_seconds = 0.2;
// How often a thread can be in a library function when its time is over.
constexpr unsigned most_questions = 50;
constexpr double shortest_pause = 0.02, longest_pause = 5;

// An OS thread that runs device code.
struct Watched {
    Watched(const Activity& activity, pid_t thread) : activity(&activity), thread(thread) {}

    const Activity* activity;
    pid_t thread;
    std::uint64_t last_count = 0;
    double seconds = 0;  // since the count has changed
    bool has_block = false;
    kbuild_dim3 block = {};  // in which the thread was before
    unsigned questions = 0;  // since the time is over
    std::string told;        // the kernel of which a message was printed
};

struct Reporter {
    std::mutex mutex;
    std::vector<Watched> watched;
    std::atomic<bool> is_running{false};
    sem_t called;

    Reporter() { sem_init(&called, 0, 0); }
};

// Never freed. A forked child gets a new one, because it inherits no threads.
std::atomic<Reporter*> process_reporter{nullptr};

enum class Phase { unused, filled, reading, writing, done };

// The first crash of the process.
std::atomic<bool> has_crashed{false};
std::atomic<Phase> crash_phase{Phase::unused};
Stop crash;

enum class Verdict { pending, go_on, leave };

// The reporter's question to one thread.
std::atomic<bool> is_asking{false};
std::atomic<bool> is_answered{false};
std::atomic<Verdict> verdict{Verdict::pending};
Stop answered;

// Waits until the condition holds. Returns false after the time limit. Signal handlers can call this.
template <class Condition>
bool wait_for(double seconds, Condition condition) noexcept {
    constexpr double step = 0.001;
    for (double waited = 0; !condition(); waited += step) {
        if (waited >= seconds) return false;
        const timespec pause = {0, static_cast<long>(step * 1e9)};
        nanosleep(&pause, nullptr);
    }
    return true;
}

Reporter& this_reporter() {
    static const bool created = [] {
        process_reporter = new Reporter;
        pthread_atfork(nullptr, nullptr, [] {
            process_reporter = new Reporter;
            is_asking = is_answered = false;
            if (const auto* activity = BlockRunner::activity_of_this_thread())
                watch_runner(*activity);
        });
        return true;
    }();
    static_cast<void>(created);
    return *process_reporter;
}

void print_crash() {
    auto phase = Phase::filled;
    if (!crash_phase.compare_exchange_strong(phase, Phase::reading)) return;
    const auto text = describe_crash(crash);
    checks::report_crash(crash);
    phase = Phase::reading;
    if (!crash_phase.compare_exchange_strong(phase, Phase::writing)) return;
    write_report(text.data(), text.size());
    crash_phase = Phase::done;
}

// While this object exists, the thread is stopped, unless it has not answered.
class Question {
public:
    explicit Question(pid_t thread) {
        is_answered = false;
        verdict = Verdict::pending;
        is_asking = true;
        has_answer_ = interrupt_thread(thread) &&
                      wait_for(longest_answer_seconds, [] { return is_answered.load(); });
        // A thread that takes the question from now on finds none.
        if (!has_answer_ && !is_asking.exchange(false))
            has_answer_ = wait_for(longest_answer_seconds, [] { return is_answered.load(); });
    }
    ~Question() {
        if (verdict == Verdict::pending) verdict = Verdict::go_on;
    }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

    bool has_answer() const noexcept { return has_answer_; }
    void let_thread_leave() noexcept { verdict = Verdict::leave; }

private:
    bool has_answer_;
};

bool is_equal_block(const kbuild_dim3& a, const kbuild_dim3& b) noexcept {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

bool was_told(const Reporter& reporter, const std::string& kernel) {
    return std::any_of(reporter.watched.begin(), reporter.watched.end(),
                       [&](const Watched& other) { return other.told == kernel; });
}

void print_text(const std::string& text) { write_report(text.data(), text.size()); }

// The thread has been in one block for the time limit.
void end_run(const Reporter& reporter, Watched& thread, Question& question, double limit) {
    if (!is_in_image(answered)) {
        if (++thread.questions < most_questions) return;
        print_text(describe_limit(answered, limit, true));
        std::abort();
    }
    if (!answered.has_failed && !was_told(reporter, answered.kernel))
        print_text(describe_limit(answered, limit, false));
    thread.told = answered.kernel;
    question.let_thread_leave();
}

void check_thread(Reporter& reporter, Watched& thread, double step) {
    const auto count = thread.activity->count.load(std::memory_order_relaxed);
    if (!thread.activity->is_running.load(std::memory_order_relaxed) ||
        count != thread.last_count) {
        thread = Watched(*thread.activity, thread.thread);
        thread.last_count = count;
        return;
    }
    const auto limit = run_limit();
    thread.seconds += step;
    if (!thread.told.empty() ||
        thread.seconds < (thread.has_block ? limit.seconds : limit.seconds / 2))
        return;
    Question question(thread.thread);
    if (!question.has_answer()) return;
    // The runtime does not see when a loop over blocks continues with the next one.
    if (!thread.has_block || !is_equal_block(thread.block, answered.block)) {
        thread.has_block = true;
        thread.block = answered.block;
        thread.seconds = limit.seconds / 2;
        thread.questions = 0;
    } else if (limit.is_explicit) {
        end_run(reporter, thread, question, limit.seconds);
    } else {
        if (!was_told(reporter, answered.kernel))
            print_text(describe_long_run(answered, limit.seconds));
        thread.told = answered.kernel;
    }
}

double pause_between_checks() {
    const double limit = run_limit().seconds;
    return limit == 0 ? longest_pause : std::clamp(limit / 8, shortest_pause, longest_pause);
}

void wait_for_call(Reporter& reporter, double seconds) {
    constexpr long second = 1000000000;
    timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    const auto nanoseconds =
        end.tv_nsec + static_cast<long>((seconds - std::floor(seconds)) * second);
    end.tv_sec += static_cast<time_t>(seconds) + nanoseconds / second;
    end.tv_nsec = nanoseconds % second;
    while (sem_timedwait(&reporter.called, &end) != 0 && errno == EINTR) {
    }
}

void run_reporter(Reporter& reporter) {
    using Clock = std::chrono::steady_clock;
    const double pause = pause_between_checks();
    auto last = Clock::now();
    for (;;) {
        wait_for_call(reporter, pause);
        print_crash();
        const auto now = Clock::now();
        // Longer pauses are those of a debugger or of a machine that was suspended.
        const double step = std::min(std::chrono::duration<double>(now - last).count(), 2 * pause);
        last = now;
        if (run_limit().seconds == 0) continue;
        const std::lock_guard lock(reporter.mutex);
        for (auto& thread : reporter.watched) check_thread(reporter, thread, step);
    }
}

}  // namespace

void start_reporter() {
    run_limit();  // throws Failure here, and not in the thread
    auto& reporter = this_reporter();
    if (reporter.is_running.load(std::memory_order_relaxed) || !handles_signals()) return;
    if (reporter.is_running.exchange(true)) return;
    install_call_handler();
    install_signal_handlers();
    try {
        start_own_thread("report", [&reporter] { run_reporter(reporter); });
    } catch (const std::exception&) {
        // Crashes are reported without lines.
    }
}

void watch_runner(const Activity& activity) {
    auto& reporter = this_reporter();
    const std::lock_guard lock(reporter.mutex);
    reporter.watched.emplace_back(activity, gettid());
}

void forget_runner(const Activity& activity) noexcept {
    auto& reporter = this_reporter();
    const std::lock_guard lock(reporter.mutex);
    auto& all = reporter.watched;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Watched& other) { return other.activity == &activity; }),
              all.end());
}

void report_crash(const Stop& stop) noexcept {
    const auto is_done = [] { return crash_phase == Phase::done; };
    if (has_crashed.exchange(true)) {
        wait_for(longest_report_seconds, is_done);
        return;
    }
    crash = stop;
    crash_phase = Phase::filled;
    auto* const reporter = process_reporter.load();
    if (reporter != nullptr && reporter->is_running) {
        sem_post(&reporter->called);
        if (wait_for(longest_report_seconds, is_done)) return;
    }
    for (auto phase : {Phase::filled, Phase::reading})
        if (crash_phase.compare_exchange_strong(phase, Phase::done)) return write_raw_crash(crash);
}

void answer_question(BlockRunner& runner, MachineContext& registers) noexcept {
    if (!is_asking.exchange(false)) return;
    runner.fill_stop(answered, registers);
    is_answered = true;
    wait_for(longest_report_seconds, [] { return verdict != Verdict::pending; });
    if (verdict == Verdict::leave) registers.continue_at(&BlockRunner::leave_kernel);
}

}  // namespace kbuild::cpu
