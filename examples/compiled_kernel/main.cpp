// Finds a kernel by its name and launches it with checked arguments. The kernel comes from
//
//     compiled_kernel                     the library that is linked
//     compiled_kernel FILE                a file with device code: fat binary, cubin, PTX, CPU image
//     compiled_kernel --compile FILE.cu   source text, which NVRTC compiles at run time
#include <kbuild/compiled_kernel.hpp>
#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

// What kbuild generates for the target `scale_kernels`.
extern "C" const kbuild_module kbuild_module_scale_kernels;

static kbuild::error load(kbuild::CompiledModule* module, int count, char** words)
{
    if (count == 1) return kbuild::CompiledModule::load(module, kbuild_module_scale_kernels);
    if (std::strcmp(words[1], "--compile") != 0) return kbuild::CompiledModule::load(module, words[1]);
    std::ifstream file(words[2]);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return kbuild::KernelCompiler("cuda").compile(module, text);
}

int main(int count, char** words)
{
    const int n = 1000;
    float values[n];
    for (int i = 0; i < n; i++) values[i] = static_cast<float>(i);

    kbuild::CompiledModule module;
    kbuild::CompiledKernel scale;
    float* memory = nullptr;
    kbuild::error error = kbuild::allocate(reinterpret_cast<void**>(&memory), sizeof values);
    if (error) { // the first call that needs a device
        std::printf("compiled_kernel: skipped: %s\n", error.message());
        return 77;
    }
    if ((error = load(&module, count, words)) || (error = module.find(&scale, "ns::scale")) ||
        (error = kbuild::copy(memory, values, sizeof values, KBUILD_COPY_TO_DEVICE)) ||
        (error = kbuild::KernelExecutor(scale).run({(n + 255) / 256, 256}, memory, 2.0f, n)) ||
        (error = kbuild::copy(values, memory, sizeof values, KBUILD_COPY_TO_HOST)) ||
        (error = kbuild::release(memory))) {
        std::fprintf(stderr, "compiled_kernel: %s\n", error.message());
        return 1;
    }
    for (int i = 0; i < n; i++) {
        if (values[i] != 2.0f * static_cast<float>(i)) {
            std::fprintf(stderr, "compiled_kernel: values[%d] is %g\n", i, static_cast<double>(values[i]));
            return 1;
        }
    }
    std::printf("compiled_kernel: %s scaled %d values\n", scale.display().c_str(), n);
    return 0;
}
