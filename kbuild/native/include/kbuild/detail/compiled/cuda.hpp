// CUDA modules, through the driver.
#ifndef KBUILD_DETAIL_COMPILED_CUDA_HPP
#define KBUILD_DETAIL_COMPILED_CUDA_HPP

#include <kbuild/detail/compiled/kernel.hpp>
#include <kbuild/detail/compiled/launch_bounds.hpp>
#include <algorithm>
#include <cstdint>
#include <mutex>

namespace kbuild {
namespace detail {

// The types have the layouts of those in cuda.h, a header that hosts might not have.
struct CudaLaunchAttribute {
    int id;
    int padding;
    union {
        unsigned numbers[3];
        char bytes[64];
    };
};

struct CudaLaunchConfig {
    kbuild_dim3 grid, block;
    unsigned shared_bytes;
    void* stream;
    CudaLaunchAttribute* attributes;
    unsigned attribute_count;
};

struct CudaDriver {
    SharedLibrary library{{"libcuda.so.1"}, "install NVIDIA's driver"};
    int (*init)(unsigned);
    int (*error_name)(int, const char**);
    int (*error_text)(int, const char**);
    int (*current_context)(void**);
    int (*set_context)(void*);
    int (*primary_context)(void**, int);
    int (*current_device)(int*);
    int (*device_attribute)(int*, int, int);
    int (*load)(void**, const void*, int*, void**, unsigned, int*, void**, unsigned);
    int (*unload)(void*);
    int (*kernel_count)(unsigned*, void*);
    int (*list_kernels)(void**, unsigned, void*);
    int (*find_kernel)(void**, void*, const char*);
    int (*kernel_name)(const char**, void*);
    int (*param_info)(void*, std::size_t, std::size_t*, std::size_t*);
    int (*kernel_attribute)(int*, int, void*, int);
    int (*set_kernel_attribute)(int, int, void*, int);
    int (*launch)(const CudaLaunchConfig*, void*, void**, void**);

    CudaDriver() {
        library.find(init, "cuInit");
        library.find(error_name, "cuGetErrorName");
        library.find(error_text, "cuGetErrorString");
        library.find(current_context, "cuCtxGetCurrent");
        library.find(set_context, "cuCtxSetCurrent");
        library.find(primary_context, "cuDevicePrimaryCtxRetain");
        library.find(current_device, "cuCtxGetDevice");
        library.find(device_attribute, "cuDeviceGetAttribute");
        library.find(load, "cuLibraryLoadData");
        library.find(unload, "cuLibraryUnload");
        library.find(kernel_count, "cuLibraryGetKernelCount");  // since CUDA 12.4
        library.find(list_kernels, "cuLibraryEnumerateKernels");
        library.find(find_kernel, "cuLibraryGetKernel");
        library.find(kernel_name, "cuKernelGetName");
        library.find(param_info, "cuKernelGetParamInfo");
        library.find(kernel_attribute, "cuKernelGetAttribute");
        library.find(set_kernel_attribute, "cuKernelSetAttribute");
        library.find(launch, "cuLaunchKernelEx");
    }

    static const CudaDriver& instance() {
        static const CudaDriver driver;
        return driver;
    }

    error explain(int code, const std::string& doing) const {
        if (code == 0) return error();
        const char *word = nullptr, *text = nullptr;
        error_name(code, &word);
        error_text(code, &text);
        return error(code, doing + ": " + (word != nullptr ? word : "unknown error") +
                               (text != nullptr ? std::string(": ") + text : ""));
    }

    // Sets the device of the thread's context. If there is no context, makes the primary context of
    // the first device current, as cudart does.
    error find_device(int* device) const {
        if (!library.problem().empty()) return error(error_library, library.problem());
        void* context = nullptr;
        int code = init(0);
        if (code == 0) code = current_context(&context);
        if (code == 0 && context == nullptr) {
            code = primary_context(&context, 0);
            if (code == 0) code = set_context(context);
        }
        return explain(code != 0 ? code : current_device(device), "finding a CUDA device");
    }

