// Graphs and their nodes.
#include "fork_safe_mutex.hpp"
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "api/graph_objects.hpp"
#include "api/kernel_calls.hpp"
#include "memory/copies.hpp"
#include "memory/pools.hpp"
#include "streams/stream_table.hpp"

#include <cstdio>
#include <map>
#include <mutex>

namespace kbuild::cpu {
namespace {

// Never freed, because programs destroy graphs in atexit handlers, too.
struct OwnedGraphs {
    ForkSafeMutex mutex{LockRank::owned_graphs};
    std::map<void*, std::shared_ptr<Graph>> graphs;
};

OwnedGraphs& owned_graphs() {
    static auto* const owned = new OwnedGraphs;
    return *owned;
}

Operation make_copy(const kbuild_cpu_area_copy& area) {
    check_copy(area);
    return CopyCall{area, nullptr};
}

Operation make_fill(const kbuild_cpu_area_fill& area, unsigned element_bytes) {
    require(element_bytes == 1 || element_bytes == 2 || element_bytes == 4,
            "the size of an element must be 1, 2, or 4 bytes");
    check_fill(area);
    return FillCall{area, element_bytes};
}

// A kernel knows one condition, which copies of its graph would share.
void forbid_conditions(const Graph& graph) {
    for (const auto& node : graph.nodes())
        if (std::holds_alternative<ConditionalCall>(node->operation))
            throw Failure(KBUILD_CPU_NOT_SUPPORTED,
                          "a graph with conditional nodes cannot be copied");
}

struct Describer {
    kbuild_cpu_node& to;

    void operator()(const Join&) const {}
    void operator()(const KernelCall& call) const {
        to.handle = call.handle;
        to.configuration = call.config;
        to.argument_list = call.arguments.pointers();
    }
    void operator()(const CopyCall& call) const { to.copy = call.area; }
    void operator()(const FillCall& call) const {
        to.fill = call.area;
        to.element_bytes = call.element_bytes;
    }
    void operator()(const HostCall& call) const {
        to.function = call.function;
        to.data = call.data;
    }
    void operator()(const CallbackCall&) const {}
    void operator()(const RecordCall& call) const { to.event = call.event; }
    void operator()(const WaitCall& call) const { to.event = call.event; }
    void operator()(const AllocateCall& call) const {
        to.memory = call.memory->pointer();
        to.memory_size = call.memory->bytes();
    }
    void operator()(const ReleaseCall& call) const { to.memory = call.pointer; }
    void operator()(const ChildCall& call) const { to.graph = call.graph->handle; }
    void operator()(const ConditionalCall&) const {}
    void operator()(const AssignCall&) const {}
    void operator()(const KeepCall&) const {}
};

}  // namespace

void* own_graph(const std::shared_ptr<Graph>& graph) {
    if (graph->handle == nullptr) graph->handle = GraphHandles::instance().add_graph(graph);
    auto& owned = owned_graphs();
    const std::lock_guard lock(owned.mutex);
    owned.graphs[graph->handle] = graph;
    return graph->handle;
}

void disown_graph(void* handle) {
    std::shared_ptr<Graph> graph;  // destroyed without the lock
    auto& owned = owned_graphs();
    const std::lock_guard lock(owned.mutex);
    const auto found = owned.graphs.find(handle);
    require(found != owned.graphs.end(), "the graph does not exist or was destroyed");
    graph = std::move(found->second);
    owned.graphs.erase(found);
}

std::vector<Node*> find_nodes(void* const* handles, std::size_t count) {
    require(handles != nullptr || count == 0, "the list of nodes is a null pointer");
    std::vector<Node*> nodes;
    nodes.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
        nodes.push_back(&GraphHandles::instance().node(handles[i]));
    return nodes;
}

Operation make_operation(const kbuild_cpu_node& description) {
    switch (description.node_type) {
    case KBUILD_CPU_NODE_KERNEL: {
        auto call = make_kernel_call(description.handle, description.configuration,
                                     description.argument_list, SharedLimit::kernel, false);
        call.use.reset();  // a graph does not keep its kernels loaded
        return call;
    }
    case KBUILD_CPU_NODE_COPY: return make_copy(description.copy);
    case KBUILD_CPU_NODE_FILL: return make_fill(description.fill, description.element_bytes);
    case KBUILD_CPU_NODE_HOST:
        require(description.function != nullptr, "the function is a null pointer");
        return HostCall{description.function, description.data};
    case KBUILD_CPU_NODE_GRAPH: {
        const auto child = GraphHandles::instance().graph(description.graph);
        forbid_conditions(*child);
        return ChildCall{child->clone()};
    }
    case KBUILD_CPU_NODE_EMPTY: return Join();
    case KBUILD_CPU_NODE_WAIT:
        Streams::instance().find_event(description.event);
        return WaitCall{description.event};
    case KBUILD_CPU_NODE_RECORD:
        Streams::instance().find_event(description.event);
        return RecordCall{nullptr, description.event};
    case KBUILD_CPU_NODE_ALLOCATE:
        return AllocateCall{std::make_shared<GraphMemory>(description.memory_size)};
    case KBUILD_CPU_NODE_RELEASE:
        require(GraphMemory::contains(description.memory),
                "a graph can only free memory that a graph has allocated");
        return ReleaseCall{description.memory, nullptr};
    default:
        throw Failure(KBUILD_CPU_NOT_SUPPORTED, "the cpu backend does not support nodes of type " +
                                                    std::to_string(description.node_type));
    }
}

kbuild_cpu_node describe(const Node& node) {
    kbuild_cpu_node description = {};
    description.node_type = type_of(node);
    std::visit(Describer{description}, static_cast<const AnyCall&>(node.operation));
    return description;
}

void list_nodes(const std::vector<Node*>& nodes, void** list, std::size_t* count) {
    require(count != nullptr, "the number of nodes is a null pointer");
    for (std::size_t i = 0; list != nullptr && i < *count; ++i)
        list[i] = i < nodes.size() ? nodes[i]->handle : nullptr;
    if (list == nullptr || nodes.size() < *count) *count = nodes.size();
}

}  // namespace kbuild::cpu

