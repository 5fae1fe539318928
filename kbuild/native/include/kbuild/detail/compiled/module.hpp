// The content of a module: device code in memory, and the kernels that were found in it.
#ifndef KBUILD_DETAIL_COMPILED_MODULE_HPP
#define KBUILD_DETAIL_COMPILED_MODULE_HPP

#include <kbuild/detail/compiled/cuda.hpp>
#include <kbuild/detail/compiled/hip.hpp>
#include <kbuild/detail/compiled/rtc.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace kbuild {
namespace detail {

enum class ImageFormat {
    cpu_container,
    cpu_image,
    cuda_binary,
    ptx,
    amd_object,
    amd_bundle,
    unknown
};

// Returns whether the file is as long as its headers say. The driver reads an image without knowing
// its size, and the dynamic loader maps a file that is too short.
inline bool is_complete(const std::string& image) {
    const auto read = [&](std::size_t offset, std::size_t bytes) {
        return read_number(image, offset, bytes);
    };
    const bool is_elf = image.compare(0, 4, "\177ELF") == 0;
    // The table of sections ends an ELF file. The size of a fat binary is that after its header.
    const auto start = is_elf ? read(40, 8) : read(6, 2);
    const auto bytes = is_elf ? read(58, 2) * read(60, 2) : read(8, 8);
    return image.size() >= 64 && start <= image.size() && bytes <= image.size() - start;
}

inline ImageFormat find_format(const std::string& image) {
    const auto starts_with = [&](const std::string& magic) {
        return image.compare(0, magic.size(), magic) == 0;
    };
    if (starts_with("\x10\xff\x10\xad")) return ImageFormat::cpu_container;
    if (starts_with("\x50\xed\x55\xba")) return ImageFormat::cuda_binary;
    if (starts_with("__CLANG_OFFLOAD_BUNDLE__") || starts_with("CCOB"))
        return ImageFormat::amd_bundle;
    if (starts_with("\177ELF")) {
        const auto machine = image.size() < 20 ? 0 : static_cast<unsigned char>(image[18]);
        return machine == 190   ? ImageFormat::cuda_binary
               : machine == 224 ? ImageFormat::amd_object
                                : ImageFormat::cpu_image;
    }
    const bool is_text = image.find('\0') == std::string::npos;
    return is_text && image.find(".version") != std::string::npos ? ImageFormat::ptx
                                                                  : ImageFormat::unknown;
}

// Adds sm_ to a number. Takes the architecture of the current device if there is none.
inline error complete_cuda_architecture(std::string* arch) {
    if (arch->empty()) {
        const auto& driver = CudaDriver::instance();
        int device;
        if (auto problem = driver.find_device(&device))
            return error(problem.code(), std::string(problem.message()) +
                                             "; name the architecture to compile without a device");
        *arch = std::to_string(10 * driver.read_device(device_major_attribute, device) +
                               driver.read_device(device_minor_attribute, device));
    }
    if (arch->find_first_not_of("0123456789af") == std::string::npos) *arch = "sm_" + *arch;
    return error();
}

// Everything about a module. The kernels are found when they are first needed, because only that
// needs a device.
struct ModuleContent {
    std::string image, assembly, log;
    std::map<std::string, std::string> symbols;  // of instantiated templates
    std::mutex mutex;
    bool is_open = false;
    LoadedKernels kernels;

    error open() {
        const std::lock_guard<std::mutex> lock(mutex);
        if (is_open) return error();
        LoadedKernels found;
        if (auto problem = read(&found)) return problem;
        kernels = std::move(found);
        is_open = true;
        return error();
    }

