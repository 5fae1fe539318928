// Launches what the argument selects, and prints the expected records as one JSON object per line.
#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static float* allocate(const std::vector<float>& values)
{
    void* pointer = nullptr;
    if (kbuild::allocate(&pointer, values.size() * sizeof(float)) ||
        kbuild::copy(pointer, values.data(), values.size() * sizeof(float), KBUILD_COPY_TO_DEVICE))
        return nullptr;
    return static_cast<float*>(pointer);
}

static void print(const char* name, const void* address)
{
    std::printf("{\"name\": \"%s\", \"address\": %llu}\n", name,
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(address)));
}

static int finish(const kbuild::error& error)
{
    std::printf("{\"code\": %d}\n", error.code());
    return 0;
}

static int mix()
{
    const std::vector<float> first = {1, 2, 3, 4, 5, 6, 7, 8}, second(100, -1.0f);
    float* const x = allocate(first);
    float* const y = allocate(second);
    print("x", x);
    print("y", y);
    const auto error = kbuild::launch(ns::mix, {{2, 1}, {32, 2}, 48}, 8, 0.5, Pair{-7, 2.5f}, true, x, y,
                                      x + 3, nullptr); // the launch of mix
    std::vector<float> result(100);
    (void)kbuild::copy(result.data(), y, 400, KBUILD_COPY_TO_HOST);
    std::printf("{\"result\": %g}\n", result[7]);
    return finish(error);
}

static int fill()
{
    float* const x = allocate(std::vector<float>(10));
    float local = 0;
    print("x", x);
    print("local", &local);
    return finish(kbuild::launch(ns::fill, {1, 1}, Span{10, x, &local}, 4.0f));
}

static int add_on_stack()
{
    float local[2] = {1, 2};
    print("local", local);
    return finish(kbuild::launch(ns::add<float>, {1, 1}, local, 3.0f));
}

static int break_down()
{
    std::fflush(stdout);
    return finish(kbuild::launch(ns::break_down, {1, 1}, static_cast<int*>(nullptr)));
}

static int fail()
{
    float* const x = allocate({1});
    return finish(kbuild::launch(ns::add<float>, {{0, 1}, 4096}, x, 1.0f));
}

static int many()
{
    float* const x = allocate({1});
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; thread++)
        threads.emplace_back([x] {
            for (int i = 0; i < 10; i++) {
                (void)kbuild::launch(ns::add<float>, {1, 1}, x, 1.0f);
                (void)kbuild::launch(ns::fill, {1, 1}, Span{0, nullptr, nullptr}, 1.0f);
            }
        });
    for (auto& thread : threads)
        thread.join();
    return finish(kbuild::synchronize());
}

static int fork_between()
{
    float* const x = allocate({1});
    (void)kbuild::launch(ns::add<float>, {1, 1}, x, 1.0f);
    const pid_t child = fork();
    const auto error = kbuild::launch(ns::add<float>, {1, 1}, x, 1.0f);
    if (child == 0)
        std::_Exit(error.code());
    int status = -1;
    waitpid(child, &status, 0);
    return finish(error) + status;
}

#ifdef KBUILD_BACKEND_CUDA
static int capture_graph()
{
    float* const x = allocate({1});
    float result = 0;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    kbuild::LaunchConfig config{1, 1};
    if (cudaStreamCreate(&stream) || cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal)) return 3;
    config.stream = stream;
    const auto error = kbuild::launch(ns::add<float>, config, x, 2.0f);
    if (cudaStreamEndCapture(stream, &graph) || cudaGraphInstantiate(&ready, graph, 0) ||
        cudaGraphLaunch(ready, stream) || cudaStreamSynchronize(stream) ||
        cudaMemcpy(&result, x, sizeof result, cudaMemcpyDeviceToHost))
        return 4;
    std::printf("{\"result\": %g}\n", result);
    return finish(error);
}

static int add_to_managed()
{
    float* managed = nullptr;
    float* pinned = nullptr;
    if (cudaMallocManaged(reinterpret_cast<void**>(&managed), 3 * sizeof(float)) ||
        cudaMallocHost(reinterpret_cast<void**>(&pinned), 3 * sizeof(float)))
        return 3;
    managed[1] = 5;
    pinned[0] = 6;
    if (kbuild::launch(ns::add<float>, {1, 1}, managed + 1, 2.0f)) return 4;
    const auto error = kbuild::launch(ns::add<float>, {1, 1}, pinned, 2.0f);
    if (kbuild::synchronize()) return 5;
    std::printf("{\"result\": %g}\n", managed[1] + pinned[0]);
    return finish(error);
}
#else
static int capture_graph() { return 2; }
static int add_to_managed() { return 2; }
#endif

int main(int, char** arguments)
{
    const std::string what = arguments[1];
    return what == "mix"          ? mix()
           : what == "fill"       ? fill()
           : what == "stack"      ? add_on_stack()
           : what == "break_down" ? break_down()
           : what == "fail"       ? fail()
           : what == "many"       ? many()
           : what == "fork"       ? fork_between()
           : what == "graph"      ? capture_graph()
           : what == "managed"    ? add_to_managed()
                                  : 2;
}
