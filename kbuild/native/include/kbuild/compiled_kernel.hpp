// Compiled kernels, separate from what runs them: load device code or compile it at run time, find
// a kernel by name, and launch it with checked arguments.
//
//     kbuild::CompiledModule module;
//     kbuild::CompiledKernel saxpy;
//     auto err = kbuild::CompiledModule::load(&module, "kernels.cubin");
//     if (!err) err = module.find(&saxpy, "saxpy");
//     if (!err) err = kbuild::KernelExecutor(saxpy).run({4, 256}, n, a, x, y);
//     if (err) std::fprintf(stderr, "%s\n", err.message());
//
// The vendors' libraries are opened when they are first needed, so programs do not link them.
// Threads can share all objects. In device code, this header is empty.
#ifndef KBUILD_COMPILED_KERNEL_HPP
#define KBUILD_COMPILED_KERNEL_HPP

#if !defined(KBUILD_DEVICE_CODE)

#if __cplusplus < 201703L
#error \
    "kbuild/compiled_kernel.hpp requires C++17: add target_compile_features(<target> PRIVATE cxx_std_17)"
#endif

#include <kbuild/detail/compiled/module.hpp>

namespace kbuild {

// A kernel and facts about it. It keeps its code loaded.
class CompiledKernel {
public:
    CompiledKernel() = default;

    // Returns whether this is a kernel. `CompiledModule::find` makes it one.
    explicit operator bool() const noexcept { return kernel_ != nullptr; }

    // Returns the symbol.
    std::string name() const { return kernel_ ? kernel_->name : ""; }
    // Returns the C++ name.
    std::string display() const { return kernel_ ? kernel_->display : ""; }
    // Returns the offsets and sizes of the parameters, in bytes.
    std::vector<kbuild_param> params() const {
        return kernel_ ? kernel_->params : std::vector<kbuild_param>();
    }
    // Returns the architecture of the code that the device runs, such as sm_90. It is empty if it
    // is unknown: the runtime of a module descriptor or of the CPU backend chooses the image.
    std::string arch() const { return kernel_ ? kernel_->arch() : ""; }
    // Returns what the first version of the code uses.
    KernelResources resources() const {
        return kernel_ ? kernel_->history()[0].resources : KernelResources();
    }
    // Returns all versions of the code, in the order in which they were made.
    std::vector<KernelVersion> history() const {
        return kernel_ ? kernel_->history() : std::vector<KernelVersion>();
    }

private:
    friend class CompiledModule;
    friend class KernelExecutor;
    std::shared_ptr<detail::LoadedKernel> kernel_;
};

// The kernels of one image, one compilation, or one kernel target. `load` and
// `KernelCompiler::compile` replace the content of a module: `CompiledModule::load(&module, path)`.
class CompiledModule {
public:
    // Loads device code from memory: a fat binary, a cubin, or PTX for CUDA; a code object for HIP;
    // a container or an image of the CPU backend. The bytes are copied.
    static error load(CompiledModule* module, const void* image, std::size_t bytes) {
        auto content = std::make_shared<detail::ModuleContent>();
        content->image.assign(static_cast<const char*>(image), bytes);
        return finish(module, std::move(content));
    }

    // Loads device code from a file.
    static error load(CompiledModule* module, const std::string& path) {
        auto content = std::make_shared<detail::ModuleContent>();
        if (auto problem = detail::read_file(&content->image, path)) return problem;
        auto problem = finish(module, std::move(content));
        return problem ? error(problem.code(), path + ": " + problem.message()) : error();
    }

    // Loads the kernels of a target that is part of the process, on any backend. Declare its
    // descriptor as `extern "C" const kbuild_module kbuild_module_<target>;`.
    static error load(CompiledModule* module, const kbuild_module& descriptor) {
        auto content = std::make_shared<detail::ModuleContent>();
        if (auto problem = detail::read_descriptor(&content->kernels, descriptor, nullptr))
            return problem;
        content->is_open = true;
        return finish(module, std::move(content));
    }

