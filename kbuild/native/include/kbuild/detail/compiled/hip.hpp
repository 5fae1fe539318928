// Code objects for AMD GPUs, through HIP's runtime.
#ifndef KBUILD_DETAIL_COMPILED_HIP_HPP
#define KBUILD_DETAIL_COMPILED_HIP_HPP

#include <kbuild/detail/compiled/amd_metadata.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace kbuild {
namespace detail {

struct HipRuntime {
    using Launch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);
    using CooperativeLaunch = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                  unsigned, void*, void**);

    SharedLibrary library{
        {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
        "install ROCm, and add the directory of its libraries to LD_LIBRARY_PATH"};
    const char* (*error_name)(int);
    const char* (*error_text)(int);
    int (*current_device)(int*);
    int (*load)(void**, const void*);
    int (*unload)(void*);
    int (*find_kernel)(void**, void*, const char*);
    Launch* launch;
    CooperativeLaunch* launch_cooperatively;  // null before HIP 5.5

    HipRuntime() {
        library.find(error_name, "hipGetErrorName");
        library.find(error_text, "hipGetErrorString");
        library.find(current_device, "hipGetDevice");
        library.find(load, "hipModuleLoadData");
        library.find(unload, "hipModuleUnload");
        library.find(find_kernel, "hipModuleGetFunction");
        library.find(launch, "hipModuleLaunchKernel");
        library.find_optional(launch_cooperatively, "hipModuleLaunchCooperativeKernel");
    }

    static const HipRuntime& instance() {
        static const HipRuntime runtime;
        return runtime;
    }

    error explain(int code, const std::string& doing) const {
        if (code == 0) return error();
        return error(code, doing + ": " + error_name(code) + ": " + error_text(code));
    }
};

// A code object in memory, which each device loads when it is first used there.
class HipImage {
public:
    explicit HipImage(std::string image) : image_(std::move(image)) {}

    error find(void** function, const std::string& kernel, int device) {
        const auto& runtime = HipRuntime::instance();
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& module = modules_[device];
        if (module == nullptr) {
            void* handle = nullptr;
            const int code = runtime.load(&handle, image_.data());
            if (code != 0) return runtime.explain(code, "loading device code");
            module.reset(handle, runtime.unload);
        }
        return runtime.explain(runtime.find_kernel(function, module.get(), kernel.c_str()),
                               "finding kernel " + kernel);
    }

private:
    const std::string image_;
    std::mutex mutex_;
    std::map<int, std::shared_ptr<void>> modules_;
};

class HipKernel final : public LoadedKernel {
public:
    HipKernel(AmdKernelFacts facts, std::string arch, std::shared_ptr<HipImage> image)
        : LoadedKernel(std::move(facts.name), std::move(facts.params)),
          resources_(facts.resources),
          arch_(std::move(arch)),
          image_(std::move(image)) {}

    std::vector<KernelVersion> history() override { return {{"loaded", resources_}}; }
    std::string arch() override { return arch_; }

    error launch(const kbuild_launch_config& config, void** args) override {
        const auto& runtime = HipRuntime::instance();
        if (!runtime.library.problem().empty())
            return error(error_library, runtime.library.problem());
        if (auto problem = check(config)) return problem;
        void* kernel = nullptr;
        if (auto problem = find(&kernel)) return problem;
        const auto &grid = config.grid, &block = config.block;
        const auto bytes =
            static_cast<unsigned>(std::min<std::size_t>(config.shared_bytes, UINT32_MAX));
        const int code =
            config.cooperative != 0
                ? runtime.launch_cooperatively(kernel, grid.x, grid.y, grid.z, block.x, block.y,
                                               block.z, bytes, config.stream, args)
                : runtime.launch(kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, bytes,
                                 config.stream, args, nullptr);
        return runtime.explain(code, display);
    }

private:
    // Checks what the runtime would ignore, or explain less clearly.
    error check(const kbuild_launch_config& config) const {
        const auto unsupported = [&](const char* what) {
            return error(error_not_supported, display + ": HIP does not support " + what);
        };
        if (config.cluster.x != 0) return unsupported("clusters");
        if (config.programmatic_dependent_launch != 0)
            return unsupported("programmatic dependent launch");
        if (config.priority != 0) return unsupported("priorities of launches");
        if (config.cooperative != 0 && HipRuntime::instance().launch_cooperatively == nullptr)
            return unsupported("cooperative launches of loaded code before HIP 5.5");
        // If blocks are small, the runtime accepts larger grids, which no device supports.
        if ((config.grid.x | config.grid.y | config.grid.z) > INT32_MAX)
            return error(error_invalid_value, display + ": the grid has more than " +
                                                  std::to_string(INT32_MAX) +
                                                  " blocks in one direction");
        return check_block(config.block, resources_.max_threads);
    }

    error find(void** kernel) {
        int device = 0;
        const auto& runtime = HipRuntime::instance();
        if (auto problem =
                runtime.explain(runtime.current_device(&device), "finding an AMD device"))
            return problem;
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& found = found_[device];
        if (found == nullptr)
            if (auto problem = image_->find(&found, name, device)) return problem;
        *kernel = found;
        return error();
    }

    const KernelResources resources_;
    const std::string arch_;
    const std::shared_ptr<HipImage> image_;
    std::mutex mutex_;
    std::map<int, void*> found_;  // by device
};

// Needs neither a device nor the runtime: the code object describes its kernels.
inline error read_hip_image(LoadedKernels* kernels, const std::string& image) {
    std::vector<AmdKernelFacts> rows;
    std::string arch;
    if (auto problem = read_amd_metadata(&rows, &arch, image)) return problem;
    const auto loaded = std::make_shared<HipImage>(image);
    for (auto& row : rows)
        kernels->push_back(std::make_shared<HipKernel>(std::move(row), arch, loaded));
    return error();
}

}  // namespace detail
}  // namespace kbuild

#endif
