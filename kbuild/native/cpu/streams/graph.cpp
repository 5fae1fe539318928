#include "streams/graph.hpp"

#include "api/errors.hpp"

#include <algorithm>
#include <map>

namespace kbuild::cpu {
namespace {

// The vendor's numbers.
struct TypeNumber {
    int operator()(const Join&) const { return 5; }
    int operator()(const KernelCall&) const { return 0; }
    int operator()(const CopyCall&) const { return 1; }
    int operator()(const FillCall&) const { return 2; }
    int operator()(const HostCall&) const { return 3; }
    int operator()(const CallbackCall&) const { return 3; }
    int operator()(const RecordCall&) const { return 7; }
    int operator()(const WaitCall&) const { return 6; }
    int operator()(const AllocateCall&) const { return 10; }
    int operator()(const ReleaseCall&) const { return 11; }
    int operator()(const ChildCall&) const { return 4; }
    int operator()(const ConditionalCall&) const { return 13; }
    int operator()(const AssignCall&) const { return 5; }
    int operator()(const KeepCall&) const { return 5; }
};

template <class T>
void erase(std::vector<T>& values, T value) {
    values.erase(std::remove(values.begin(), values.end(), value), values.end());
}

bool contains(const std::vector<Node*>& nodes, const Node* node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

// Also copies the graphs of a node that contains graphs.
Operation copy_operation(const Operation& operation) {
    if (const auto* child = std::get_if<ChildCall>(&operation))
        return ChildCall{child->graph->clone()};
    if (const auto* conditional = std::get_if<ConditionalCall>(&operation)) {
        ConditionalCall copy = *conditional;
        for (auto& body : copy.bodies) body = body->clone();
        return copy;
    }
    return operation;
}

}  // namespace

int type_of(const Node& node) {
    return std::visit(TypeNumber(), static_cast<const AnyCall&>(node.operation));
}

std::vector<std::shared_ptr<Graph>> nested_graphs(const Operation& operation) {
    if (const auto* child = std::get_if<ChildCall>(&operation)) return {child->graph};
    if (const auto* conditional = std::get_if<ConditionalCall>(&operation))
        return conditional->bodies;
    return {};
}

Graph::~Graph() {
    GraphHandles::instance().forget(handle);
    for (const auto& node : nodes_) GraphHandles::instance().forget(node->handle);
}

Node& Graph::add(Operation operation, const std::vector<Node*>& dependencies) {
    auto node = std::make_unique<Node>();
    check_body(operation);
    node->operation = std::move(operation);
    // A graph does not keep its kernels loaded: a program that ends without destroying it would wait.
    if (auto* call = std::get_if<KernelCall>(&node->operation)) call->use.reset();
    node->graph = this;
    node->number = created_++;
    node->handle = GraphHandles::instance().add_node(node.get());
    for (const auto& nested : nested_graphs(node->operation))
        nested->handle = GraphHandles::instance().add_graph(nested);
    if (auto* conditional = std::get_if<ConditionalCall>(&node->operation)) {
        conditional->handles.clear();
        for (const auto& body : conditional->bodies) conditional->handles.push_back(body->handle);
    }
    nodes_.push_back(std::move(node));
    Node& added = *nodes_.back();
    for (Node* dependency : dependencies) {
        require(dependency->graph == this, "a node depends on a node of another graph");
        if (!contains(added.dependencies, dependency)) connect(*dependency, added);
    }
    return added;
}

void Graph::remove(Node& node) {
    for (Node* other : node.dependencies) erase(other->dependents, &node);
    for (Node* other : node.dependents) erase(other->dependencies, &node);
    GraphHandles::instance().forget(node.handle);
    nodes_.erase(std::find_if(nodes_.begin(), nodes_.end(),
                              [&](const auto& owned) { return owned.get() == &node; }));
}

std::shared_ptr<Graph> Graph::clone() const {
    auto copy = std::make_shared<Graph>();
    copy->is_body = is_body;
    copy->share_conditions(*this);
    copy->user_objects = user_objects;
    std::map<const Node*, Node*> copies;
    for (const auto& node : nodes_) {
        Node& added = copy->add(copy_operation(node->operation), {});
        added.origin = node.get();
        copies[node.get()] = &added;
    }
    for (const auto& node : nodes_)
        for (const Node* dependency : node->dependencies)
            connect(*copies.at(dependency), *copies.at(node.get()));
    return copy;
}

std::vector<Node*> Graph::sort() const {
    std::map<const Node*, std::size_t> missing;
    std::vector<Node*> sorted;
    for (const auto& node : nodes_) {
        missing[node.get()] = node->dependencies.size();
        if (node->dependencies.empty()) sorted.push_back(node.get());
    }
    for (std::size_t i = 0; i < sorted.size(); ++i)
        for (Node* dependent : sorted[i]->dependents)
            if (--missing[dependent] == 0) sorted.push_back(dependent);
    require(sorted.size() == nodes_.size(), "the nodes of the graph wait for each other");
    return sorted;
}

bool Graph::has_memory() const {
    return std::any_of(nodes_.begin(), nodes_.end(), [](const auto& node) {
        return std::holds_alternative<AllocateCall>(node->operation) ||
               std::holds_alternative<ReleaseCall>(node->operation);
    });
}

bool Graph::must_outlive_launches() const {
    if (!conditions_.empty() || !user_objects.is_empty()) return true;
    for (const auto& node : nodes_)
        for (const auto& nested : nested_graphs(node->operation))
            if (nested->must_outlive_launches()) return true;
    return false;
}

unsigned long long Graph::add_condition(unsigned initial, bool is_assigned) {
    conditions_.push_back(std::make_shared<Condition>());
    Condition& condition = *conditions_.back();
    condition.value = condition.initial = initial;
    condition.is_assigned = is_assigned;
    return condition.handle();
}

std::shared_ptr<Condition> Graph::find_condition(unsigned long long handle) const {
    for (const auto& condition : conditions_)
        if (condition->handle() == handle) return condition;
    const auto outer = parent.lock();
    require(outer != nullptr, "the handle does not belong to the graph");
    return outer->find_condition(handle);
}

// The bodies of conditional nodes contain only what needs no other thread of the program.
void Graph::check_body(const Operation& operation) const {
    if (!is_body) return;
    for (const auto& nested : nested_graphs(operation)) {
        nested->is_body = true;
        for (const auto& node : nested->nodes_) nested->check_body(node->operation);
    }
    const bool is_allowed = std::holds_alternative<Join>(operation) ||
                            std::holds_alternative<KernelCall>(operation) ||
                            std::holds_alternative<CopyCall>(operation) ||
                            std::holds_alternative<FillCall>(operation) ||
                            std::holds_alternative<ChildCall>(operation) ||
                            std::holds_alternative<ConditionalCall>(operation);
    if (!is_allowed)
        throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                      "the graph of a conditional node contains only kernels, copies, fills, "
                      "graphs, and conditional nodes");
}

void connect(Node& from, Node& to) {
    require(from.graph == to.graph && &from != &to, "the nodes are not in the same graph");
    require(!contains(to.dependencies, &from), "the nodes are already connected");
    from.dependents.push_back(&to);
    to.dependencies.push_back(&from);
}

void disconnect(Node& from, Node& to) {
    require(contains(to.dependencies, &from), "the nodes are not connected");
    erase(from.dependents, &to);
    erase(to.dependencies, &from);
}

GraphHandles& GraphHandles::instance() {
    static auto* const handles = new GraphHandles;  // graphs can be destroyed in atexit handlers
    return *handles;
}

void* GraphHandles::add_graph(std::weak_ptr<Graph> graph) {
    const std::lock_guard lock(mutex_);
    last_handle_ += 16;
    graphs_[reinterpret_cast<void*>(last_handle_)] = std::move(graph);
    return reinterpret_cast<void*>(last_handle_);
}

void* GraphHandles::add_node(Node* node) {
    const std::lock_guard lock(mutex_);
    last_handle_ += 16;
    nodes_[reinterpret_cast<void*>(last_handle_)] = node;
    return reinterpret_cast<void*>(last_handle_);
}

void GraphHandles::forget(void* handle) {
    const std::lock_guard lock(mutex_);
    graphs_.erase(handle);
    nodes_.erase(handle);
}

std::shared_ptr<Graph> GraphHandles::graph(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = graphs_.find(handle);
    auto graph = found == graphs_.end() ? nullptr : found->second.lock();
    require(graph != nullptr, "the graph does not exist or was destroyed");
    return graph;
}

Node& GraphHandles::node(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = nodes_.find(handle);
    require(found != nodes_.end(), "the node does not exist or was destroyed");
    return *found->second;
}

}  // namespace kbuild::cpu