    // Finds a kernel by its symbol, or by its C++ name if that is not ambiguous: `ns::scale`,
    // `ns::scale(float*, int)`, `scale<float>`.
    error find(CompiledKernel* kernel, const std::string& name) const {
        if (content_ == nullptr)
            return error(
                detail::error_not_found,
                "the module is empty; load or compile one before finding kernel '" + name + "'");
        if (auto problem = content_->open()) return problem;
        const auto instance = content_->symbols.find(name);
        const std::string& symbol = instance == content_->symbols.end() ? name : instance->second;
        detail::LoadedKernels found;
        for (const auto& each : content_->kernels)
            if (each->name == symbol)
                found.insert(found.begin(), each);
            else if (detail::is_name_of(name, each->display))
                found.push_back(each);
        if (found.empty() || (found.size() > 1 && found[0]->name != symbol))
            return error(detail::error_not_found,
                         detail::explain_search(name, found, content_->kernels));
        kernel->kernel_ = found[0];
        return error();
    }

    // Returns the C++ names of the kernels. It is empty if they cannot be read; `find` says why.
    std::vector<std::string> names() const {
        std::vector<std::string> list;
        if (content_ != nullptr && !content_->open())
            for (const auto& kernel : content_->kernels) list.push_back(kernel->display);
        return list;
    }

    // Returns the device code. It is empty for kernels that are part of the process.
    std::string image() const { return content_ != nullptr ? content_->image : ""; }
    // Returns the PTX of a module that was compiled at run time.
    std::string assembly() const { return content_ != nullptr ? content_->assembly : ""; }
    // Returns everything that the compiler printed.
    std::string log() const { return content_ != nullptr ? content_->log : ""; }

private:
    friend class KernelCompiler;

    static error finish(CompiledModule* module, std::shared_ptr<detail::ModuleContent> content) {
        if (auto problem = content->open()) return problem;
        module->content_ = std::move(content);
        return error();
    }

    std::shared_ptr<detail::ModuleContent> content_;
};

// Launches one kernel.
class KernelExecutor {
public:
    explicit KernelExecutor(CompiledKernel kernel) : kernel_(std::move(kernel)) {}

    // Launches the kernel. Nothing converts the arguments, so each must have the type of its
    // parameter. Their number, sizes, and alignments are checked.
    //
    // On CUDA, a block with more threads than the code allows compiles the kernel again, if the
    // module has PTX. Launches use the thread's current device, or the first device.
    template <class... Arguments>
    error run(const LaunchConfig& config, const Arguments&... arguments) const {
        static_assert(
            ((std::is_trivially_copyable_v<Arguments> && !std::is_array_v<Arguments> &&
              !std::is_function_v<Arguments> && !std::is_null_pointer_v<Arguments>) &&
             ...),
            "kbuild::KernelExecutor::run: an argument must be a value that can be copied as bytes, "
            "such as a number or a pointer to device memory, and not an array or nullptr");
        static constexpr detail::ArgumentType types[] = {{sizeof(Arguments), alignof(Arguments)}...,
                                                         {0, 1}};
        void* addresses[] = {
            const_cast<void*>(static_cast<const void*>(std::addressof(arguments)))..., nullptr};
        return detail::launch_checked(kernel_.kernel_.get(), config, addresses, types,
                                      sizeof...(Arguments));
    }

    const CompiledKernel& compiled() const noexcept { return kernel_; }

private:
    CompiledKernel kernel_;
};

// Compiles source text at run time, with NVRTC or HIPRTC. It needs no device if the architecture is
// given.
class KernelCompiler {
public:
    // The backend is "cuda" or "hip". The architecture is one such as "sm_90" or "gfx90a", or empty
    // for that of the current device. Options are those of NVRTC or HIPRTC. Add the directories of
    // headers with -I.
    explicit KernelCompiler(std::string backend = "cuda", std::string arch = "",
                            std::vector<std::string> options = {})
        : backend_(std::move(backend)), arch_(std::move(arch)), options_(std::move(options)) {}

    // Compiles the text. `templates` are the instances to compile, such as "scale<float>", which
    // `find` accepts exactly as they are written here. `name` is the text's name in messages.
    error compile(CompiledModule* module, const std::string& text,
                  const std::vector<std::string>& templates = {},
                  const std::string& name = "kernels.cu") const {
        auto content = std::make_shared<detail::ModuleContent>();
        if (auto problem = content->compile(backend_, arch_, {text, name, options_, templates}))
            return problem;
        module->content_ = std::move(content);
        return error();
    }

private:
    std::string backend_, arch_;
    std::vector<std::string> options_;
};

}  // namespace kbuild

#endif
#endif
