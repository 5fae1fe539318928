// Graphs: operations, and what each of them waits for.
#ifndef KBUILD_CPU_STREAMS_GRAPH_HPP
#define KBUILD_CPU_STREAMS_GRAPH_HPP

#include "fork_safe_mutex.hpp"
#include "streams/operation.hpp"
#include "streams/scheduler.hpp"
#include "streams/user_objects.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace kbuild::cpu {

class Graph;

struct Node {
    Operation operation;
    std::vector<Node*> dependencies;
    std::vector<Node*> dependents;
    Graph* graph = nullptr;
    Node* origin = nullptr;  // in a copy, the node that was copied
    void* handle = nullptr;
    unsigned number = 0;  // in the order of creation
};

// Returns the vendor's number of the node's type.
int type_of(const Node& node);

// Returns the graphs inside a node: a child, or the bodies of a conditional node.
std::vector<std::shared_ptr<Graph>> nested_graphs(const Operation& operation);

class Graph {
public:
    Graph() = default;
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph();

    Node& add(Operation operation, const std::vector<Node*>& dependencies);
    void remove(Node& node);

    // Returns a copy. Its nodes have handles, too.
    std::shared_ptr<Graph> clone() const;

    // Returns the nodes so that each one comes after those that it waits for. Throws Failure if
    // they wait for each other.
    std::vector<Node*> sort() const;

    const std::vector<std::unique_ptr<Node>>& nodes() const { return nodes_; }
    bool has_memory() const;

    // Returns whether launches refer to the graph: kernels to its conditions, or programs to its
    // objects.
    bool must_outlive_launches() const;

    // Creates a condition for a conditional node of this graph, and returns its handle.
    unsigned long long add_condition(unsigned initial, bool is_assigned);
    std::shared_ptr<Condition> find_condition(unsigned long long handle) const;
    const std::vector<std::shared_ptr<Condition>>& conditions() const { return conditions_; }
    void share_conditions(const Graph& other) { conditions_ = other.conditions_; }

    void* handle = nullptr;       // null if the program cannot name the graph
    bool is_body = false;         // whether it is inside a conditional node
    std::weak_ptr<Graph> parent;  // of a body: its node can use conditions of this graph, too
    UserObjectReferences user_objects;

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    void check_body(const Operation& operation) const;
    std::vector<std::shared_ptr<Condition>> conditions_;  // copies of the graph have the same ones
    unsigned created_ = 0;
};

// Throws Failure if the edge exists or connects different graphs.
void connect(Node& from, Node& to);
void disconnect(Node& from, Node& to);

// The graphs that programs can name, and their nodes. A handle is an address in neither heap nor
// stack, so that a program that uses a destroyed handle gets an error. The functions throw Failure.
class GraphHandles {
public:
    static GraphHandles& instance();

    void* add_graph(std::weak_ptr<Graph> graph);
    void* add_node(Node* node);
    void forget(void* handle);
    std::shared_ptr<Graph> graph(void* handle);
    Node& node(void* handle);

private:
    ForkSafeMutex mutex_{LockRank::graph_handles};
    std::uintptr_t last_handle_ = 0;
    std::map<void*, std::weak_ptr<Graph>> graphs_;
    std::map<void*, Node*> nodes_;
};

// A graph that can be launched.
struct ExecutableGraph {
    static constexpr const char* what = "executable graph";
    std::shared_ptr<Graph> graph;
    std::set<const Node*> disabled;
    std::map<void*, Node*> by_origin;  // the nodes by the handle of the node they were copied from
    unsigned long long flags = 0;
    JobPointer last;  // two launches do not run at the same time
};

}  // namespace kbuild::cpu

#endif
