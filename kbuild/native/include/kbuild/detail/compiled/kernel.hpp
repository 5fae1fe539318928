// Kernels that can be launched, whatever they were loaded from.
#ifndef KBUILD_DETAIL_COMPILED_KERNEL_HPP
#define KBUILD_DETAIL_COMPILED_KERNEL_HPP

#include <kbuild/detail/compiled/names.hpp>
#include <kbuild/detail/compiled/shared_library.hpp>
#include <kbuild/detail/launch/config.hpp>
#include <kbuild/module.h>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kbuild {

// What the code of a kernel uses on the device. -1 means unknown.
struct KernelResources {
    int registers = -1;     // per thread
    int shared_bytes = -1;  // static, per block
    int local_bytes = -1;   // per thread, which includes spilled registers
    int constant_bytes = -1;
    int max_threads = -1;  // the largest block, limited by launch bounds and registers
};

// One version of a kernel's code.
struct KernelVersion {
    std::string reason;  // why it was made
    KernelResources resources;
};

namespace detail {

// The numbers of CUDA's errors, which the CPU backend shares.
constexpr int error_invalid_value = 1;
constexpr int error_invalid_image = 200;
constexpr int error_compilation = 218;  // invalid PTX, in CUDA's words
constexpr int error_file = 301;
constexpr int error_library = 303;
constexpr int error_not_found = 500;
constexpr int error_too_many_threads = 701;
constexpr int error_not_supported = 801;

// Says that a block has more threads than the code allows.
inline std::string explain_block(std::uint64_t threads, int most) {
    return "a block has " + std::to_string(threads) + " threads, but the code allows " +
           std::to_string(most);
}

// Says how to get code for larger blocks.
inline std::string suggest_block(std::uint64_t threads) {
    const auto number = std::to_string(threads);
    return "compile the kernel for such blocks, with __launch_bounds__(" + number +
           ") in its source or with block_size=" + number + " in Python";
}

class LoadedKernel {
public:
    LoadedKernel(std::string symbol, std::vector<kbuild_param> layout)
        : name(std::move(symbol)), display(demangle(name)), params(std::move(layout)) {}
    virtual ~LoadedKernel() = default;

    virtual error launch(const kbuild_launch_config& config, void** args) = 0;
    // Returns at least one version.
    virtual std::vector<KernelVersion> history() { return {{"loaded", {}}}; }
    virtual std::string arch() { return {}; }

    const std::string name, display;
    const std::vector<kbuild_param> params;

protected:
    // Fails if the block has more threads than the code allows; -1 means unknown.
    error check_block(const kbuild_dim3& block, int most) const {
        const auto threads = std::uint64_t{block.x} * block.y * block.z;
        if (most < 0 || threads <= static_cast<std::uint64_t>(most)) return error();
        return error(error_too_many_threads,
                     display + ": " + explain_block(threads, most) + "; " + suggest_block(threads));
    }
};

using LoadedKernels = std::vector<std::shared_ptr<LoadedKernel>>;

// A kernel of a module descriptor, which the runtime of the module launches.
class DescribedKernel final : public LoadedKernel {
public:
    // The owner, which can be empty, keeps the descriptor valid.
    DescribedKernel(const kbuild_module& module, const kbuild_kernel& row,
                    std::shared_ptr<const void> owner)
        : LoadedKernel(row.device_name, {row.params, row.params + row.param_count}),
          runtime_(*module.runtime),
          handle_(row.handle),
          owner_(std::move(owner)) {}

    error launch(const kbuild_launch_config& config, void** args) override {
        const int code = runtime_.launch(handle_, &config, args);
        return code == 0 ? error() : error(code, display + ": " + runtime_.error_message(code));
    }

private:
    const kbuild_runtime& runtime_;
    const void* const handle_;
    const std::shared_ptr<const void> owner_;
};

inline error read_descriptor(LoadedKernels* kernels, const kbuild_module& module,
                             const std::shared_ptr<const void>& owner) {
    if (module.abi != KBUILD_MODULE_ABI)
        return error(error_invalid_image,
                     "the module descriptor has ABI version " + std::to_string(module.abi) +
                         ", but this header supports " + std::to_string(KBUILD_MODULE_ABI));
    for (std::uint64_t row = 0; row < module.kernel_count; ++row)
        kernels->push_back(std::make_shared<DescribedKernel>(module, module.kernels[row], owner));
    return error();
}

// The CPU backend's runtime; see kbuild/cpu_runtime.h.
struct CpuRuntime {
    SharedLibrary library{{"libkbuild_cpu.so.1"},
                          "link kbuild::runtime_cpu, which also sets a run path"};
    int (*load_images)(const kbuild_module**, const void*, std::size_t);
    void (*unload_images)(const kbuild_module*);
    const char* (*error_message)(int);

    CpuRuntime() {
        library.find(load_images, "kbuild_cpu_load_images");
        library.find(unload_images, "kbuild_cpu_unload_images");
        library.find(error_message, "kbuild_cpu_error_message");
    }
    static const CpuRuntime& instance() {
        static const CpuRuntime runtime;
        return runtime;
    }
};

inline error read_cpu_images(LoadedKernels* kernels, const std::string& images) {
    const auto& runtime = CpuRuntime::instance();
    if (!runtime.library.problem().empty()) return error(error_library, runtime.library.problem());
    const kbuild_module* module = nullptr;
    if (const int code = runtime.load_images(&module, images.data(), images.size()))
        return error(code, std::string(runtime.error_message(code)));
    const std::shared_ptr<const kbuild_module> owner(module, runtime.unload_images);
    return read_descriptor(kernels, *module, owner);
}

}  // namespace detail
}  // namespace kbuild

#endif
