// Uses streams, events, host functions, graphs, captures, and memory pools, and prints what happened.
// Every line is determined, whatever runs at the same time. The output, streams.txt, is that of CUDA
// 13.0 on an H100. The runtime of the CPU backend prints the same.
#include <cuda_runtime.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

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

__global__ void set(int* values, int count, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] = value;
}

__global__ void add(int* values, int count, int value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) values[i] += value;
}

__global__ void sum_up(const int* values, int count, int* sum) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(sum, values[i]);
}

constexpr int count = 4096;
constexpr int bytes = count * sizeof(int);
constexpr int blocks = count / 256;

// A stream that waits for the program.
struct Gate {
    std::atomic<bool> is_open{false};
};

static void wait_for_gate(void* data) {
    auto& gate = *static_cast<Gate*>(data);
    while (!gate.is_open) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

struct Note {
    std::string* text;
    char letter;
};

static void write_note(void* data) {
    const auto& note = *static_cast<Note*>(data);
    note.text->push_back(note.letter);
}

static void write_status(cudaStream_t, cudaError_t status, void* data) {
    static_cast<std::string*>(data)->append(status == cudaSuccess ? "success" : "failure");
}

static void sleep_20_ms(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }

static long long sum_of(const int* device) {
    std::vector<int> values(count);
    DO(cudaMemcpy(values.data(), device, bytes, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (const int value : values) sum += value;
    return sum;
}

static void copy_in_streams() {
    constexpr int stream_count = 4;
    cudaStream_t streams[stream_count];
    int *host[stream_count], *device[stream_count], *back[stream_count];
    for (int i = 0; i < stream_count; ++i) {
        DO(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        DO(cudaMallocHost(&host[i], bytes));
        DO(cudaMallocHost(&back[i], bytes));
        DO(cudaMalloc(&device[i], bytes));
        for (int j = 0; j < count; ++j) host[i][j] = i;
    }
    for (int round = 0; round < 10; ++round)
        for (int i = 0; i < stream_count; ++i) {
            DO(cudaMemcpyAsync(device[i], host[i], bytes, cudaMemcpyHostToDevice, streams[i]));
            add<<<blocks, 256, 0, streams[i]>>>(device[i], count, round);
            DO(cudaMemcpyAsync(back[i], device[i], bytes, cudaMemcpyDeviceToHost, streams[i]));
            DO(cudaMemcpyAsync(host[i], device[i], bytes, cudaMemcpyDeviceToHost, streams[i]));
        }
    for (int i = 0; i < stream_count; ++i) {
        DO(cudaStreamSynchronize(streams[i]));
        std::printf("stream %d copied %d and %d\n", i, back[i][0], back[i][count - 1]);
        DO(cudaFreeHost(host[i]));
        DO(cudaFreeHost(back[i]));
        DO(cudaFree(device[i]));
        DO(cudaStreamDestroy(streams[i]));
    }

    // The source is ordinary memory, which changes after the call.
    cudaStream_t stream;
    int* values = nullptr;
    DO(cudaStreamCreate(&stream));
    DO(cudaMalloc(&values, bytes));
    std::vector<int> small(1024, 5);
    DO(cudaMemsetAsync(values, 0, bytes, stream));
    DO(cudaMemcpyAsync(values, small.data(), 1024 * sizeof(int), cudaMemcpyHostToDevice, stream));
    small.assign(1024, 6);
    DO(cudaStreamSynchronize(stream));
    std::printf("copied sum %lld\n", sum_of(values));
    DO(cudaFree(values));
    DO(cudaStreamDestroy(stream));
}

static void wait_for_the_program() {
    cudaStream_t stream;
    cudaEvent_t event;
    Gate gate;
    DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    DO(cudaEventCreate(&event));
    SHOW(cudaEventQuery(event));
    DO(cudaLaunchHostFunc(stream, wait_for_gate, &gate));
    DO(cudaEventRecord(event, stream));
    SHOW(cudaStreamQuery(stream));
    SHOW(cudaEventQuery(event));
    // The default stream does not wait for this stream.
    DO(cudaStreamSynchronize(nullptr));
    std::printf("the gate is %s\n", gate.is_open ? "open" : "closed");
    gate.is_open = true;
    DO(cudaEventSynchronize(event));
    SHOW(cudaEventQuery(event));
    DO(cudaStreamSynchronize(stream));
    SHOW(cudaStreamQuery(stream));
    DO(cudaEventDestroy(event));
    DO(cudaStreamDestroy(stream));
}

static void order_with_events() {
    std::string text;
    Note notes[] = {{&text, 'a'}, {&text, 'b'}, {&text, 'c'}, {&text, 'd'}, {&text, 'e'}};
    cudaStream_t streams[3];
    cudaEvent_t events[4];
    for (auto& stream : streams) DO(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (auto& event : events) DO(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int round = 0; round < 3; ++round) {
        DO(cudaLaunchHostFunc(streams[0], write_note, &notes[0]));
        DO(cudaEventRecord(events[0], streams[0]));
        DO(cudaStreamWaitEvent(streams[1], events[0], 0));
        DO(cudaLaunchHostFunc(streams[1], write_note, &notes[1]));
        DO(cudaEventRecord(events[1], streams[1]));
        DO(cudaStreamWaitEvent(streams[2], events[1], 0));
        DO(cudaLaunchHostFunc(streams[2], write_note, &notes[2]));
        DO(cudaEventRecord(events[2], streams[2]));
        DO(cudaStreamWaitEvent(streams[0], events[2], 0));
        DO(cudaLaunchHostFunc(streams[0], write_note, &notes[3]));
    }
    DO(cudaStreamSynchronize(streams[0]));
    std::printf("events: %s\n", text.c_str());
    for (auto& stream : streams) DO(cudaStreamDestroy(stream));
    for (auto& event : events) DO(cudaEventDestroy(event));

    // The default stream waits for blocking streams, and they wait for it.
    text.clear();
    cudaStream_t first, second;
    DO(cudaStreamCreate(&first));
    DO(cudaStreamCreate(&second));
    Gate gate;
    DO(cudaLaunchHostFunc(first, wait_for_gate, &gate));
    DO(cudaLaunchHostFunc(first, write_note, &notes[0]));
    DO(cudaLaunchHostFunc(nullptr, write_note, &notes[1]));
    DO(cudaLaunchHostFunc(second, write_note, &notes[2]));
    DO(cudaLaunchHostFunc(cudaStreamLegacy, write_note, &notes[3]));
    DO(cudaLaunchHostFunc(cudaStreamPerThread, write_note, &notes[4]));
    gate.is_open = true;
    DO(cudaStreamSynchronize(cudaStreamPerThread));
    std::printf("default stream: %s\n", text.c_str());

    text.clear();
    DO(cudaStreamAddCallback(first, write_status, &text, 0));
    DO(cudaDeviceSynchronize());
    std::printf("callback: %s\n", text.c_str());
    DO(cudaStreamDestroy(first));
    DO(cudaStreamDestroy(second));
}

static void measure_and_prioritize() {
    int least = 77, greatest = 77, priority = 77;
    cudaStream_t stream;
    cudaEvent_t start, end;
    float milliseconds = -1;
    DO(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    std::printf("priorities from %d to %d\n", least, greatest);
    for (const int wanted : {7, 0, -1, -3, -100}) {
        DO(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, wanted));
        DO(cudaStreamGetPriority(stream, &priority));
        std::printf("priority %d becomes %d\n", wanted, priority);
        DO(cudaStreamDestroy(stream));
    }
    DO(cudaStreamCreate(&stream));
    DO(cudaEventCreate(&start));
    DO(cudaEventCreate(&end));
    DO(cudaEventRecord(start, stream));
    DO(cudaLaunchHostFunc(stream, sleep_20_ms, nullptr));
    DO(cudaEventRecord(end, stream));
    SHOW(cudaEventElapsedTime(&milliseconds, start, end));
    DO(cudaEventSynchronize(end));
    DO(cudaEventElapsedTime(&milliseconds, start, end));
    std::printf("the time is %s\n", milliseconds > 15 && milliseconds < 5000 ? "plausible" : "wrong");
    DO(cudaEventDestroy(start));
    DO(cudaEventDestroy(end));
    DO(cudaStreamDestroy(stream));
}

static void wait_in_threads() {
    std::vector<std::thread> threads;
    std::vector<long long> sums(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &sums] {
            int* values = nullptr;
            DO(cudaMalloc(&values, bytes));
            set<<<blocks, 256, 0, cudaStreamPerThread>>>(values, count, t);
            for (int i = 0; i < 20; ++i)
                add<<<blocks, 256, 0, cudaStreamPerThread>>>(values, count, 1);
            DO(cudaStreamSynchronize(cudaStreamPerThread));
            sums[t] = sum_of(values);
            DO(cudaFree(values));
        });
    for (auto& thread : threads) thread.join();
    for (const long long sum : sums) std::printf("thread sum %lld\n", sum);
}

static const char* status_of(cudaStream_t stream) {
    static const char* const names[] = {"none", "active", "invalid"};
    cudaStreamCaptureStatus status;
    DO(cudaStreamIsCapturing(stream, &status));
    return names[status];
}

static void print_graph(cudaGraph_t graph) {
    static const char* const names[] = {"kernel", "memcpy", "memset", "host",      "graph",
                                        "empty",  "wait",   "record", "semaphore", "semaphore",
                                        "alloc",  "free"};
    size_t nodes = 0, roots = 0, edges = 0;
    int types[12] = {};
    DO(cudaGraphGetNodes(graph, nullptr, &nodes));
    DO(cudaGraphGetRootNodes(graph, nullptr, &roots));
    DO(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    std::vector<cudaGraphNode_t> list(nodes);
    DO(cudaGraphGetNodes(graph, list.data(), &nodes));
    for (const auto node : list) {
        cudaGraphNodeType type;
        DO(cudaGraphNodeGetType(node, &type));
        ++types[type];
    }
    std::printf("graph: %zu nodes, %zu roots, %zu edges:", nodes, roots, edges);
    for (int i = 0; i < 12; ++i)
        if (types[i] != 0) std::printf(" %d %s", types[i], names[i]);
    std::printf("\n");
}

static void capture() {
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *values = nullptr, *more = nullptr, *sum = nullptr, *result = nullptr;
    std::string text;
    Note note = {&text, 'n'};
    DO(cudaStreamCreate(&stream));
    DO(cudaStreamCreate(&other));
    DO(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    DO(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    DO(cudaMalloc(&values, bytes));
    DO(cudaMalloc(&more, bytes));
    DO(cudaMalloc(&sum, sizeof(int)));
    DO(cudaMallocHost(&result, sizeof(int)));
    *result = -1;
    std::printf("capture is %s\n", status_of(stream));
    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    std::printf("capture is %s\n", status_of(stream));
    DO(cudaMemsetAsync(sum, 0, sizeof(int), stream));
    DO(cudaEventRecord(fork, stream));
    DO(cudaStreamWaitEvent(other, fork, 0));
    std::printf("other capture is %s\n", status_of(other));
    set<<<blocks, 256, 0, stream>>>(values, count, 2);
    set<<<blocks, 256, 0, other>>>(more, count, 3);
    sum_up<<<4, 64, 0, other>>>(more, count, sum);
    DO(cudaEventRecord(join, other));
    sum_up<<<4, 64, 0, stream>>>(values, count, sum);
    DO(cudaStreamWaitEvent(stream, join, 0));
    DO(cudaMemcpyAsync(result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream));
    DO(cudaLaunchHostFunc(stream, write_note, &note));
    DO(cudaStreamEndCapture(stream, &graph));
    std::printf("capture is %s, other capture is %s, the result is %d\n", status_of(stream),
                status_of(other), *result);
    print_graph(graph);
    DO(cudaGraphInstantiate(&executable, graph, 0));
    DO(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; ++i) {
        *result = -1;
        DO(cudaGraphLaunch(executable, stream));
        DO(cudaStreamSynchronize(stream));
        std::printf("launch %d: %d\n", i, *result);
    }
    for (int i = 0; i < 10; ++i) DO(cudaGraphLaunch(executable, i % 2 == 0 ? stream : other));
    DO(cudaDeviceSynchronize());
    std::printf("host function ran %zu times\n", text.size());
    DO(cudaGraphExecDestroy(executable));

    DO(cudaGraphCreate(&graph, 0));
    print_graph(graph);
    DO(cudaGraphDestroy(graph));
    DO(cudaEventDestroy(fork));
    DO(cudaEventDestroy(join));
    DO(cudaFree(values));
    DO(cudaFree(more));
    DO(cudaFree(sum));
    DO(cudaFreeHost(result));
    DO(cudaStreamDestroy(stream));
    DO(cudaStreamDestroy(other));
}

static void capture_wrongly() {
    cudaStream_t stream, other;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    int* values = nullptr;
    void* pointer = nullptr;
    DO(cudaMalloc(&values, bytes));
    DO(cudaStreamCreate(&stream));
    DO(cudaStreamCreate(&other));
    DO(cudaEventCreate(&event));
    SHOW(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamEndCapture(stream, &graph));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SHOW(cudaStreamSynchronize(stream));
    std::printf("capture is %s\n", status_of(stream));
    SHOW(cudaStreamEndCapture(stream, &graph));
    std::printf("the graph is %s\n", graph == nullptr ? "null" : "not null");

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SHOW(cudaMemsetAsync(values, 0, bytes, cudaStreamLegacy));
    SHOW(cudaStreamEndCapture(stream, &graph));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    SHOW(cudaMalloc(&pointer, 16));
    SHOW(cudaStreamEndCapture(stream, &graph));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SHOW(cudaMalloc(&pointer, 16));
    SHOW(cudaStreamEndCapture(stream, &graph));
    DO(cudaGraphDestroy(graph));
    DO(cudaFree(pointer));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    DO(cudaEventRecord(event, stream));
    DO(cudaStreamWaitEvent(other, event, 0));
    DO(cudaMemsetAsync(values, 0, bytes, other));
    SHOW(cudaEventQuery(event));
    SHOW(cudaStreamEndCapture(stream, &graph));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    DO(cudaEventRecord(event, stream));
    DO(cudaStreamWaitEvent(other, event, 0));
    DO(cudaMemsetAsync(values, 0, bytes, other));
    SHOW(cudaStreamEndCapture(stream, &graph));

    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    DO(cudaEventRecord(event, stream));
    DO(cudaStreamWaitEvent(other, event, 0));
    SHOW(cudaStreamEndCapture(other, &graph));
    SHOW(cudaStreamEndCapture(stream, &graph));
    DO(cudaEventDestroy(event));
    DO(cudaStreamDestroy(stream));
    DO(cudaStreamDestroy(other));
    DO(cudaFree(values));
}

static void construct() {
    cudaGraph_t graph, child, copy;
    cudaGraphNode_t clear, first, second, copying, calling, nested, in_child, recording, found;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    cudaEvent_t event;
    int *values = nullptr, *result = nullptr;
    int n = count, one = 1, two = 2, ten = 10;
    unsigned is_enabled = 7;
    std::string text;
    Note note = {&text, 'h'};
    DO(cudaStreamCreate(&stream));
    DO(cudaEventCreate(&event));
    DO(cudaMalloc(&values, bytes));
    DO(cudaMallocHost(&result, bytes));

    cudaMemsetParams fill = {};
    fill.dst = values;
    fill.value = 100;
    fill.elementSize = 4;
    fill.width = count;
    fill.height = 1;
    void* arguments[] = {&values, &n, &one};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(add);
    kernel.gridDim = dim3(blocks);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = arguments;
    cudaHostNodeParams host = {};
    host.fn = write_note;
    host.userData = &note;

    DO(cudaGraphCreate(&child, 0));
    DO(cudaGraphAddKernelNode(&in_child, child, nullptr, 0, &kernel));
    DO(cudaGraphCreate(&graph, 0));
    DO(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill));
    arguments[2] = &two;
    DO(cudaGraphAddKernelNode(&first, graph, &clear, 1, &kernel));
    DO(cudaGraphAddKernelNode(&second, graph, nullptr, 0, &kernel));
    DO(cudaGraphAddDependencies(graph, &first, &second, nullptr, 1));
    DO(cudaGraphAddChildGraphNode(&nested, graph, &second, 1, child));
    DO(cudaGraphAddMemcpyNode1D(&copying, graph, &nested, 1, result, values, bytes,
                                cudaMemcpyDeviceToHost));
    DO(cudaGraphAddHostNode(&calling, graph, &copying, 1, &host));
    DO(cudaGraphAddEventRecordNode(&recording, graph, &calling, 1, event));
    print_graph(graph);
    DO(cudaGraphInstantiate(&executable, graph, 0));
    DO(cudaGraphLaunch(executable, stream));
    DO(cudaEventSynchronize(event));
    std::printf("result %d and %d, %s\n", result[0], result[count - 1], text.c_str());

    // The executable graph has its own parameters.
    arguments[2] = &ten;
    DO(cudaGraphExecKernelNodeSetParams(executable, first, &kernel));
    DO(cudaGraphLaunch(executable, stream));
    DO(cudaStreamSynchronize(stream));
    std::printf("with other parameters: %d\n", result[0]);
    DO(cudaGraphNodeSetEnabled(executable, second, 0));
    DO(cudaGraphNodeGetEnabled(executable, second, &is_enabled));
    DO(cudaGraphLaunch(executable, stream));
    DO(cudaStreamSynchronize(stream));
    std::printf("enabled %u: %d\n", is_enabled, result[0]);
    DO(cudaGraphNodeSetEnabled(executable, second, 1));

    // An update takes all parameters.
    fill.value = 1000;
    DO(cudaGraphMemsetNodeSetParams(clear, &fill));
    cudaGraphExecUpdateResultInfo update;
    SHOW(cudaGraphExecUpdate(executable, graph, &update));
    std::printf("update %d\n", static_cast<int>(update.result));
    DO(cudaGraphLaunch(executable, stream));
    DO(cudaStreamSynchronize(stream));
    std::printf("after the update: %d\n", result[0]);

    cudaKernelNodeParams got = {};
    DO(cudaGraphKernelNodeGetParams(second, &got));
    std::printf("block %u, grid %u, argument %d\n", got.blockDim.x, got.gridDim.x,
                *static_cast<int*>(got.kernelParams[2]));
    DO(cudaGraphClone(&copy, graph));
    print_graph(copy);
    DO(cudaGraphNodeFindInClone(&found, copying, copy));
    DO(cudaGraphDestroyNode(found));
    print_graph(copy);
    SHOW(cudaGraphExecUpdate(executable, copy, &update));
    std::printf("update %d\n", static_cast<int>(update.result));
    size_t dependencies = 0, dependents = 0;
    DO(cudaGraphNodeGetDependencies(nested, nullptr, nullptr, &dependencies));
    DO(cudaGraphNodeGetDependentNodes(nested, nullptr, nullptr, &dependents));
    std::printf("%zu dependencies, %zu dependents\n", dependencies, dependents);
    DO(cudaGraphRemoveDependencies(graph, &first, &second, nullptr, 1));
    print_graph(graph);

    DO(cudaGraphExecDestroy(executable));
    DO(cudaGraphDestroy(copy));
    DO(cudaGraphDestroy(graph));
    DO(cudaGraphDestroy(child));
    DO(cudaFree(values));
    DO(cudaFreeHost(result));
    DO(cudaEventDestroy(event));
    DO(cudaStreamDestroy(stream));
}

static void use_pools() {
    cudaStream_t stream;
    cudaMemPool_t pool, own;
    int* values = nullptr;
    unsigned long long threshold = 77, used = 77, most = 77;
    DO(cudaStreamCreate(&stream));
    DO(cudaDeviceGetDefaultMemPool(&pool, 0));
    DO(cudaDeviceGetMemPool(&own, 0));
    std::printf("the current pool is %s\n", pool == own ? "the default one" : "another one");
    DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    std::printf("threshold %llu\n", threshold);
    threshold = 1 << 20;
    DO(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (int i = 0; i < 5; ++i) {
        DO(cudaMallocAsync(&values, bytes, stream));
        set<<<blocks, 256, 0, stream>>>(values, count, i);
        add<<<blocks, 256, 0, stream>>>(values, count, 1);
        DO(cudaStreamSynchronize(stream));
        std::printf("pool sum %lld\n", sum_of(values));
        DO(cudaFreeAsync(values, stream));
    }
    DO(cudaStreamSynchronize(stream));
    DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &most));
    std::printf("used %llu, at most %s\n", used, most >= bytes ? "enough" : "too little");
    DO(cudaMemPoolTrimTo(pool, 0));

    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    cudaMemAccessDesc access = {};
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    access.location = properties.location;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    DO(cudaMemPoolCreate(&own, &properties));
    DO(cudaMemPoolSetAccess(own, &access, 1));
    DO(cudaMemPoolGetAccess(&flags, own, &properties.location));
    std::printf("access %d\n", static_cast<int>(flags));
    DO(cudaMallocFromPoolAsync(&values, bytes, own, stream));
    DO(cudaMemsetAsync(values, 1, bytes, stream));
    DO(cudaFreeAsync(values, stream));
    DO(cudaStreamSynchronize(stream));
    DO(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    std::printf("own pool uses %llu\n", used);
    DO(cudaMemPoolDestroy(own));

    // Memory that belongs to a graph.
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int* result = nullptr;
    DO(cudaMallocHost(&result, bytes));
    DO(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    DO(cudaMallocAsync(&values, bytes, stream));
    set<<<blocks, 256, 0, stream>>>(values, count, 11);
    DO(cudaMemcpyAsync(result, values, bytes, cudaMemcpyDeviceToHost, stream));
    DO(cudaFreeAsync(values, stream));
    DO(cudaStreamEndCapture(stream, &graph));
    print_graph(graph);
    DO(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 2; ++i) {
        result[5] = 0;
        DO(cudaGraphLaunch(executable, stream));
        DO(cudaStreamSynchronize(stream));
        std::printf("memory of a graph: %d\n", result[5]);
    }
    DO(cudaGraphExecDestroy(executable));
    DO(cudaGraphDestroy(graph));
    DO(cudaFreeHost(result));
    DO(cudaStreamDestroy(stream));
}

int main() {
    copy_in_streams();
    wait_for_the_program();
    order_with_events();
    measure_and_prioritize();
    wait_in_threads();
    capture();
    capture_wrongly();
    construct();
    use_pools();
    DO(cudaDeviceSynchronize());
    std::printf("done\n");
    return 0;
}