namespace {

using namespace kbuild::cpu;

constexpr const char* node_names[] = {
    "KERNEL",       "MEMCPY", "MEMSET", "HOST",      "CHILD_GRAPH", "EMPTY", "EVENT_WAIT",
    "EVENT_RECORD", "",       "",       "MEM_ALLOC", "MEM_FREE",    "",      "CONDITIONAL"};

std::vector<Node*> select_nodes(const Graph& graph, bool only_roots) {
    std::vector<Node*> nodes;
    for (const auto& node : graph.nodes())
        if (!only_roots || node->dependencies.empty()) nodes.push_back(node.get());
    return nodes;
}

void print(const Graph& graph, std::FILE* file) {
    std::fprintf(file, "digraph graph {\n");
    for (const auto& node : graph.nodes()) {
        const auto* const kernel = std::get_if<KernelCall>(&node->operation);
        const std::string detail =
            kernel == nullptr ? "" : std::string("\\n") + KernelUse(kernel->handle).kernel().name;
        std::fprintf(file, "  node_%u [label=\"%u %s%s\"];\n", node->number, node->number,
                     node_names[type_of(*node)], detail.c_str());
    }
    for (const auto& node : graph.nodes())
        for (const Node* dependency : node->dependencies)
            std::fprintf(file, "  node_%u -> node_%u;\n", dependency->number, node->number);
    std::fprintf(file, "}\n");
}

}  // namespace

int kbuild_cpu_create_graph(void** graph) {
    return guarded_use([&] {
        require(graph != nullptr, "the address for the result is a null pointer");
        *graph = own_graph(std::make_shared<Graph>());
    });
}

int kbuild_cpu_destroy_graph(void* graph) {
    return guarded_use([&] {
        if (GraphHandles::instance().graph(graph)->has_memory())
            Streams::instance().synchronize_all();
        disown_graph(graph);
    });
}

int kbuild_cpu_clone_graph(void** clone, void* graph) {
    return guarded_use([&] {
        require(clone != nullptr, "the address for the result is a null pointer");
        const auto original = GraphHandles::instance().graph(graph);
        forbid_conditions(*original);
        *clone = own_graph(original->clone());
    });
}

