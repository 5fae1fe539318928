// Launches as its argument says; prints what a record has to hold, a JSON object a line.
#include "kernels.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
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

int main(int, char** arguments)
{
    const std::string what = arguments[1];
    return what == "mix"          ? mix()
           : what == "fill"       ? fill()
           : what == "stack"      ? add_on_stack()
           : what == "break_down" ? break_down()
           : what == "fail"       ? fail()
           : what == "many"       ? many()
                                  : 2;
}
