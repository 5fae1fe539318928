// Graphs that can be launched, and captures.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "api/graph_objects.hpp"
#include "streams/stream_table.hpp"
#include "textures/objects.hpp"

#include <algorithm>

namespace {

using namespace kbuild::cpu;

// The vendor's results of an update.
enum class Update { success = 0, topology_changed = 2, type_changed = 3 };

ExecutableGraph& find_executable(void* handle) {
    return Objects<ExecutableGraph>::instance().find(handle);
}

// Enters the nodes of a copy, by the nodes that they were copied from.
void index_nodes(ExecutableGraph& executable, const Graph& graph) {
    for (const auto& node : graph.nodes()) {
        executable.by_origin[node->origin->handle] = node.get();
        for (const auto& nested : nested_graphs(node->operation)) index_nodes(executable, *nested);
    }
}

Node& find_node(ExecutableGraph& executable, void* original) {
    const auto found = executable.by_origin.find(original);
    require(found != executable.by_origin.end(), "the executable graph does not have this node");
    return *found->second;
}

std::vector<std::size_t> numbers_of(const std::vector<Node*>& nodes, const Graph& graph) {
    std::vector<std::size_t> numbers;
    for (const Node* node : nodes)
        for (std::size_t i = 0; i < graph.nodes().size(); ++i)
            if (graph.nodes()[i].get() == node) numbers.push_back(i);
    return numbers;
}

// Compares two graphs. Sets the first node that differs.
Update compare(const Graph& ours, const Graph& theirs, Node*& different) {
    different = nullptr;
    if (ours.nodes().size() != theirs.nodes().size()) return Update::topology_changed;
    for (std::size_t i = 0; i < ours.nodes().size(); ++i) {
        const Node& a = *ours.nodes()[i];
        Node& b = *theirs.nodes()[i];
        different = &b;
        if (type_of(a) != type_of(b)) return Update::type_changed;
        if (numbers_of(a.dependencies, ours) != numbers_of(b.dependencies, theirs))
            return Update::topology_changed;
        const auto our_graphs = nested_graphs(a.operation),
                   their_graphs = nested_graphs(b.operation);
        if (our_graphs.size() != their_graphs.size()) return Update::topology_changed;
        for (std::size_t j = 0; j < our_graphs.size(); ++j) {
            const auto result = compare(*our_graphs[j], *their_graphs[j], different);
            if (result != Update::success) return result;
        }
    }
    different = nullptr;
    return Update::success;
}

void assign(ExecutableGraph& executable, Graph& ours, const Graph& theirs) {
    ours.share_conditions(theirs);
    for (std::size_t i = 0; i < ours.nodes().size(); ++i) {
        Node& node = *ours.nodes()[i];
        const Node& source = *theirs.nodes()[i];
        executable.by_origin[source.handle] = &node;
        const auto our_graphs = nested_graphs(node.operation);
        const auto their_graphs = nested_graphs(source.operation);
        for (std::size_t j = 0; j < our_graphs.size(); ++j)
            assign(executable, *our_graphs[j], *their_graphs[j]);
        if (auto* conditional = std::get_if<ConditionalCall>(&node.operation))
            conditional->condition = std::get<ConditionalCall>(source.operation).condition;
        else if (our_graphs.empty())
            node.operation = source.operation;
    }
}

// Sets the parameters of a graph's nodes to those of a graph with the same structure.
void update(ExecutableGraph& executable, Graph& ours, const Graph& theirs, kbuild_cpu_error error) {
    Node* different = nullptr;
    if (compare(ours, theirs, different) != Update::success)
        throw Failure(error, "the graphs differ in more than the parameters of their nodes");
    assign(executable, ours, theirs);
}

thread_local std::vector<void*>* capture_list = nullptr;

// Keeps handles until the thread's next call.
void* const* keep_handles(const std::vector<Node*>& nodes) {
    if (capture_list == nullptr) capture_list = new std::vector<void*>;
    capture_list->clear();
    for (const Node* node : nodes) capture_list->push_back(node->handle);
    return capture_list->data();
}

CaptureMode to_mode(int mode) {
    require(mode >= 0 && mode <= 2, "unknown mode of a capture");
    return static_cast<CaptureMode>(mode);
}

}  // namespace

int kbuild_cpu_instantiate_graph(void** handle, void* graph, unsigned long long flags) {
    return guarded_use([&] {
        require(handle != nullptr, "the address for the result is a null pointer");
        auto executable = std::make_unique<ExecutableGraph>();
        executable->graph = GraphHandles::instance().graph(graph)->clone();
        executable->graph->sort();
        for (const auto& condition : executable->graph->conditions())
            require(condition->has_node, "a handle belongs to no conditional node");
        executable->flags = flags;
        index_nodes(*executable, *executable->graph);
        *handle = Objects<ExecutableGraph>::instance().add(std::move(executable));
    });
}

