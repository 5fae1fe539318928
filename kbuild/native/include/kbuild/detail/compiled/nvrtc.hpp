// Compilation of CUDA source text at run time, with NVRTC.
#ifndef KBUILD_DETAIL_COMPILED_NVRTC_HPP
#define KBUILD_DETAIL_COMPILED_NVRTC_HPP

#include <kbuild/detail/compiled/cuda.hpp>
#include <map>

namespace kbuild {
namespace detail {

struct Nvrtc {
    SharedLibrary library{
        {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
        "install the CUDA Toolkit, and add the directory of its libraries to LD_LIBRARY_PATH"};
    const char* (*error_text)(int);
    int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(void**);
    int (*add_name)(void*, const char*);
    int (*compile)(void*, int, const char* const*);
    int (*symbol)(void*, const char*, const char**);
    int (*log_size)(void*, std::size_t*);
    int (*log)(void*, char*);
    int (*cubin_size)(void*, std::size_t*);
    int (*cubin)(void*, char*);
    int (*ptx_size)(void*, std::size_t*);
    int (*ptx)(void*, char*);

    Nvrtc() {
        library.find(error_text, "nvrtcGetErrorString");
        library.find(create, "nvrtcCreateProgram");
        library.find(destroy, "nvrtcDestroyProgram");
        library.find(add_name, "nvrtcAddNameExpression");
        library.find(compile, "nvrtcCompileProgram");
        library.find(symbol, "nvrtcGetLoweredName");
        library.find(log_size, "nvrtcGetProgramLogSize");
        library.find(log, "nvrtcGetProgramLog");
        library.find(cubin_size, "nvrtcGetCUBINSize");
        library.find(cubin, "nvrtcGetCUBIN");
        library.find(ptx_size, "nvrtcGetPTXSize");
        library.find(ptx, "nvrtcGetPTX");
    }

    static const Nvrtc& instance() {
        static const Nvrtc nvrtc;
        return nvrtc;
    }
};

// What a compilation takes, and what it returns.
struct RtcSource {
    std::string text, file_name;
    std::vector<std::string> options, templates;
};
struct RtcOutput {
    std::string cubin, ptx, log;
    std::map<std::string, std::string> symbols;  // of the templates
};

inline error compile_with_nvrtc(RtcOutput* output, const RtcSource& source) {
    const auto& nvrtc = Nvrtc::instance();
    if (!nvrtc.library.problem().empty()) return error(error_library, nvrtc.library.problem());
    void* program = nullptr;
    int code =
        nvrtc.create(&program, source.text.c_str(), source.file_name.c_str(), 0, nullptr, nullptr);
    const auto read = [&](int (*size)(void*, std::size_t*), int (*get)(void*, char*),
                          std::string* text) {
        std::size_t bytes = 0;
        if (code == 0) code = size(program, &bytes);
        text->resize(bytes);
        if (code == 0 && bytes != 0) code = get(program, &(*text)[0]);
    };
    std::vector<const char*> words;
    for (const auto& option : source.options) words.push_back(option.c_str());
    for (const auto& name : source.templates)
        if (code == 0) code = nvrtc.add_name(program, name.c_str());
    if (code == 0) {
        const int outcome = nvrtc.compile(program, static_cast<int>(words.size()), words.data());
        read(nvrtc.log_size, nvrtc.log, &output->log);
        while (!output->log.empty() && (output->log.back() == '\0' || output->log.back() == '\n'))
            output->log.pop_back();
        code = outcome;
    }
    read(nvrtc.cubin_size, nvrtc.cubin, &output->cubin);
    read(nvrtc.ptx_size, nvrtc.ptx, &output->ptx);
    while (!output->ptx.empty() && output->ptx.back() == '\0') output->ptx.pop_back();
    for (const auto& name : source.templates) {
        const char* symbol = nullptr;
        if (code == 0) code = nvrtc.symbol(program, name.c_str(), &symbol);
        if (code == 0) output->symbols[name] = symbol;
    }
    if (program != nullptr) nvrtc.destroy(&program);
    if (code == 0) return error();
    const std::string what = "compiling " + source.file_name + ": " + nvrtc.error_text(code);
    return error(error_compilation, output->log.empty() ? what : what + "\n" + output->log);
}

}  // namespace detail
}  // namespace kbuild

#endif
