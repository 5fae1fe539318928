// Loads the kernels from where the arguments say, and prints what happens to launches of them.
#include <kbuild/compiled_kernel.hpp>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#if defined(WITHOUT_RUNTIME)
// Nothing in this program refers to the runtime, so the header has to find it. This is for the CPU.
alignas(16) static char memory[4096];
template <class T>
static void read(T* values, int count) {
    std::memcpy(values, memory, count * sizeof(T));
}
template <class T>
static void write(const T* values, int count) {
    std::memcpy(memory, values, count * sizeof(T));
}
static void allocate() {}
#else
#include <kbuild/kbuild.hpp>
static void* memory;
static void require(const kbuild::error& error) {
    if (error) std::printf("error: %s\n", error.message()), std::exit(1);
}
template <class T>
static void read(T* values, int count) {
    require(kbuild::copy(values, memory, count * sizeof(T), KBUILD_COPY_TO_HOST));
}
template <class T>
static void write(const T* values, int count) {
    require(kbuild::copy(memory, values, count * sizeof(T), KBUILD_COPY_TO_DEVICE));
}
static void allocate() { require(kbuild::allocate(&memory, 4096)); }
extern "C" const kbuild_module kbuild_module_kernels;
#endif

struct Pair {
    int first, second;
};

static std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

static kbuild::error load(kbuild::CompiledModule* module, const std::string& how,
                          const char* what) {
    if (how == "file" || how == "registers") return kbuild::CompiledModule::load(module, what);
    if (how == "memory") {
        const std::string content = read_file(what);
        return kbuild::CompiledModule::load(module, content.data(), content.size());
    }
    if (how == "compile")
        return kbuild::KernelCompiler("cuda").compile(module, read_file(what), {"fill< short >"});
#if !defined(WITHOUT_RUNTIME)
    if (how == "descriptor") return kbuild::CompiledModule::load(module, kbuild_module_kernels);
#endif
    return kbuild::error(1, "unknown word");
}

static void report(const char* what, const kbuild::error& error) {
    std::printf("%s: %s\n", what, error ? error.message() : "ok");
}

// Returns a kernel and prints whether it exists.
static kbuild::KernelExecutor find(const kbuild::CompiledModule& module, const char* name) {
    kbuild::CompiledKernel kernel;
    report(name, module.find(&kernel, name));
    return kbuild::KernelExecutor(kernel);
}

// The number of launches that fail. Several threads launch the same kernel.
static int launch_from_threads(const kbuild::KernelExecutor& executor, unsigned block) {
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            for (int k = 0; k < 10; k++)
                if (executor.run({1, block}, reinterpret_cast<int*>(memory))) failures++;
        });
    for (auto& each : threads) each.join();
    return failures;
}

int main(int count, char** words) {
    kbuild::CompiledModule module;
    const auto problem = load(&module, words[1], count > 2 ? words[2] : "");
    report("load", problem);
    if (problem) return 1;
    allocate();
    auto* const floats = reinterpret_cast<float*>(memory);
    auto* const numbers = reinterpret_cast<int*>(memory);

    if (std::strcmp(words[1], "registers") == 0) {
        const auto heavy = find(module, "count_threads");
        const int zeros[100] = {};
        write(zeros, 100);
        report("launch", heavy.run({1, 512}, numbers));
        for (const auto& version : heavy.compiled().history())
            std::printf("%s: %d registers\n", version.reason.c_str(), version.resources.registers);
        return 0;
    }

    const auto scale = find(module, "ns::scale(float*, float, int)");
    float values[3] = {1, 2, 3};
    write(values, 3);
    report("launch", scale.run({1, 32}, floats, 2.0f, 3));
    read(values, 3);
    std::printf("%g %g %g, %zu parameters\n", static_cast<double>(values[0]),
                static_cast<double>(values[1]), static_cast<double>(values[2]),
                scale.compiled().params().size());
    report("too few", scale.run({1, 32}, floats, 2.0f));
    report("double", scale.run({1, 32}, floats, 2.0, 3));
    report("empty block", scale.run({1, 0}, floats, 2.0f, 3));

    find(module, "over");
    find(module, "_ZN2ns5scaleEPffi");
    find(module, "nothing");
    double filled = 0;
    report("launch",
           find(module, "fill<double>").run({1, 1}, reinterpret_cast<double*>(memory), 0.5));
    read(&filled, 1);
    std::printf("%g\n", filled);

    const auto add = find(module, "add_pair");
    report("launch", add.run({1, 1}, static_cast<signed char>(-1), Pair{3, 4}, numbers));
    int sum = 0;
    read(&sum, 1);
    std::printf("%d\n", sum);
    report("misaligned", add.run({1, 1}, 'x', 1.0, numbers));

    const auto threads = find(module, "count_threads");
    for (const unsigned block : {64u, 192u, 256u, 96u, 2048u}) {
        const int zero = 0;
        write(&zero, 1);
        report(std::to_string(block).c_str(), threads.run({1, block}, numbers));
        int total = -1;
        read(&total, 1);
        std::printf("%d threads\n", total);
    }
    std::printf("%d of 40 launches failed\n", launch_from_threads(threads, 1024));
    for (const auto& version : threads.compiled().history())
        std::printf("%s, at most %d threads\n", version.reason.c_str(),
                    version.resources.max_threads);
    std::printf("arch '%s', log '%s'\n", threads.compiled().arch().c_str(), module.log().c_str());
    if (std::strcmp(words[1], "compile") == 0) {
        const auto shorts = find(module, "fill< short >");
        report("launch", shorts.run({1, 1}, reinterpret_cast<short*>(memory), short{1}));
    }
    return 0;
}
