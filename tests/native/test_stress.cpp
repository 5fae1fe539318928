// Uses streams, events, graphs, and pools from several threads, for a sanitizer.
#include <cuda_runtime.h>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#define SUCCEED(call) REQUIRE((call) == cudaSuccess)

namespace {

constexpr int thread_count = 4;
constexpr int rounds = 150;
constexpr int bytes = 4096;

// Only the order of the streams protects it.
struct Counter {
    int value = 0;
};

void increment(void* counter) { ++static_cast<Counter*>(counter)->value; }

// Two streams take turns, because each waits for the other one's event.
void alternate() {
    Counter counter;
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (auto& stream : streams) SUCCEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (auto& event : events) SUCCEED(cudaEventCreate(&event));
    for (int i = 0; i < rounds; ++i) {
        SUCCEED(cudaLaunchHostFunc(streams[i % 2], increment, &counter));
        SUCCEED(cudaEventRecord(events[i % 2], streams[i % 2]));
        SUCCEED(cudaStreamWaitEvent(streams[(i + 1) % 2], events[i % 2], 0));
        if (i % 16 == 0) SUCCEED(cudaEventSynchronize(events[i % 2]));
        if (i % 10 == 0) (void)cudaStreamQuery(streams[0]);
    }
    for (auto& stream : streams) SUCCEED(cudaStreamSynchronize(stream));
    REQUIRE(counter.value == rounds);
    for (auto& stream : streams) SUCCEED(cudaStreamDestroy(stream));
    for (auto& event : events) SUCCEED(cudaEventDestroy(event));
}

void launch_graphs() {
    Counter first, second;
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable;
    char *memory = nullptr, *host = nullptr;
    SUCCEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    SUCCEED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    SUCCEED(cudaEventCreate(&fork));
    SUCCEED(cudaEventCreate(&join));
    SUCCEED(cudaMallocAsync(&memory, bytes, stream));
    SUCCEED(cudaMallocHost(&host, bytes));
    SUCCEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SUCCEED(cudaEventRecord(fork, stream));
    SUCCEED(cudaStreamWaitEvent(other, fork, 0));
    SUCCEED(cudaLaunchHostFunc(stream, increment, &first));
    SUCCEED(cudaLaunchHostFunc(other, increment, &second));
    SUCCEED(cudaEventRecord(join, other));
    SUCCEED(cudaStreamWaitEvent(stream, join, 0));
    SUCCEED(cudaMemsetAsync(memory, 7, bytes, stream));
    SUCCEED(cudaMemcpyAsync(host, memory, bytes, cudaMemcpyDeviceToHost, stream));
    SUCCEED(cudaStreamEndCapture(stream, &graph));
    SUCCEED(cudaGraphInstantiate(&executable, graph));
    SUCCEED(cudaGraphDestroy(graph));
    for (int i = 0; i < rounds; ++i) {
        SUCCEED(cudaGraphLaunch(executable, i % 3 == 0 ? other : stream));
        if (i % 25 == 0) SUCCEED(cudaStreamSynchronize(stream));
    }
    SUCCEED(cudaStreamSynchronize(stream));
    SUCCEED(cudaStreamSynchronize(other));
    REQUIRE(first.value == rounds);
    REQUIRE(second.value == rounds);
    REQUIRE(host[bytes - 1] == 7);
    SUCCEED(cudaFreeAsync(memory, stream));
    SUCCEED(cudaStreamDestroy(stream));
    SUCCEED(cudaStreamDestroy(other));
    SUCCEED(cudaGraphExecDestroy(executable));
    SUCCEED(cudaFreeHost(host));
}

// All threads use the default stream, so that their increments have an order.
void use_default_stream(Counter& shared) {
    char ordinary[64] = {1}, back[64] = {};
    char* memory = nullptr;
    cudaStream_t blocking;
    SUCCEED(cudaMalloc(&memory, sizeof ordinary));
    SUCCEED(cudaStreamCreate(&blocking));
    for (int i = 0; i < rounds / 5; ++i) {
        SUCCEED(cudaLaunchHostFunc(nullptr, increment, &shared));
        SUCCEED(
            cudaMemcpyAsync(memory, ordinary, sizeof ordinary, cudaMemcpyHostToDevice, blocking));
        SUCCEED(cudaMemcpy(back, memory, sizeof back, cudaMemcpyDeviceToHost));
        REQUIRE(back[0] == 1);
        SUCCEED(cudaLaunchHostFunc(cudaStreamPerThread, [](void*) {}, nullptr));
    }
    SUCCEED(cudaStreamDestroy(blocking));
    SUCCEED(cudaFree(memory));
}

TEST_CASE("streams, events, graphs, and pools are used from several threads") {
    Counter shared;
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i)
        threads.emplace_back([&shared] {
            alternate();
            launch_graphs();
            use_default_stream(shared);
        });
    for (auto& thread : threads) thread.join();
    SUCCEED(cudaDeviceSynchronize());
    REQUIRE(shared.value == thread_count * (rounds / 5));
}

}  // namespace