    error compile(const std::string& backend, std::string arch, RtcSource source) {
        const bool is_cuda = backend == "cuda";
        if (!is_cuda && backend != "hip")
            return error(error_not_supported,
                         "backend '" + backend +
                             "' cannot compile at run time from C++; expected cuda or hip; "
                             "use kbuild.RtcKernel in Python, or build the kernels as a target");
        const auto& rtc = is_cuda ? RtcLibrary::nvrtc() : RtcLibrary::hiprtc();
        // HIPRTC finds out about the device itself.
        if (is_cuda)
            if (auto problem = complete_cuda_architecture(&arch)) return problem;
        std::vector<std::string> words = {"-DKBUILD_DEVICE_CODE=1"};
        if (!arch.empty()) words.insert(words.begin(), rtc.architecture_option + arch);
        for (const auto& option : source.options) {
            const auto start = option.find_first_not_of('-');
            const auto word =
                start < option.size() ? option.substr(start, option.find('=') - start) : "";
            if (word == "arch" || word == "gpu-architecture" || word == "offload-arch")
                return error(
                    error_invalid_value,
                    "option '" + option + "': pass the architecture to KernelCompiler instead");
        }
        source.options.insert(source.options.begin(), words.begin(), words.end());
        RtcOutput output;
        if (auto problem = compile_text(&output, source, rtc)) return problem;
        image = output.code.empty() ? output.ptx : std::move(output.code);
        assembly = std::move(output.ptx);
        log = std::move(output.log);
        symbols = std::move(output.symbols);
        return error();
    }

private:
    error read(LoadedKernels* found) const {
        const auto format = find_format(image);
        const auto fail = [](const char* what) { return error(error_invalid_image, what); };
        if (format == ImageFormat::unknown)
            return fail(
                "the image is not a fat binary, a cubin, PTX, a code object, or an image of the "
                "CPU backend");
        if (format == ImageFormat::amd_bundle)
            return error(error_not_supported,
                         "a bundle of code objects cannot be loaded; load the code object of one "
                         "architecture (clang-offload-bundler --unbundle), or build the kernels "
                         "with kbuild and load the module descriptor of the target");
        if (format != ImageFormat::cpu_container && format != ImageFormat::ptx &&
            !is_complete(image))
            return fail("the image is truncated");
        if (format == ImageFormat::amd_object) return read_hip_image(found, image);
        if (format == ImageFormat::cpu_image && image.find(".note.kbuild") != std::string::npos)
            return fail(
                "the file is a library or program with kernels, not their device code; open the "
                "library with dlopen, and load its module descriptor");
        if (format == ImageFormat::cpu_image && image.find("kbuild_cpu_image") == std::string::npos)
            return fail("the file is not an image of the CPU backend");
        if (format == ImageFormat::cpu_image || format == ImageFormat::cpu_container)
            return read_cpu_images(found, image);
        const auto& text = format == ImageFormat::ptx ? image : assembly;
        return read_cuda_image(found, image,
                               text.empty() ? nullptr : std::make_shared<const std::string>(text));
    }
};

// Says why the search for a kernel has no single result.
inline std::string explain_search(const std::string& name, const LoadedKernels& found,
                                  const LoadedKernels& all) {
    std::string list;
    for (const auto& kernel : found.empty() ? all : found) {
        if (list.size() > 1000) {
            list += ", ...";
            break;
        }
        list += (list.empty() ? "" : ", ") + kernel->display;
    }
    if (!found.empty()) return "kernel '" + name + "' is ambiguous; it can be " + list;
    return "the module has no kernel '" + name + "'; " +
           (list.empty() ? "it has no kernels" : "it has " + list);
}

// The layout of an argument's type.
struct ArgumentType {
    std::size_t size, alignment;
};

inline error launch_checked(LoadedKernel* kernel, const LaunchConfig& config, void** arguments,
                            const ArgumentType* types, std::size_t count) {
    if (kernel == nullptr)
        return error(error_not_found, "the executor has no kernel; find one in a module first");
    const auto& params = kernel->params;
    const auto fail = [&](const std::string& what) {
        return error(error_invalid_value, kernel->display + ": " + what);
    };
    if (count != params.size())
        return fail("takes " + std::to_string(params.size()) + " arguments, not " +
                    std::to_string(count));
    for (std::size_t i = 0; i < count; ++i)
        if (types[i].size != params[i].size || params[i].offset % types[i].alignment != 0)
            return fail("argument " + std::to_string(i) + " has " + std::to_string(types[i].size) +
                        " bytes with an alignment of " + std::to_string(types[i].alignment) +
                        ", but the parameter has " + std::to_string(params[i].size) +
                        " bytes at offset " + std::to_string(params[i].offset) +
                        "; pass a value of the parameter's type");
    return kernel->launch(to_c(config), arguments);
}

inline error read_file(std::string* content, const std::string& path) {
    std::FILE* const file = std::fopen(path.c_str(), "rbe");
    if (file == nullptr) return error(error_file, path + ": " + std::strerror(errno));
    char buffer[1 << 16];
    while (const std::size_t bytes = std::fread(buffer, 1, sizeof buffer, file))
        content->append(buffer, bytes);
    const int problem = std::ferror(file) ? errno : 0;
    std::fclose(file);
    return problem == 0 ? error() : error(error_file, path + ": " + std::strerror(problem));
}

}  // namespace detail
}  // namespace kbuild

#endif
