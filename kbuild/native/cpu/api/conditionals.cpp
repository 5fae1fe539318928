// Conditional nodes of graphs, and objects that graphs keep.
#include "api/exported.hpp"

#include "api/errors.hpp"
#include "api/graph_objects.hpp"

namespace {

using namespace kbuild::cpu;

constexpr unsigned most_bodies[] = {2, 1, ~0u};  // by kind

ConditionalKind to_kind(int kind, unsigned body_count) {
    require(kind >= 0 && kind <= 2, "unknown kind of a conditional node");
    require(body_count >= 1 && body_count <= most_bodies[kind],
            "a conditional node has 1 or 2 graphs for an IF, and 1 graph for a WHILE");
    return static_cast<ConditionalKind>(kind);
}

}  // namespace

int kbuild_cpu_create_condition(unsigned long long* handle, void* graph, unsigned value,
                                int is_assigned) {
    return guarded_use([&] {
        require(handle != nullptr, "the address for the result is a null pointer");
        *handle = GraphHandles::instance().graph(graph)->add_condition(value, is_assigned != 0);
    });
}

int kbuild_cpu_add_conditional_node(void** node, void* handle, void* const* dependencies,
                                    std::size_t count, unsigned long long condition, int kind,
                                    unsigned body_count, void* const** bodies) {
    return guarded_use([&] {
        require(node != nullptr && bodies != nullptr, "an argument is a null pointer");
        const auto graph = GraphHandles::instance().graph(handle);
        ConditionalCall call{
            graph->find_condition(condition), to_kind(kind, body_count), {}, {}, {}};
        require(!call.condition->has_node, "the handle belongs to another conditional node");
        for (unsigned i = 0; i < body_count; ++i) {
            call.bodies.push_back(std::make_shared<Graph>());
            call.bodies.back()->is_body = true;
            call.bodies.back()->parent = graph;
        }
        Node& added = graph->add(std::move(call), find_nodes(dependencies, count));
        const auto& made = std::get<ConditionalCall>(added.operation);
        made.condition->has_node = true;
        *node = added.handle;
        *bodies = made.handles.data();
    });
}

int kbuild_cpu_create_user_object(void** object, void (*destroy)(void*), void* data,
                                  unsigned count) {
    return guarded_use([&] {
        require(object != nullptr, "the address for the result is a null pointer");
        *object = UserObjects::instance().create(destroy, data, count);
    });
}

int kbuild_cpu_retain_user_object(void* object, unsigned count) {
    return guarded_use([&] { UserObjects::instance().retain(object, count); });
}

int kbuild_cpu_release_user_object(void* object, unsigned count) {
    return guarded_use([&] { UserObjects::instance().release(object, count); });
}

int kbuild_cpu_retain_in_graph(void* handle, void* object, unsigned count, int moves) {
    return guarded_use([&] {
        const auto graph = GraphHandles::instance().graph(handle);
        const auto found = UserObjects::instance().find(object);
        if (moves != 0) UserObjects::instance().release(object, count);
        graph->user_objects.add(object, found, count);
    });
}

int kbuild_cpu_release_in_graph(void* handle, void* object, unsigned count) {
    return guarded_use([&] {
        const auto graph = GraphHandles::instance().graph(handle);
        const auto kept = graph->user_objects.find(object);  // destroyed at the end
        graph->user_objects.remove(object, count);
    });
}