    int read_device(int attribute, int device) const {
        int number = 0;
        return device_attribute(&number, attribute, device) == 0 ? number : 0;
    }
};

// Numbers in cuda.h.
constexpr int device_threads_attribute = 1, device_registers_attribute = 12;
constexpr int device_major_attribute = 75, device_minor_attribute = 76;
constexpr int device_shared_attribute = 97;  // per block, for kernels that raise their limit
constexpr int kernel_shared_limit_attribute = 8;

// Loads a fat binary, a cubin, or PTX, for all devices of the process.
inline error load_cuda_library(std::shared_ptr<void>* loaded, const std::string& image) {
    const auto& driver = CudaDriver::instance();
    std::string log(4096, '\0');
    int options[] = {5, 6};  // the error log's buffer, and its size
    void* values[] = {&log[0], reinterpret_cast<void*>(log.size())};
    void* handle = nullptr;
    const int code = driver.load(&handle, image.c_str(), options, values, 2, nullptr, nullptr, 0);
    if (code == 0) loaded->reset(handle, driver.unload);
    return driver.explain(
        code, "loading device code" + (log[0] != 0 ? " (" + std::string(log.c_str()) + ")" : ""));
}

// One version of a kernel's code, and the library that contains it.
struct CudaCode {
    std::shared_ptr<void> library;
    void* kernel;
    KernelVersion version;
    int arch;
};

inline CudaCode describe_cuda_code(std::shared_ptr<void> library, void* kernel, std::string reason,
                                   int device) {
    const auto read = [&](int attribute) {
        int number = -1;
        return CudaDriver::instance().kernel_attribute(&number, attribute, kernel, device) == 0
                   ? number
                   : -1;
    };
    return {std::move(library),
            kernel,
            {std::move(reason), {read(4), read(1), read(3), read(2), read(0)}},
            read(6)};
}

class CudaKernel final : public LoadedKernel {
public:
    // The assembly is empty if the kernel cannot be compiled again.
    CudaKernel(std::string symbol, std::vector<kbuild_param> layout, std::shared_ptr<void> library,
               void* kernel, std::shared_ptr<const std::string> assembly)
        : LoadedKernel(std::move(symbol), std::move(layout)),
          library_(std::move(library)),
          kernel_(kernel),
          assembly_(std::move(assembly)) {}

    std::vector<KernelVersion> history() override {
        int device;
        std::vector<KernelVersion> versions;
        if (CudaDriver::instance().find_device(&device)) return {{"loaded", {}}};
        const std::lock_guard<std::mutex> lock(mutex_);
        describe_first(device);
        for (const auto& code : codes_) versions.push_back(code.version);
        return versions;
    }

    std::string arch() override {
        int device;
        if (CudaDriver::instance().find_device(&device)) return {};
        const std::lock_guard<std::mutex> lock(mutex_);
        describe_first(device);
        return codes_[0].arch > 0 ? "sm_" + std::to_string(codes_[0].arch) : "";
    }

    error launch(const kbuild_launch_config& config, void** args) override {
        const auto& driver = CudaDriver::instance();
        int device;
        void* kernel;
        if (auto problem = driver.find_device(&device)) return problem;
        if (auto problem = select(&kernel, config.block, device)) return problem;
        if (config.shared_bytes != 0) raise_shared_limit(kernel, config.shared_bytes, device);
        const auto shared_bytes = std::min<std::size_t>(config.shared_bytes, UINT32_MAX);
        CudaLaunchAttribute attributes[4] = {};
        CudaLaunchConfig own = {config.grid,   config.block, static_cast<unsigned>(shared_bytes),
                                config.stream, attributes,   0};
        const auto add = [&](int id) {
            attributes[own.attribute_count].id = id;
            return attributes[own.attribute_count++].numbers;
        };
        if (config.cluster.x != 0) std::memcpy(add(4), &config.cluster, sizeof config.cluster);
        if (config.cooperative != 0) *add(2) = 1;
        if (config.programmatic_dependent_launch != 0) *add(6) = 1;
        if (config.priority != 0) *add(8) = static_cast<unsigned>(config.priority);
        return driver.explain(driver.launch(&own, kernel, args, nullptr), display);
    }

private:
    // Asks only now, because the driver loads the code onto the device to answer.
    void describe_first(int device) {
        if (codes_.empty())
            codes_.push_back(describe_cuda_code(library_, kernel_, "loaded", device));
    }

