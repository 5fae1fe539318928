// What a stream or a graph does: one kind of value for launches, copies, fills, host functions,
// events, and memory.
#ifndef KBUILD_CPU_STREAMS_OPERATION_HPP
#define KBUILD_CPU_STREAMS_OPERATION_HPP

#include "registry.hpp"

#include <kbuild/cpu_runtime.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace kbuild::cpu {

// Does nothing, but comes before and after other operations.
struct Join {};

// The arguments of a launch.
class Arguments {
public:
    Arguments() = default;

    // Refers to arguments that exist until the operation has run.
    explicit Arguments(void* const* borrowed) : pointers_(borrowed) {}

    // Copies the arguments.
    Arguments(const kbuild_cpu_kernel& kernel, void* const* arguments);

    void* const* pointers() const { return pointers_; }

private:
    std::shared_ptr<char> storage_;  // immutable, and shared by copies of the operation
    void* const* pointers_ = nullptr;
};

// A launch that was checked. Only a queued launch keeps its kernel loaded: a graph that the program
// never destroys must not do that.
struct KernelCall {
    KernelCall(const void* handle, const kbuild_launch_config& config, Arguments arguments)
        : handle(handle), config(config), arguments(std::move(arguments)) {}
    KernelCall(const KernelCall& other) : KernelCall(other.handle, other.config, other.arguments) {}
    KernelCall(KernelCall&&) = default;
    KernelCall& operator=(const KernelCall& other) { return *this = KernelCall(other); }
    KernelCall& operator=(KernelCall&&) = default;

    const void* handle;
    kbuild_launch_config config;
    Arguments arguments;
    std::optional<KernelUse> use;
};

struct CopyCall {
    kbuild_cpu_area_copy area;
    std::shared_ptr<char> staged;  // the source, if the program can change the original one
};

struct FillCall {
    kbuild_cpu_area_fill area;
    unsigned element_bytes;
};

struct HostCall {
    void (*function)(void*);
    void* data;
};

// Runs even if the device is broken, and receives the error.
struct CallbackCall {
    void (*function)(void*, int, void*);
    void* stream;
    void* data;
};

// When an event was recorded, in nanoseconds; 0 if it was not.
struct Moment {
    std::atomic<std::int64_t> time{0};
};

struct RecordCall {
    std::shared_ptr<Moment> moment;
    void* event;  // in graphs, the event that each launch records
};

// Only in graphs: waits for what the event was recorded after.
struct WaitCall {
    void* event;
};

// Memory that exists as long as the graphs that allocate it.
class GraphMemory;
struct AllocateCall {
    std::shared_ptr<GraphMemory> memory;
};

struct ReleaseCall {
    void* pointer;
    void (*release)(void*);  // null in graphs, which own their memory
};

class Graph;
struct ChildCall {
    std::shared_ptr<Graph> graph;
};

// The value that decides what a conditional node runs. Kernels write it.
struct Condition {
    std::atomic<unsigned> value;
    unsigned initial;
    bool is_assigned;  // whether each launch of the graph starts with the initial value
    bool has_node = false;

    unsigned long long handle() const { return reinterpret_cast<std::uintptr_t>(&value); }
};
static_assert(sizeof(std::atomic<unsigned>) == sizeof(unsigned));

// The vendor's numbers.
enum class ConditionalKind { if_else = 0, loop = 1, choice = 2 };

// What a graph inside a conditional node does, one after another.
struct Steps;

struct ConditionalCall {
    std::shared_ptr<Condition> condition;
    ConditionalKind kind;
    std::vector<std::shared_ptr<Graph>> bodies;
    std::vector<void*> handles;                 // of the bodies
    std::vector<std::shared_ptr<Steps>> steps;  // of each body; only in a launch
};

// Only in launches of graphs: the conditions that start with their initial value.
struct AssignCall {
    std::vector<std::shared_ptr<Condition>> conditions;
};

// Only in launches of graphs: keeps the graph until the launch is done.
struct KeepCall {
    std::shared_ptr<Graph> graph;
};

using AnyCall =
    std::variant<Join, KernelCall, CopyCall, FillCall, HostCall, CallbackCall, RecordCall, WaitCall,
                 AllocateCall, ReleaseCall, ChildCall, ConditionalCall, AssignCall, KeepCall>;

// A variant whose functions are compiled once, and not in each source that copies or moves one.
class Operation : public AnyCall {
public:
    template <typename Call,
              typename = std::enable_if_t<!std::is_base_of_v<AnyCall, std::decay_t<Call>>>>
    Operation(Call&& call)
        : AnyCall(std::in_place_type<std::decay_t<Call>>, std::forward<Call>(call)) {}
    Operation() = default;  // a Join
    Operation(const Operation& other);
    Operation(Operation&& other) noexcept;
    Operation& operator=(const Operation& other);
    Operation& operator=(Operation&& other) noexcept;
    ~Operation();
};

struct Steps {
    std::vector<Operation> operations;
};

// Throws Failure. Host functions run even if another thread waits for the same stream.
void run(Operation& operation);

// Returns whether the operation takes no time, so that any thread can run it at once.
inline bool is_momentary(const Operation& operation) {
    return std::holds_alternative<Join>(operation) ||
           std::holds_alternative<RecordCall>(operation) ||
           std::holds_alternative<AssignCall>(operation);
}

// Keeps a kernel loaded that is about to be queued. Throws Failure if it does not exist anymore.
void load_kernel(Operation& operation);

}  // namespace kbuild::cpu

#endif
