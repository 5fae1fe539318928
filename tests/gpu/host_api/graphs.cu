// Uses conditional nodes, nodes of any type, user objects, and attributes of nodes, and prints what
// happened. The output, graphs.txt, is that of CUDA 13.0 on an H100. The runtime of the CPU backend
// prints the same.
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#define DO(call)                                                                              \
    do {                                                                                      \
        const cudaError_t code = call;                                                        \
        if (code != cudaSuccess) {                                                            \
            std::printf("%d: %s failed: %s\n", __LINE__, #call, cudaGetErrorName(code));      \
            std::exit(1);                                                                     \
        }                                                                                     \
    } while (false)

// Prints the result of a call, and forgets the error.
#define SHOW(call)                                                        \
    do {                                                                  \
        std::printf("%s: %s\n", #call, cudaGetErrorName(call));           \
        (void)cudaGetLastError();                                         \
    } while (false)

__device__ int table[4];

__global__ void decide(const int* value, cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, *value);
}

__global__ void add(int* value, int step) { *value += step; }

// Counts down, and writes whether the count is odd.
__global__ void count_down(int* count, cudaGraphConditionalHandle more,
                           cudaGraphConditionalHandle is_odd) {
    --*count;
    cudaGraphSetConditional(more, *count > 0);
    cudaGraphSetConditional(is_odd, *count % 2);
}

struct Memory {
    int* device;
    int* host;
};

static Memory allocate() {
    Memory memory = {};
    DO(cudaMalloc(&memory.device, 4 * sizeof(int)));
    DO(cudaMemset(memory.device, 0, 4 * sizeof(int)));
    DO(cudaMallocHost(&memory.host, 4 * sizeof(int)));
    return memory;
}

static void release(const Memory& memory) {
    DO(cudaFree(memory.device));
    DO(cudaFreeHost(memory.host));
}

static void set(int* device, int value) {
    DO(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
}

static int get(const int* device) {
    int value = 0;
    DO(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static cudaGraphNodeParams kernel_node(void* kernel, void** arguments) {
    cudaGraphNodeParams node = {cudaGraphNodeTypeKernel};
    node.kernel.func = kernel;
    node.kernel.gridDim = dim3(1);
    node.kernel.blockDim = dim3(1);
    node.kernel.kernelParams = arguments;
    return node;
}

// Adds a kernel that adds a step to a value.
static cudaGraphNode_t add_step(cudaGraph_t graph, cudaGraphNode_t* after, int* value, int step) {
    void* arguments[] = {&value, &step};
    cudaGraphNodeParams node = kernel_node(reinterpret_cast<void*>(add), arguments);
    cudaGraphNode_t added;
    DO(cudaGraphAddNode(&added, graph, after, nullptr, after == nullptr ? 0 : 1, &node));
    return added;
}

// Adds a kernel that decides by a value, and a conditional node after it.
static cudaGraphNode_t add_conditional(cudaGraph_t graph, const int* value,
                                       cudaGraphConditionalNodeType type, unsigned size,
                                       cudaGraph_t* bodies) {
    cudaGraphConditionalHandle handle;
    DO(cudaGraphConditionalHandleCreate(&handle, graph));
    void* arguments[] = {&value, &handle};
    cudaGraphNodeParams decision = kernel_node(reinterpret_cast<void*>(decide), arguments);
    cudaGraphNode_t decider, conditional;
    DO(cudaGraphAddNode(&decider, graph, nullptr, nullptr, 0, &decision));
    cudaGraphNodeParams node = {cudaGraphNodeTypeConditional};
    node.conditional.handle = handle;
    node.conditional.type = type;
    node.conditional.size = size;
    DO(cudaGraphAddNode(&conditional, graph, &decider, nullptr, 1, &node));
    for (unsigned i = 0; i < size; ++i) bodies[i] = node.conditional.phGraph_out[i];
    return conditional;
}

static void branch() {
    const Memory memory = allocate();
    int* const value = memory.device;
    int* const result = memory.device + 1;
    const struct {
        const char* name;
        cudaGraphConditionalNodeType type;
        unsigned size;
    } kinds[] = {{"if", cudaGraphCondTypeIf, 1},
                 {"if else", cudaGraphCondTypeIf, 2},
                 {"switch", cudaGraphCondTypeSwitch, 3}};
    for (const auto& kind : kinds) {
        cudaGraph_t graph, bodies[3];
        cudaGraphExec_t executable;
        cudaGraphNodeType type;
        DO(cudaGraphCreate(&graph, 0));
        cudaGraphNode_t node = add_conditional(graph, value, kind.type, kind.size, bodies);
        DO(cudaGraphNodeGetType(node, &type));
        for (unsigned i = 0; i < kind.size; ++i) add_step(bodies[i], nullptr, result, 10 + i);
        add_step(graph, &node, result, 100);
        DO(cudaGraphInstantiate(&executable, graph, 0));
        DO(cudaGraphDestroy(graph));
        std::printf("%s, node type %d:", kind.name, static_cast<int>(type));
        for (int i = 0; i < 4; ++i) {
            set(value, i);
            set(result, 0);
            DO(cudaGraphLaunch(executable, nullptr));
            DO(cudaDeviceSynchronize());
            std::printf(" %d", get(result));
        }
        std::printf("\n");
        DO(cudaGraphExecDestroy(executable));
    }
    release(memory);
}

// A loop whose body has a branch. The loop's handle starts with its default value at each launch.
static void loop() {
    const Memory memory = allocate();
    int* const count = memory.device;
    int* const odd = memory.device + 1;
    int* const sum = memory.device + 2;
    cudaGraph_t graph, body;
    cudaGraphExec_t executable;
    cudaGraphNode_t node, counter, branch;
    cudaGraphConditionalHandle more, is_odd;
    DO(cudaGraphCreate(&graph, 0));
    DO(cudaGraphConditionalHandleCreate(&more, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
    loop.conditional.handle = more;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    DO(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
    body = loop.conditional.phGraph_out[0];

    DO(cudaGraphConditionalHandleCreate(&is_odd, body));
    void* arguments[] = {const_cast<int**>(&count), &more, &is_odd};
    cudaGraphNodeParams kernel = kernel_node(reinterpret_cast<void*>(count_down), arguments);
    DO(cudaGraphAddNode(&counter, body, nullptr, nullptr, 0, &kernel));
    cudaGraphNodeParams condition = {cudaGraphNodeTypeConditional};
    condition.conditional.handle = is_odd;
    condition.conditional.type = cudaGraphCondTypeIf;
    condition.conditional.size = 1;
    DO(cudaGraphAddNode(&branch, body, &counter, nullptr, 1, &condition));
    add_step(condition.conditional.phGraph_out[0], nullptr, odd, 1);

    // The rest of the body is captured.
    cudaStream_t stream;
    DO(cudaStreamCreate(&stream));
    DO(cudaStreamBeginCaptureToGraph(stream, body, &branch, nullptr, 1,
                                     cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(sum, 3);
    DO(cudaMemcpyAsync(memory.device + 3, sum, sizeof(int), cudaMemcpyDeviceToDevice, stream));
    DO(cudaStreamEndCapture(stream, nullptr));
    DO(cudaGraphInstantiate(&executable, graph, 0));
    for (const int rounds : {1, 10, 3}) {
        set(count, rounds);
        DO(cudaGraphLaunch(executable, stream));
        DO(cudaStreamSynchronize(stream));
        std::printf("loop: count %d, odd %d, sum %d, copy %d\n", get(count), get(odd), get(sum),
                    get(memory.device + 3));
    }
    DO(cudaGraphExecDestroy(executable));
    DO(cudaGraphDestroy(graph));
    DO(cudaStreamDestroy(stream));
    release(memory);
}

static void write_letter(void* data) { static_cast<std::string*>(data)->push_back('h'); }

static void add_nodes_of_any_type() {
    const Memory memory = allocate();
    cudaGraph_t graph, child;
    cudaGraphExec_t executable;
    cudaGraphNode_t nodes[10];
    cudaEvent_t event, recorded;
    cudaStream_t stream;
    std::string text;
    DO(cudaStreamCreate(&stream));
    DO(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    DO(cudaEventCreateWithFlags(&recorded, cudaEventDisableTiming));
    DO(cudaGraphCreate(&graph, 0));
    DO(cudaGraphCreate(&child, 0));
    add_step(child, nullptr, memory.device, 7);

    cudaGraphNodeParams fill = {cudaGraphNodeTypeMemset};
    fill.memset.dst = memory.device;
    fill.memset.value = 5;
    fill.memset.elementSize = sizeof(int);
    fill.memset.width = 4;
    fill.memset.height = 1;
    cudaGraphNodeParams nested = {cudaGraphNodeTypeGraph};
    nested.graph.graph = child;
    cudaGraphNodeParams empty = {cudaGraphNodeTypeEmpty};
    cudaGraphNodeParams wait = {cudaGraphNodeTypeWaitEvent};
    wait.eventWait.event = event;
    cudaGraphNodeParams record = {cudaGraphNodeTypeEventRecord};
    record.eventRecord.event = recorded;
    cudaGraphNodeParams host = {cudaGraphNodeTypeHost};
    host.host.fn = write_letter;
    host.host.userData = &text;
    cudaGraphNodeParams copy = {cudaGraphNodeTypeMemcpy};
    copy.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(memory.device, 16, 4, 1);
    copy.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(memory.host, 16, 4, 1);
    copy.memcpy.copyParams.extent = make_cudaExtent(4 * sizeof(int), 1, 1);
    copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
    cudaGraphNodeParams allocation = {cudaGraphNodeTypeMemAlloc};
    allocation.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.alloc.poolProps.location.type = cudaMemLocationTypeDevice;
    allocation.alloc.bytesize = 1000;
    cudaGraphNodeParams freeing = {cudaGraphNodeTypeMemFree};
    cudaGraphEdgeData edge = {};

    cudaGraphNodeParams* const all[] = {&fill, &nested, &empty,      &wait,   &record,
                                        &host, &copy,   &allocation, &freeing};
    int count = 0;
    for (cudaGraphNodeParams* params : all) {
        if (params == &freeing) freeing.free.dptr = allocation.alloc.dptr;
        cudaGraphNodeType type;
        DO(cudaGraphAddNode(&nodes[count], graph, count == 0 ? nullptr : &nodes[count - 1],
                            count == 2 ? &edge : nullptr, count == 0 ? 0 : 1, params));
        DO(cudaGraphNodeGetType(nodes[count], &type));
        std::printf("%s%d", count == 0 ? "types: " : " ", static_cast<int>(type));
        ++count;
    }
    cudaMemAllocNodeParams allocated = {};
    DO(cudaGraphMemAllocNodeGetParams(nodes[7], &allocated));
    std::printf("\nallocated %zu bytes, pointer is %s\n", allocated.bytesize,
                allocated.dptr == allocation.alloc.dptr ? "the same" : "another one");

    cudaGraphInstantiateParams options = {};
    DO(cudaGraphInstantiateWithParams(&executable, graph, &options));
    std::printf("instantiated with result %d\n", static_cast<int>(options.result_out));
    const auto launch = [&] {
        DO(cudaGraphLaunch(executable, stream));
        DO(cudaStreamSynchronize(stream));
        std::printf("values %d %d, host %s, event %s\n", memory.host[0], memory.host[3],
                    text.c_str(), cudaGetErrorName(cudaEventQuery(recorded)));
    };
    launch();
    fill.memset.value = 20;
    DO(cudaGraphExecNodeSetParams(executable, nodes[0], &fill));
    launch();
    DO(cudaGraphDestroy(child));
    DO(cudaGraphCreate(&child, 0));
    add_step(child, nullptr, memory.device, 8);
    DO(cudaGraphExecChildGraphNodeSetParams(executable, nodes[1], child));
    launch();
    DO(cudaGraphExecDestroy(executable));
    fill.memset.value = 30;
    DO(cudaGraphNodeSetParams(nodes[0], &fill));
    DO(cudaGraphInstantiate(&executable, graph, 0));
    launch();
    DO(cudaGraphExecDestroy(executable));
    DO(cudaGraphDestroy(graph));
    DO(cudaGraphDestroy(child));
    DO(cudaEventDestroy(event));
    DO(cudaEventDestroy(recorded));
    DO(cudaStreamDestroy(stream));
    release(memory);
}

static void change_copies_of_symbols() {
    int source[4] = {1, 2, 3, 4}, result[4] = {};
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t to, from;
    DO(cudaGraphCreate(&graph, 0));
    DO(cudaGraphAddMemcpyNodeToSymbol(&to, graph, nullptr, 0, table, source, 8, 0,
                                      cudaMemcpyHostToDevice));
    DO(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, result, table, 8, 0,
                                        cudaMemcpyDeviceToHost));
    DO(cudaGraphMemcpyNodeSetParamsToSymbol(to, table, source + 1, 12, 4, cudaMemcpyHostToDevice));
    DO(cudaGraphMemcpyNodeSetParamsFromSymbol(from, result, table, 16, 0, cudaMemcpyDeviceToHost));
    DO(cudaGraphInstantiate(&executable, graph, 0));
    DO(cudaGraphLaunch(executable, nullptr));
    DO(cudaDeviceSynchronize());
    std::printf("symbol: %d %d %d %d\n", result[0], result[1], result[2], result[3]);
    DO(cudaGraphExecDestroy(executable));
    DO(cudaGraphDestroy(graph));
}

static void set_attributes() {
    const Memory memory = allocate();
    cudaGraph_t graph;
    DO(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_step(graph, nullptr, memory.device, 1);
    cudaGraphNode_t second = add_step(graph, &first, memory.device, 1);
    cudaKernelNodeAttrValue value = {};
    value.cooperative = 1;
    DO(cudaGraphKernelNodeSetAttribute(first, cudaKernelNodeAttributeCooperative, &value));
    value = {};
    value.priority = -1;
    DO(cudaGraphKernelNodeSetAttribute(first, cudaKernelNodeAttributePriority, &value));
    DO(cudaGraphKernelNodeCopyAttributes(second, first));
    for (cudaGraphNode_t node : {first, second}) {
        cudaKernelNodeAttrValue cooperative = {}, priority = {};
        DO(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributeCooperative, &cooperative));
        DO(cudaGraphKernelNodeGetAttribute(node, cudaKernelNodeAttributePriority, &priority));
        std::printf("attributes: cooperative %d, priority %d\n", cooperative.cooperative,
                    priority.priority);
    }
    DO(cudaGraphDestroy(graph));
    release(memory);
}

struct Tracked {
    std::atomic<int> destroyed{0};
};

static void destroy_tracked(void* data) { ++static_cast<Tracked*>(data)->destroyed; }

// CUDA calls the function some time after the last reference is gone.
static int wait_for(const Tracked& tracked) {
    for (int i = 0; i < 2000 && tracked.destroyed == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return tracked.destroyed;
}

static void keep_objects() {
    const Memory memory = allocate();
    Tracked alone, kept;
    cudaUserObject_t object;
    DO(cudaUserObjectCreate(&object, &alone, destroy_tracked, 1, cudaUserObjectNoDestructorSync));
    DO(cudaUserObjectRetain(object, 2));
    DO(cudaUserObjectRelease(object, 2));
    std::printf("destroyed %d", alone.destroyed.load());
    DO(cudaUserObjectRelease(object));
    std::printf(", then %d\n", wait_for(alone));

    cudaGraph_t graph;
    cudaGraphExec_t executable;
    DO(cudaGraphCreate(&graph, 0));
    add_step(graph, nullptr, memory.device, 1);
    DO(cudaUserObjectCreate(&object, &kept, destroy_tracked, 1, cudaUserObjectNoDestructorSync));
    DO(cudaGraphRetainUserObject(graph, object, 2));
    DO(cudaGraphReleaseUserObject(graph, object, 2));
    DO(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    DO(cudaGraphInstantiate(&executable, graph, 0));
    DO(cudaGraphDestroy(graph));
    DO(cudaGraphLaunch(executable, nullptr));
    DO(cudaDeviceSynchronize());
    std::printf("value %d, destroyed %d", get(memory.device), kept.destroyed.load());
    DO(cudaGraphExecDestroy(executable));
    std::printf(", then %d\n", wait_for(kept));
    SHOW(cudaUserObjectCreate(&object, &kept, destroy_tracked, 1, 0));
    release(memory);
}

// The program ends without destroying this graph, whose kernel is part of the program.
static void leave_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    DO(cudaStreamCreate(&stream));
    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(nullptr, 0);
    DO(cudaStreamEndCapture(stream, &graph));
}

int main() {
    branch();
    loop();
    add_nodes_of_any_type();
    change_copies_of_symbols();
    set_attributes();
    keep_objects();
    leave_graph();
    SHOW(cudaGetLastError());
}
