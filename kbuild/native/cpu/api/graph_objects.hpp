// The graphs that the program owns, and the operations that descriptions of nodes mean.
#ifndef KBUILD_CPU_API_GRAPH_OBJECTS_HPP
#define KBUILD_CPU_API_GRAPH_OBJECTS_HPP

#include "streams/graph.hpp"

#include <kbuild/cpu_runtime.h>

#include <memory>
#include <vector>

namespace kbuild::cpu {

// Makes the program the owner of a graph, and returns the graph's handle.
void* own_graph(const std::shared_ptr<Graph>& graph);

// Throws Failure if the program does not own the graph.
void disown_graph(void* graph);

std::vector<Node*> find_nodes(void* const* handles, std::size_t count);

// Throws Failure if the description is invalid.
Operation make_operation(const kbuild_cpu_node& description);

// Fills what the node's type has.
kbuild_cpu_node describe(const Node& node);

// Copies handles of nodes to a list with a capacity. Sets the rest of the list to null.
void list_nodes(const std::vector<Node*>& nodes, void** list, std::size_t* count);

}  // namespace kbuild::cpu

#endif