int kbuild_cpu_add_node(void** node, void* graph, void* const* dependencies, std::size_t count,
                        kbuild_cpu_node* description) {
    return guarded_use([&] {
        require(node != nullptr && description != nullptr, "an argument is a null pointer");
        const auto found = GraphHandles::instance().graph(graph);
        const auto nodes = find_nodes(dependencies, count);
        for (const Node* dependency : nodes)
            require(dependency->graph == found.get(), "a node depends on a node of another graph");
        Node& added = found->add(make_operation(*description), nodes);
        if (description->node_type == KBUILD_CPU_NODE_ALLOCATE)
            description->memory = describe(added).memory;
        *node = added.handle;
    });
}

int kbuild_cpu_describe_node(kbuild_cpu_node* description, void* node) {
    return guarded_use([&] {
        require(description != nullptr, "the address for the result is a null pointer");
        *description = describe(GraphHandles::instance().node(node));
    });
}

int kbuild_cpu_change_node(void* handle, const kbuild_cpu_node* description) {
    return guarded_use([&] {
        require(description != nullptr, "the description is a null pointer");
        Node& node = GraphHandles::instance().node(handle);
        require(description->node_type == type_of(node), "the node has another type");
        node.operation = make_operation(*description);
    });
}

int kbuild_cpu_destroy_node(void* handle) {
    return guarded_use([&] {
        Node& node = GraphHandles::instance().node(handle);
        node.graph->remove(node);
    });
}

int kbuild_cpu_find_in_clone(void** node, void* original, void* clone) {
    return guarded_use([&] {
        require(node != nullptr, "the address for the result is a null pointer");
        const Node& wanted = GraphHandles::instance().node(original);
        for (const auto& candidate : GraphHandles::instance().graph(clone)->nodes())
            if (candidate->origin == &wanted) {
                *node = candidate->handle;
                return;
            }
        throw Failure(KBUILD_CPU_INVALID_VALUE, "the graph is not a copy of the node's graph");
    });
}

int kbuild_cpu_graph_nodes(void** nodes, std::size_t* count, void* graph, int only_roots) {
    return guarded_use([&] {
        list_nodes(select_nodes(*GraphHandles::instance().graph(graph), only_roots != 0), nodes,
                   count);
    });
}

int kbuild_cpu_graph_edges(void** from, void** to, std::size_t* count, void* graph) {
    return guarded_use([&] {
        require((from == nullptr) == (to == nullptr), "only one of two lists is a null pointer");
        require(count != nullptr, "the number of edges is a null pointer");
        std::vector<Node*> starts, ends;
        for (const auto& node : GraphHandles::instance().graph(graph)->nodes())
            for (Node* dependent : node->dependents) {
                starts.push_back(node.get());
                ends.push_back(dependent);
            }
        std::size_t capacity = *count;
        list_nodes(starts, from, &capacity);
        list_nodes(ends, to, count);
    });
}

int kbuild_cpu_node_neighbors(void** nodes, std::size_t* count, void* handle, int are_dependents) {
    return guarded_use([&] {
        const Node& node = GraphHandles::instance().node(handle);
        list_nodes(are_dependents != 0 ? node.dependents : node.dependencies, nodes, count);
    });
}

int kbuild_cpu_change_edges(void* handle, void* const* from, void* const* to, std::size_t count,
                            int adds) {
    return guarded_use([&] {
        const auto graph = GraphHandles::instance().graph(handle);
        const auto starts = find_nodes(from, count);
        const auto ends = find_nodes(to, count);
        for (std::size_t i = 0; i < count; ++i) {
            require(starts[i]->graph == graph.get(), "a node is in another graph");
            if (adds != 0)
                connect(*starts[i], *ends[i]);
            else
                disconnect(*starts[i], *ends[i]);
        }
    });
}

int kbuild_cpu_print_graph(void* handle, const char* path) {
    return guarded_use([&] {
        require(path != nullptr, "the path is a null pointer");
        const auto graph = GraphHandles::instance().graph(handle);
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "w"),
                                                                   &std::fclose);
        require(file != nullptr, "the file cannot be written");
        print(*graph, file.get());
    });
}