    // Finds the best code for a block: the first code if it fits, or the one with most registers.
    // If there is none, compiles the kernel again.
    error select(void** kernel, const kbuild_dim3& block, int device) {
        const auto threads = std::uint64_t{block.x} * block.y * block.z;
        const std::lock_guard<std::mutex> lock(mutex_);
        describe_first(device);
        const auto fits = [&](const CudaCode& code) {
            const int most = code.version.resources.max_threads;
            return most < 0 || threads <= static_cast<std::uint64_t>(most);
        };
        const CudaCode* best = fits(codes_[0]) ? &codes_[0] : nullptr;
        for (auto code = codes_.begin() + 1; best != &codes_[0] && code != codes_.end(); ++code)
            if (fits(*code) && (best == nullptr || code->version.resources.registers >
                                                       best->version.resources.registers))
                best = &*code;
        if (best == nullptr) {
            if (auto problem = recompile(threads, device)) return problem;
            best = &codes_.back();
        }
        *kernel = best->kernel;
        return error();
    }

    error recompile(std::uint64_t threads, int device) {
        const auto& driver = CudaDriver::instance();
        const auto reason = explain_block(threads, codes_[0].version.resources.max_threads);
        const auto fail = [&](const std::string& why) {
            return error(error_too_many_threads, display + ": " + reason + "; " + why);
        };
        const auto most =
            static_cast<std::uint64_t>(driver.read_device(device_threads_attribute, device));
        if (threads > most) return fail("the device allows " + std::to_string(most));
        if (assembly_ == nullptr)
            return fail("there is no PTX to compile again; load the PTX of the kernel, or " +
                        suggest_block(threads));
        // A multiprocessor has four parts with registers of their own, so that a block gets
        // registers for a multiple of four warps, in units of eight per thread.
        const auto bound = static_cast<unsigned>(std::min((threads + 127) / 128 * 128, most));
        const int in_block = driver.read_device(device_registers_attribute, device);
        const auto registers = static_cast<unsigned>(in_block) / bound / 8 * 8;
        const auto text = set_launch_bounds(*assembly_, name, bound, std::min(registers, 255u));
        if (text.empty()) return fail("its block size is required (.reqntid)");
        std::shared_ptr<void> library;
        void* kernel = nullptr;
        if (auto problem = load_cuda_library(&library, text)) return fail(problem.message());
        if (const int code = driver.find_kernel(&kernel, library.get(), name.c_str()))
            return driver.explain(code, display);
        auto made = describe_cuda_code(std::move(library), kernel, reason, device);
        if (made.version.resources.max_threads >= 0 &&
            static_cast<std::uint64_t>(made.version.resources.max_threads) < threads)
            return fail("compiled again, it allows " +
                        std::to_string(made.version.resources.max_threads));
        codes_.push_back(std::move(made));
        return error();
    }

    // If this fails, the launch reports what is wrong.
    void raise_shared_limit(void* kernel, std::size_t bytes, int device) const {
        const auto& driver = CudaDriver::instance();
        int limit = 0, fixed = 0;
        if (driver.kernel_attribute(&limit, kernel_shared_limit_attribute, kernel, device) != 0 ||
            bytes <= static_cast<std::size_t>(limit) ||
            driver.kernel_attribute(&fixed, 1, kernel, device) != 0)
            return;
        const int most = driver.read_device(device_shared_attribute, device) - fixed;
        (void)driver.set_kernel_attribute(kernel_shared_limit_attribute, most, kernel, device);
    }

    const std::shared_ptr<void> library_;
    void* const kernel_;
    const std::shared_ptr<const std::string> assembly_;
    std::mutex mutex_;
    std::vector<CudaCode> codes_;
};

inline error read_cuda_image(LoadedKernels* kernels, const std::string& image,
                             std::shared_ptr<const std::string> assembly) {
    const auto& driver = CudaDriver::instance();
    int device;
    unsigned count = 0;
    std::shared_ptr<void> library;
    if (auto problem = driver.find_device(&device)) return problem;
    if (auto problem = load_cuda_library(&library, image)) return problem;
    int code = driver.kernel_count(&count, library.get());
    std::vector<void*> handles(count);
    if (code == 0 && count != 0) code = driver.list_kernels(handles.data(), count, library.get());
    for (void* const handle : handles) {
        const char* symbol = nullptr;
        std::vector<kbuild_param> params;
        std::size_t offset, bytes;
        if (code == 0) code = driver.kernel_name(&symbol, handle);
        if (code != 0) break;
        while (driver.param_info(handle, params.size(), &offset, &bytes) == 0)
            params.push_back(
                {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
        kernels->push_back(
            std::make_shared<CudaKernel>(symbol, std::move(params), library, handle, assembly));
    }
    return driver.explain(code, "reading the kernels of a module");
}

}  // namespace detail
}  // namespace kbuild

#endif