// Its launches that have not ended continue. The graph owns its memory, so that they end before it.
int kbuild_cpu_destroy_executable(void* handle) {
    return guarded_use([&] {
        if (find_executable(handle).graph->has_memory()) Streams::instance().synchronize_all();
        Objects<ExecutableGraph>::instance().remove(handle);
    });
}

int kbuild_cpu_executable_flags(unsigned long long* flags, void* handle) {
    return guarded_use([&] {
        require(flags != nullptr, "the address for the result is a null pointer");
        *flags = find_executable(handle).flags;
    });
}

int kbuild_cpu_launch_graph(void* handle, void* stream) {
    const int code =
        guarded_use([&] { Streams::instance().launch(find_executable(handle), stream); });
    if (code != 0) kbuild::cpu::checks::report_refused(nullptr, code, error_message(code));
    return code;
}

int kbuild_cpu_change_executable_node(void* handle, void* original,
                                      const kbuild_cpu_node* description) {
    return guarded_use([&] {
        require(description != nullptr, "the description is a null pointer");
        auto& executable = find_executable(handle);
        Node& node = find_node(executable, original);
        require(description->node_type == type_of(node), "the node has another type");
        if (const auto* child = std::get_if<ChildCall>(&node.operation))
            update(executable, *child->graph, *GraphHandles::instance().graph(description->graph),
                   KBUILD_CPU_INVALID_VALUE);
        else
            node.operation = make_operation(*description);
    });
}

int kbuild_cpu_enable_node(void* handle, void* original, int is_enabled) {
    return guarded_use([&] {
        auto& executable = find_executable(handle);
        Node& node = find_node(executable, original);
        require(type_of(node) <= KBUILD_CPU_NODE_FILL,
                "only kernels, copies, and fills can be disabled");
        if (is_enabled != 0)
            executable.disabled.erase(&node);
        else
            executable.disabled.insert(&node);
    });
}

int kbuild_cpu_is_node_enabled(unsigned* is_enabled, void* handle, void* original) {
    return guarded_use([&] {
        require(is_enabled != nullptr, "the address for the result is a null pointer");
        auto& executable = find_executable(handle);
        *is_enabled = executable.disabled.count(&find_node(executable, original)) == 0 ? 1 : 0;
    });
}

int kbuild_cpu_update_executable(void* handle, void* graph, int* result, void** node) {
    return guarded_use([&] {
        require(result != nullptr && node != nullptr, "an argument is a null pointer");
        auto& executable = find_executable(handle);
        const auto source = GraphHandles::instance().graph(graph);
        Node* different = nullptr;
        *result = static_cast<int>(compare(*executable.graph, *source, different));
        *node = different == nullptr ? nullptr : different->handle;
        update(executable, *executable.graph, *source, KBUILD_CPU_GRAPH_UPDATE_FAILURE);
    });
}

int kbuild_cpu_begin_capture(void* stream, int mode) {
    return guarded_use([&] {
        Streams::instance().begin_capture(stream, std::make_shared<Graph>(), {}, to_mode(mode));
    });
}

int kbuild_cpu_begin_capture_to(void* stream, void* graph, void* const* dependencies,
                                std::size_t count, int mode) {
    return guarded_use([&] {
        Streams::instance().begin_capture(stream, GraphHandles::instance().graph(graph),
                                          find_nodes(dependencies, count), to_mode(mode));
    });
}

int kbuild_cpu_end_capture(void* stream, void** graph) {
    return guarded_use([&] {
        if (graph != nullptr) *graph = nullptr;
        const auto captured = Streams::instance().end_capture(stream);
        if (graph != nullptr) *graph = captured->is_body ? captured->handle : own_graph(captured);
    });
}

int kbuild_cpu_describe_capture(kbuild_cpu_capture* capture, void* stream) {
    return guarded_use([&] {
        require(capture != nullptr, "the address for the result is a null pointer");
        const auto point = Streams::instance().find_capture(stream);
        *capture = {};
        if (point.capture == nullptr) return;
        auto& graph = *point.capture->graph;
        if (graph.handle == nullptr)
            graph.handle = GraphHandles::instance().add_graph(point.capture->graph);
        *capture = {point.capture->is_invalid ? 2 : 1, point.capture->id, graph.handle,
                    keep_handles(point.dependencies), point.dependencies.size()};
    });
}

int kbuild_cpu_change_capture(void* stream, void* const* dependencies, std::size_t count,
                              int adds) {
    return guarded_use([&] {
        Streams::instance().set_capture_dependencies(stream, find_nodes(dependencies, count),
                                                     adds != 0);
    });
}

int kbuild_cpu_exchange_capture_mode(int* mode) {
    return guarded([&] {
        require(mode != nullptr, "the mode is a null pointer");
        *mode = static_cast<int>(Streams::instance().exchange_capture_mode(to_mode(*mode)));
    });
}
