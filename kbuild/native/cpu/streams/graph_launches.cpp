// The part of Streams that launches graphs.
#include "streams/stream_table.hpp"

#include "api/errors.hpp"

namespace kbuild::cpu {
namespace {

void add_steps(Steps& steps, const Graph& graph, const ExecutableGraph& executable);

// Fills what the bodies of a conditional node do in one launch.
void add_bodies(ConditionalCall& call, const ExecutableGraph& executable) {
    for (const auto& body : call.bodies) {
        call.steps.push_back(std::make_shared<Steps>());
        add_steps(*call.steps.back(), *body, executable);
    }
}

// Adds what the nodes of a graph do, one after another.
void add_steps(Steps& steps, const Graph& graph, const ExecutableGraph& executable) {
    for (const Node* node : graph.sort()) {
        if (executable.disabled.count(node) != 0) continue;
        if (const auto* child = std::get_if<ChildCall>(&node->operation)) {
            add_steps(steps, *child->graph, executable);
            continue;
        }
        Operation operation = node->operation;
        if (auto* conditional = std::get_if<ConditionalCall>(&operation))
            add_bodies(*conditional, executable);
        load_kernel(operation);
        steps.operations.push_back(std::move(operation));
    }
}

// Adds the conditions of a graph and of the graphs in it that a launch sets.
void add_assigned(std::vector<std::shared_ptr<Condition>>& conditions, const Graph& graph) {
    for (const auto& condition : graph.conditions())
        if (condition->is_assigned) conditions.push_back(condition);
    for (const auto& node : graph.nodes())
        for (const auto& nested : nested_graphs(node->operation)) add_assigned(conditions, *nested);
}

}  // namespace

// Queues the nodes, of which those without dependencies run after `before`. Adds the last jobs.
void Streams::queue_nodes(const Graph& graph, const ExecutableGraph& executable, int priority,
                          const std::vector<JobPointer>& before, std::vector<JobPointer>& ends) {
    std::map<const Node*, JobPointer> jobs;
    for (const Node* node : graph.sort()) {
        std::vector<JobPointer> predecessors;
        predecessors.reserve(node->dependencies.size());
        for (const Node* dependency : node->dependencies)
            predecessors.push_back(jobs.at(dependency));
        if (predecessors.empty()) predecessors = before;
        Operation operation = Join();
        JobPointer job;
        if (executable.disabled.count(node) == 0) operation = node->operation;
        if (const auto* child = std::get_if<ChildCall>(&operation)) {
            std::vector<JobPointer> child_ends = predecessors;
            queue_nodes(*child->graph, executable, priority, predecessors, child_ends);
            predecessors = std::move(child_ends);
            operation = Join();
        } else if (const auto* wait = std::get_if<WaitCall>(&operation)) {
            predecessors.push_back(look_up_event(wait->event).job);
        } else if (auto* conditional = std::get_if<ConditionalCall>(&operation)) {
            add_bodies(*conditional, executable);
        } else if (const auto* record = std::get_if<RecordCall>(&operation)) {
            job = record_job(look_up_event(record->event), priority);
        }
        load_kernel(operation);
        if (job == nullptr) job = std::make_shared<Job>(std::move(operation), priority);
        Scheduler::instance().submit(job, predecessors);
        jobs[node] = job;
        if (node->dependents.empty()) ends.push_back(job);
    }
}

void Streams::launch(ExecutableGraph& graph, void* handle) {
    const std::lock_guard lock(mutex_);
    Stream& stream = find(handle);
    if (stream.capture.capture != nullptr) {
        capture(stream, ChildCall{graph.graph->clone()});
        return;
    }
    check_implicit_capture(stream);
    auto before = predecessors_of(stream);
    before.push_back(graph.last);
    const int priority = stream.properties.priority;
    AssignCall assign;
    add_assigned(assign.conditions, *graph.graph);
    if (!assign.conditions.empty()) {
        const auto job = std::make_shared<Job>(std::move(assign), priority);
        Scheduler::instance().submit(job, before);
        before = {job};
    }
    auto ends = before;
    queue_nodes(*graph.graph, graph, priority, before, ends);
    Operation last = Join();
    if (graph.graph->must_outlive_launches()) last = KeepCall{graph.graph};
    append(stream, std::make_shared<Job>(std::move(last), priority), ends);
    graph.last = stream.last;
}

}  // namespace kbuild::cpu
