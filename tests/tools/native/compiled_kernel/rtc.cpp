// A runtime compiler with the functions of NVRTC or HIPRTC, whose prefix is RTC(name). It prints what
// it is asked to do. The code that it returns is in the file that CODE names.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

namespace {

std::string code, message;

std::string read_code() {
    std::ifstream file(std::getenv("CODE"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int copy(const std::string& from, char* to) { return std::memcpy(to, from.data(), from.size()), 0; }

}  // namespace

extern "C" {

const char* RTC(GetErrorString)(int code) { return code == 6 ? "ERROR_COMPILATION" : "ERROR"; }
int RTC(CreateProgram)(void** program, const char* text, const char* name, int headers,
                       const char* const*, const char* const*) {
    std::printf("create %s: %s, %d headers\n", name, text, headers);
    return *program = &code, 0;
}
int RTC(DestroyProgram)(void** program) { return std::printf("destroy\n"), *program = nullptr, 0; }
int RTC(AddNameExpression)(void*, const char* name) { return std::printf("add %s\n", name), 0; }
int RTC(CompileProgram)(void*, int count, const char* const* options) {
    std::printf("compile");
    for (int i = 0; i < count; ++i) std::printf(" %s", options[i]);
    std::printf("\n");
    const bool fails = std::strcmp(options[count - 1], "-fail") == 0;
    code = fails ? "" : read_code();
    message = fails ? "an error\n" : "a warning\n";
    return fails ? 6 : 0;
}
int RTC(GetLoweredName)(void*, const char*, const char** symbol) { return *symbol = "_Z1kiPf", 0; }
int RTC(GetProgramLogSize)(void*, std::size_t* size) { return *size = message.size() + 1, 0; }
int RTC(GetProgramLog)(void*, char* log) { return std::strcpy(log, message.c_str()), 0; }
#if defined(HIP)
int RTC(GetCodeSize)(void*, std::size_t* size) { return *size = code.size(), 0; }
int RTC(GetCode)(void*, char* to) { return copy(code, to); }
#else
int RTC(GetCUBINSize)(void*, std::size_t* size) { return *size = 0, 0; }
int RTC(GetCUBIN)(void*, char*) { return 0; }
int RTC(GetPTXSize)(void*, std::size_t* size) { return *size = code.size(), 0; }
int RTC(GetPTX)(void*, char* to) { return copy(code, to); }
#endif

}  // extern "C"
