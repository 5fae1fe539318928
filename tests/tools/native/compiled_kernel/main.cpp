// Launches with a driver that prints what it is asked to do.
#include <kbuild/compiled_kernel.hpp>

#include <cstdio>
#include <string>

using kbuild::CompiledKernel;
using kbuild::CompiledModule;

static const std::string head =
    "// .entry _Z5heavyPdi\n.version 8.0\n.visible .entry _Z5heavyPdi(.param .u64 p, .param .u32 "
    "n)\n";
static const std::string body = "{ ret; }\n.visible .entry _Z5heavyPdi2() .maxntid 1 { ret; }\n";

static void report(const char* what, const kbuild::error& error) {
    std::printf("%s: %s\n", what, error ? error.message() : "ok");
}

static CompiledKernel load(const std::string& ptx) {
    CompiledModule module;
    CompiledKernel kernel;
    report("load", CompiledModule::load(&module, ptx.data(), ptx.size()));
    if (!module.names().empty()) report("find", module.find(&kernel, "heavy"));
    return kernel;
}

static void launch(const CompiledKernel& kernel) {
    const kbuild::KernelExecutor executor(kernel);
    double* const memory = nullptr;
    for (const int threads : {32, 128, 129, 300, 500, 290, 1024, 2000})
        report("run", executor.run({1, threads}, memory, threads));
    kbuild::LaunchConfig config{2, {4, 2, 2}, 50000, reinterpret_cast<kbuild::stream_t>(16)};
    report("run", executor.run(config, memory, 7));
    config = kbuild::LaunchConfig{1, 1};
    config.cluster = 2;
    config.cooperative = true;
    config.programmatic_dependent_launch = true;
    config.priority = -3;
    report("run", executor.run(config, memory, 8));
    for (const auto& version : kernel.history())
        std::printf("%s: %d threads, %d registers\n", version.reason.c_str(),
                    version.resources.max_threads, version.resources.registers);
    const auto resources = kernel.resources();
    std::printf("%s: %d shared, %d local, %d constant\n", kernel.arch().c_str(),
                resources.shared_bytes, resources.local_bytes, resources.constant_bytes);
}

int main() {
    launch(load(head + ".maxntid 128, 1, 1\n.minnctapersm 2\n" + body));
    std::printf("required block\n");
    report("run", kbuild::KernelExecutor(load(head + ".reqntid 64\n.maxntid 64\n" + body))
                      .run({1, 65}, static_cast<double*>(nullptr), 1));
    std::printf("errors\n");
    load(".version 8.0 syntax error");
    load(std::string("\x50\xed\x55\xba\1\0\x10\0\xff\0\0\0\0\0\0\0", 16) + std::string(100, 'x'));
    load("\177ELF");
    load("BC\xc0\xde");
    load("__CLANG_OFFLOAD_BUNDLE__");
    CompiledModule module;
    CompiledKernel kernel;
    report("find", module.find(&kernel, "heavy"));
    report("run", kbuild::KernelExecutor(kernel).run({1, 1}));
    report("compile", kbuild::KernelCompiler("cpu").compile(&module, ""));
    report(
        "compile",
        kbuild::KernelCompiler("cuda", "sm_90", {"--gpu-architecture=sm_80"}).compile(&module, ""));
    report("file", CompiledModule::load(&module, "no such file"));
    return 0;
}
