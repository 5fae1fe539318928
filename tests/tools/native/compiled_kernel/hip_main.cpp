// Loads a code object, or compiles one, and launches its kernel with libraries that print what they
// are asked to do.
#include <kbuild/compiled_kernel.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using kbuild::CompiledKernel;
using kbuild::CompiledModule;

static void report(const char* what, const kbuild::error& error) {
    std::printf("%s: %s\n", what, error ? error.message() : "ok");
}

static void describe(const CompiledModule& module) {
    for (const auto& name : module.names()) {
        CompiledKernel kernel;
        report("find", module.find(&kernel, name));
        std::printf("%s:", name.c_str());
        for (const auto& param : kernel.params()) std::printf(" %u+%u", param.offset, param.size);
        const auto resources = kernel.resources();
        std::printf(", %s, %d registers, %d shared, %d local, %d threads\n", kernel.arch().c_str(),
                    resources.registers, resources.shared_bytes, resources.local_bytes,
                    resources.max_threads);
    }
}

static void launch(const CompiledModule& module) {
    CompiledKernel kernel;
    report("find", module.find(&kernel, "k"));
    const kbuild::KernelExecutor executor(kernel);
    auto* const memory = reinterpret_cast<float*>(16);
    report("run", executor.run({{2, 3}, {4, 5, 6}, 70, reinterpret_cast<kbuild::stream_t>(32)}, 1,
                               memory));
    kbuild::LaunchConfig config{1, 1};
    config.cooperative = true;
    report("run", executor.run(config, 2, memory));
    setenv("DEVICE", "1", 1);
    report("run", executor.run({1, 256}, 3, memory));
    setenv("DEVICE", "-1", 1);
    report("run", executor.run({1, 1}, 4, memory));
    setenv("DEVICE", "0", 1);
    report("run", executor.run({1, 257}, 5, memory));
    report("run", executor.run({-1, 1}, 6, memory));
    report("run", executor.run({1, 1}, 7));
    config.cluster = 2;
    report("run", executor.run(config, 8, memory));
}

int main(int count, char** words) {
    CompiledModule module;
    const std::string how = words[1];
    if (how == "load") report("load", CompiledModule::load(&module, words[2]));
    if (how == "compile") {
        const kbuild::KernelCompiler compiler(words[2], words[3], {"-O3"});
        report("compile", compiler.compile(&module, "the text", {"k<float>"}, "k.cu"));
        std::printf("log: %s\n", module.log().c_str());
        CompiledKernel kernel;
        report("find", module.find(&kernel, "k<float>"));
        const kbuild::KernelCompiler failing(words[2], words[3], {"-fail"});
        report("compile", failing.compile(&module, "the text"));
        const kbuild::KernelCompiler twice(words[2], words[3], {"--offload-arch=gfx900"});
        report("compile", twice.compile(&module, "the text"));
    }
    if (how != "compile" || std::strcmp(words[2], "hip") == 0) describe(module);
    if (count > 4 || (how == "load" && count > 3)) launch(module);
    return 0;
}
