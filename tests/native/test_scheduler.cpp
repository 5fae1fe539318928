// Queued operations run in an order that respects what they wait for.
#include <doctest/doctest.h>

#include "api/errors.hpp"
#include "streams/graph.hpp"
#include "streams/scheduler.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace kbuild::cpu;

namespace {

// What ran, in this order.
struct Trace {
    std::string letters;
    std::mutex mutex;
};

struct Letter {
    Trace& trace;
    char letter;
};

Operation append(Letter& letter) {
    const auto function = [](void* data) {
        const auto& letter = *static_cast<Letter*>(data);
        const std::lock_guard lock(letter.trace.mutex);
        letter.trace.letters += letter.letter;
    };
    return HostCall{function, &letter};
}

JobPointer make_job(Operation operation, int priority = 0) {
    return std::make_shared<Job>(std::move(operation), priority);
}

TEST_CASE("jobs run after their predecessors") {
    auto& scheduler = Scheduler::instance();
    Trace trace;
    Letter a{trace, 'a'}, b{trace, 'b'}, c{trace, 'c'}, d{trace, 'd'};
    const auto first = make_job(append(a)), second = make_job(append(b));
    const auto third = make_job(append(c)), last = make_job(append(d));
    scheduler.submit(first, {});
    scheduler.submit(second, {first});
    scheduler.submit(third, {nullptr, first});
    scheduler.submit(last, {second, third});
    scheduler.wait(last);
    REQUIRE(trace.letters.front() == 'a');
    REQUIRE(trace.letters.back() == 'd');
    REQUIRE(trace.letters.size() == 4);
    REQUIRE(Scheduler::unfinished() == 0);
}

TEST_CASE("a job after momentary operations is done when they are") {
    auto& scheduler = Scheduler::instance();
    const auto moment = std::make_shared<Moment>();
    const auto join = make_job(Join());
    scheduler.submit(join, {});
    REQUIRE(join->is_done);
    const auto record = make_job(RecordCall{moment, nullptr});
    scheduler.submit(record, {join});
    REQUIRE(record->is_done);
    REQUIRE(moment->time > 0);
}

TEST_CASE("many threads submit and wait") {
    auto& scheduler = Scheduler::instance();
    std::atomic<int> count{0};
    const auto increment = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            JobPointer last;
            for (int i = 0; i < 200; ++i) {
                const auto job = make_job(HostCall{increment, &count}, -(i % 3));
                scheduler.submit(job, {last});
                if (i % 20 == 0) scheduler.wait(job);
                last = job;
            }
            scheduler.wait(last);
        });
    for (auto& thread : threads) thread.join();
    REQUIRE(count == 4 * 200);
}

TEST_CASE("a failure that nobody awaits breaks the device") {
    auto& scheduler = Scheduler::instance();
    int calls = 0;
    int code = 0;
    const auto fail = [](void*) { throw Failure(KBUILD_CPU_LAUNCH_FAILURE, "it failed"); };
    const auto awaited = make_job(HostCall{fail, nullptr});
    awaited->is_awaited = true;
    scheduler.submit(awaited, {});
    scheduler.wait(awaited);
    REQUIRE(awaited->error == KBUILD_CPU_LAUNCH_FAILURE);
    REQUIRE(awaited->detail == "it failed");
    REQUIRE(broken_device() == 0);

    const auto failing = make_job(HostCall{fail, nullptr});
    const auto skipped = make_job(HostCall{[](void* data) { ++*static_cast<int*>(data); }, &calls});
    const auto call_back = [](void*, int error, void* data) { *static_cast<int*>(data) = error; };
    const auto callback = make_job(CallbackCall{call_back, nullptr, &code});
    scheduler.submit(failing, {});
    scheduler.submit(skipped, {failing});
    scheduler.submit(callback, {skipped});
    scheduler.wait(callback);
    REQUIRE(calls == 0);
    REQUIRE(code == KBUILD_CPU_LAUNCH_FAILURE);
    REQUIRE(broken_device() == KBUILD_CPU_LAUNCH_FAILURE);
}

TEST_CASE("graphs are sorted and copied") {
    const auto graph = std::make_shared<Graph>();
    Node& last = graph->add(Join(), {});
    Node& first = graph->add(Join(), {});
    Node& middle = graph->add(Join(), {&first});
    connect(middle, last);
    REQUIRE(graph->sort() == std::vector<Node*>{&first, &middle, &last});
    REQUIRE_THROWS_AS(connect(middle, last), Failure);

    const auto copy = graph->clone();
    const auto sorted = copy->sort();
    REQUIRE(sorted.size() == 3);
    REQUIRE(sorted[0]->origin == &first);
    REQUIRE(sorted[2]->dependencies == std::vector<Node*>{sorted[1]});

    connect(last, first);
    REQUIRE_THROWS_AS(graph->sort(), Failure);
    disconnect(last, first);
    graph->remove(middle);
    REQUIRE(graph->sort().size() == 2);
    REQUIRE(last.dependencies.empty());
    REQUIRE(copy->nodes().size() == 3);
}

}  // namespace
