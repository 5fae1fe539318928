// Streams, graphs, and host code that use the same memory.
#include "../planted/planted.hpp"

#include <future>

namespace {
namespace of_streams {

constexpr int count = 256;
constexpr std::size_t bytes = count * sizeof(int);

__global__ void store(int *out, int value) { out[threadIdx.x] = value; }
__global__ void increment(int *out) { out[threadIdx.x] += 1; }
__global__ void copy_each(const int *in, int *out) { out[threadIdx.x] = in[threadIdx.x]; }

// Two streams and an event.
struct Streams {
    cudaStream_t first, second;
    cudaEvent_t event;
    Streams() {
        cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
        cudaEventCreate(&event);
    }
    ~Streams() {
        cudaDeviceSynchronize();
        cudaStreamDestroy(first);
        cudaStreamDestroy(second);
        cudaEventDestroy(event);
    }
    void order() {
        cudaEventRecord(event, first);
        cudaStreamWaitEvent(second, event, 0);
    }
};

PLANTED(two_streams_write_one_buffer, "KC207") {
    Zeros<int> out(count);
    finish();
    Streams s;
    store<<<1, count, 0, s.first>>>(out, 1);
    if (is_correct) s.order();
    increment<<<1, count, 0, s.second>>>(out);
}
PLANTED(second_stream_reads_too_early, "KC207") {
    Zeros<int> in(count), out(count);
    finish();
    Streams s;
    store<<<1, count, 0, s.first>>>(in, 1);
    if (is_correct) cudaStreamSynchronize(s.first);
    copy_each<<<1, count, 0, s.second>>>(in, out);
}
// Whichever of the two runs first here, one of them reads and then writes what the other one has read.
PLANTED(second_stream_updates_what_the_first_one_reads, "KC207") {
    Zeros<int> in(count), out(count);
    finish();
    Streams s;
    copy_each<<<1, count, 0, s.first>>>(in, out);
    if (is_correct) s.order();
    increment<<<1, count, 0, s.second>>>(in);
}
// Threads access bytes of the same words.
__global__ void increment_bytes(unsigned char *out) { out[threadIdx.x] += 1; }
PLANTED(two_streams_update_bytes, "KC207") {
    Zeros<unsigned char> out(3 * count);
    finish();
    Streams s;
    increment_bytes<<<1, count, 0, s.first>>>(out);
    increment_bytes<<<1, count, 0, s.first>>>(out + 2 * count);
    increment_bytes<<<1, count, 0, s.second>>>(out + (is_correct ? count : count - 1));
}
PLANTED(copy_of_bytes_before_the_kernel_is_done, "KC207") {
    Zeros<unsigned char> out(count), copy(count);
    finish();
    Streams s;
    increment_bytes<<<1, count - 2, 0, s.first>>>(out + 2);
    cudaMemcpyAsync(copy, out, is_correct ? 2 : 3, cudaMemcpyDeviceToDevice, s.second);
}
PLANTED(host_reads_bytes_before_the_kernel_is_done, "KC208") {
    unsigned char *bytes;
    cudaMallocManaged(&bytes, count);
    cudaMemset(bytes, 0, count);
    finish();
    increment_bytes<<<1, count>>>(bytes);
    if (is_correct) finish();
    const int first = bytes[1];
    finish();
    std::printf("%d\n", first);
    cudaFree(bytes);
}
PLANTED(stream_waits_for_an_event_before_it_is_recorded, "KC207") {
    Zeros<int> in(count), out(count);
    finish();
    Streams s;
    if (!is_correct) cudaStreamWaitEvent(s.second, s.event, 0);
    store<<<1, count, 0, s.first>>>(in, 1);
    cudaEventRecord(s.event, s.first);
    if (is_correct) cudaStreamWaitEvent(s.second, s.event, 0);
    copy_each<<<1, count, 0, s.second>>>(in, out);
}
PLANTED(default_stream_and_non_blocking_stream, "KC207") {
    Zeros<int> out(count);
    finish();
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, is_correct ? cudaStreamDefault : cudaStreamNonBlocking);
    increment<<<1, count, 0, stream>>>(out);
    increment<<<1, count>>>(out);
    finish();
    cudaStreamDestroy(stream);
}
PLANTED(copy_to_the_host_before_the_kernel_is_done, "KC207") {
    Zeros<int> out(count);
    int *results;
    cudaMallocHost(&results, bytes);
    finish();
    {
        Streams s;
        store<<<1, count, 0, s.first>>>(out, 1);
        if (is_correct) s.order();
        cudaMemcpyAsync(results, out, bytes, cudaMemcpyDeviceToHost, s.second);
    }
    cudaFreeHost(results);
}
PLANTED(fill_in_another_stream, "KC207") {
    Zeros<int> out(count);
    finish();
    Streams s;
    cudaMemsetAsync(out, 0, bytes, s.first);
    if (is_correct) s.order();
    increment<<<1, count, 0, s.second>>>(out);
}
PLANTED(graph_nodes_without_a_dependency, "KC207") {
    Zeros<int> out(count);
    finish();
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    int *memory = out, values[2] = {1, 2};
    cudaGraphNode_t nodes[2];
    for (int i = 0; i < 2; ++i) {
        void *arguments[] = {&memory, &values[i]};
        cudaKernelNodeParams parameters = {};
        parameters.func = reinterpret_cast<void *>(store);
        parameters.gridDim = dim3(1);
        parameters.blockDim = dim3(count);
        parameters.kernelParams = arguments;
        cudaGraphAddKernelNode(&nodes[i], graph, nodes, is_correct ? i : 0, &parameters);
    }
    cudaGraphExec_t executable;
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 2; ++i) cudaGraphLaunch(executable, 0);
    finish();
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
}
PLANTED(host_writes_what_a_kernel_reads, "KC208") {
    int *in, *out;
    cudaMallocManaged(&in, bytes);
    cudaMallocManaged(&out, bytes);
    for (int i = 0; i < count; ++i) in[i] = i;
    copy_each<<<1, count>>>(in, out);
    if (is_correct) finish();
    in[3] = 7;
    finish();
    cudaFree(in);
    cudaFree(out);
}
PLANTED(host_reads_a_result_too_early, "KC208") {
    int *out;
    cudaMallocManaged(&out, bytes);
    store<<<1, count>>>(out, 1);
    if (is_correct) finish();
    volatile int sum = 0;
    for (int i = 0; i < count; ++i) sum = sum + out[i];
    finish();
    cudaFree(out);
}
PLANTED(host_changes_the_source_of_a_copy, "KC208") {
    Zeros<int> out(count);
    int *in;
    cudaMallocHost(&in, bytes);
    for (int i = 0; i < count; ++i) in[i] = i;
    store<<<1, count>>>(out, 1);
    finish();
    {
        Streams s;
        cudaMemcpyAsync(out, in, bytes, cudaMemcpyHostToDevice, s.first);
        if (is_correct) cudaStreamSynchronize(s.first);
        in[5] = 9;
    }
    cudaFreeHost(in);
}
PLANTED(host_reads_the_target_of_a_copy, "KC208") {
    Zeros<int> in(count);
    store<<<1, count>>>(in, 1);
    finish();
    int *out;
    cudaMallocHost(&out, bytes);
    {
        Streams s;
        cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToHost, s.first);
        cudaEventRecord(s.event, s.first);
        if (is_correct)
            while (cudaEventQuery(s.event) != cudaSuccess) {
            }
        volatile int value = out[1];
        static_cast<void>(value);
    }
    cudaFreeHost(out);
}
// A host function tells the thread that waits for it what has happened before the function.
PLANTED(host_waits_for_a_host_function, "KC208") {
    Zeros<int> in(count);
    store<<<1, count>>>(in, 1);
    finish();
    int *out;
    cudaMallocHost(&out, bytes);
    {
        Streams s;
        std::promise<void> promise;
        const auto copy = [&] { cudaMemcpyAsync(out, in, bytes, cudaMemcpyDeviceToHost, s.first); };
        const auto tell = [](void *data) { static_cast<std::promise<void> *>(data)->set_value(); };
        if (is_correct) copy();
        cudaLaunchHostFunc(s.first, tell, &promise);
        if (!is_correct) copy();
        promise.get_future().wait();
        volatile int value = out[1];
        static_cast<void>(value);
    }
    cudaFreeHost(out);
}

}  // namespace of_streams
}  // namespace
