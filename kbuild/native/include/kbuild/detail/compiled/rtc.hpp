// Compilation of source text at run time, with NVRTC or HIPRTC.
#ifndef KBUILD_DETAIL_COMPILED_RTC_HPP
#define KBUILD_DETAIL_COMPILED_RTC_HPP

#include <kbuild/detail/compiled/kernel.hpp>
#include <map>
#include <utility>

namespace kbuild {
namespace detail {

// A vendor's library. Both have the same functions, with other names.
struct RtcLibrary {
    SharedLibrary library;
    const char* (*error_text)(int);
    int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(void**);
    int (*add_name)(void*, const char*);
    int (*compile)(void*, int, const char* const*);
    int (*symbol)(void*, const char*, const char**);
    int (*log_size)(void*, std::size_t*);
    int (*log)(void*, char*);
    int (*code_size)(void*, std::size_t*);
    int (*code)(void*, char*);
    int (*ptx_size)(void*, std::size_t*) = nullptr;  // null if there is no PTX
    int (*ptx)(void*, char*) = nullptr;
    const char* const architecture_option;

    static const RtcLibrary& nvrtc() {
        static const RtcLibrary made(
            SharedLibrary({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
                          "install the CUDA Toolkit, and add the directory of its libraries to "
                          "LD_LIBRARY_PATH"),
            "nvrtc", "CUBIN", "--gpu-architecture=", true);
        return made;
    }

    static const RtcLibrary& hiprtc() {
        static const RtcLibrary made(
            // In ROCm before 5.3, which Debian has, it is a part of the runtime.
            SharedLibrary({"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so",
                           "libamdhip64.so.5"},
                          "install ROCm 5 or newer, and add the directory of its libraries to "
                          "LD_LIBRARY_PATH"),
            "hiprtc", "Code", "--offload-arch=", false);
        return made;
    }

private:
    RtcLibrary(SharedLibrary opened, const std::string& prefix, const std::string& image,
               const char* option, bool has_ptx)
        : library(std::move(opened)), architecture_option(option) {
        const auto find = [&](auto& function, const std::string& called) {
            library.find(function, (prefix + called).c_str());
        };
        find(error_text, "GetErrorString");
        find(create, "CreateProgram");
        find(destroy, "DestroyProgram");
        find(add_name, "AddNameExpression");
        find(compile, "CompileProgram");
        find(symbol, "GetLoweredName");
        find(log_size, "GetProgramLogSize");
        find(log, "GetProgramLog");
        find(code_size, "Get" + image + "Size");
        find(code, "Get" + image);
        if (!has_ptx) return;
        find(ptx_size, "GetPTXSize");
        find(ptx, "GetPTX");
    }
};

// What a compilation takes, and what it returns.
struct RtcSource {
    std::string text, file_name;
    std::vector<std::string> options, templates;
};
struct RtcOutput {
    std::string code, ptx, log;
    std::map<std::string, std::string> symbols;  // of the templates
};

inline error compile_text(RtcOutput* output, const RtcSource& source, const RtcLibrary& rtc) {
    if (!rtc.library.problem().empty()) return error(error_library, rtc.library.problem());
    void* program = nullptr;
    int code =
        rtc.create(&program, source.text.c_str(), source.file_name.c_str(), 0, nullptr, nullptr);
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
        if (code == 0) code = rtc.add_name(program, name.c_str());
    if (code == 0) {
        const int outcome = rtc.compile(program, static_cast<int>(words.size()), words.data());
        read(rtc.log_size, rtc.log, &output->log);
        while (!output->log.empty() && (output->log.back() == '\0' || output->log.back() == '\n'))
            output->log.pop_back();
        code = outcome;
    }
    read(rtc.code_size, rtc.code, &output->code);
    if (rtc.ptx != nullptr) read(rtc.ptx_size, rtc.ptx, &output->ptx);
    while (!output->ptx.empty() && output->ptx.back() == '\0') output->ptx.pop_back();
    for (const auto& name : source.templates) {
        const char* symbol = nullptr;
        if (code == 0) code = rtc.symbol(program, name.c_str(), &symbol);
        if (code == 0) output->symbols[name] = symbol;
    }
    if (program != nullptr) rtc.destroy(&program);
    if (code == 0) return error();
    const std::string what = "compiling " + source.file_name + ": " + rtc.error_text(code);
    return error(error_compilation, output->log.empty() ? what : what + "\n" + output->log);
}

}  // namespace detail
}  // namespace kbuild

#endif
