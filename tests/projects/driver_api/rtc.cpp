/* NVRTC. The program returns the number of failures. */
#include <nvrtc.h>

#include "checks.h"

#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

static const char *const text = R"(
#include "own/header.h"
template <class T> __global__ void add(T *p, T *q) { *p = *q + OWN + OPTION; }
namespace n {
static __device__ int variable = 5;
__constant__ int table[4];
__managed__ int managed = 9;
__global__ void same(int *p) { *p = 1; }
__global__ void same(float *p) { *p = 2; }
__global__ void empty() {}
}
extern "C" __global__ void sum(int *p) { *p = n::variable + n::managed + n::table[1]; }
)";

static std::string get_log(nvrtcProgram program) {
    size_t bytes = 0;
    EXPECT(nvrtcGetProgramLogSize(program, &bytes), NVRTC_SUCCESS);
    std::string log(bytes, '\0');
    EXPECT(nvrtcGetProgramLog(program, &log[0]), NVRTC_SUCCESS);
    return log;
}

static void check_name(nvrtcProgram program, const char *expression, const char *expected) {
    const char *found = "";
    EXPECT(nvrtcGetLoweredName(program, expression, &found), NVRTC_SUCCESS);
    if (strcmp(found, expected) == 0) return;
    printf("%s is %s instead of %s\n", expression, found, expected);
    ++failures;
}

static void check_image(const std::vector<char> &image) {
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr memory, table;
    size_t bytes = 0;
    int result = 0;
    const int values[4] = {0, 1000, 0, 0};
    void *arguments[] = {&memory};
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, nullptr, 0, 0));
    CHECK(cuModuleLoadData(&module, image.data()));
    CHECK(cuModuleGetGlobal(&table, &bytes, module, "_ZN1n5tableE"));
    EXPECT(bytes, sizeof values);
    CHECK(cuMemcpyHtoD(table, values, sizeof values));
    CHECK(cuModuleGetFunction(&function, module, "sum"));
    CHECK(cuMemAlloc(&memory, sizeof result));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(cuMemcpyDtoH(&result, memory, sizeof result));
    EXPECT(result, 5 + 9 + 1000);
    CHECK(cuMemFree(memory));
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
}

static void check_program() {
    const char *const names[] = {"own/header.h"};
    const char *const headers[] = {"#define OWN 100\n"};
    const char *const options[] = {"--gpu-architecture=sm_80", "-D", "OPTION=7", "-default-device"};
    const char *const expressions[] = {"add<int>", "&add<double>", "(void (*)(float *))n::same",
                                       "n::empty", "&n::variable", "n::table",
                                       "sum"};
    nvrtcProgram program;
    const char *symbol;
    size_t bytes = 0;
    EXPECT(nvrtcCreateProgram(&program, text, "program", 1, headers, names), NVRTC_SUCCESS);
    for (const char *expression : expressions)
        EXPECT(nvrtcAddNameExpression(program, expression), NVRTC_SUCCESS);
    EXPECT(nvrtcGetLoweredName(program, "sum", &symbol),
           NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    EXPECT(nvrtcGetCUBINSize(program, &bytes), NVRTC_ERROR_INVALID_PROGRAM);
    EXPECT(nvrtcCompileProgram(program, 4, options), NVRTC_SUCCESS);
    if (failures != 0) {
        printf("%s\n", get_log(program).c_str());
        exit(1);
    }
    check_name(program, "add<int>", "_Z3addIiEvPT_S1_");
    check_name(program, "&add<double>", "_Z3addIdEvPT_S1_");
    check_name(program, "(void (*)(float *))n::same", "_ZN1n4sameEPf");
    check_name(program, "n::empty", "_ZN1n5emptyEv");
    check_name(program, "&n::variable", "_ZN1n8variableE");
    check_name(program, "n::table", "_ZN1n5tableE");
    check_name(program, "sum", "sum");
    EXPECT(nvrtcGetLoweredName(program, "n::same", &symbol), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    EXPECT(nvrtcAddNameExpression(program, "sum"),
           NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    EXPECT(nvrtcGetPTXSize(program, &bytes), NVRTC_SUCCESS);
    std::vector<char> image(bytes);
    EXPECT(nvrtcGetPTX(program, image.data()), NVRTC_SUCCESS);
    EXPECT(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    EXPECT(program == nullptr, 1);
    check_image(image);
}

static void check_mistakes() {
    const char *const unknown[] = {"--unknown"};
    nvrtcProgram program;
    EXPECT(nvrtcCreateProgram(&program, "__global__ void k() {\nint x = missing; }", nullptr, 0,
                              nullptr, nullptr),
           NVRTC_SUCCESS);
    EXPECT(nvrtcCompileProgram(program, 0, nullptr), NVRTC_ERROR_COMPILATION);
    const std::string log = get_log(program);
    EXPECT(log.find("default_program.cu:2:9: error: ") != std::string::npos, 1);
    EXPECT(log.find("/kbuild-compile-") != std::string::npos, 0);
    EXPECT(nvrtcCompileProgram(program, 1, unknown), NVRTC_ERROR_INVALID_OPTION);
    EXPECT(get_log(program).find("unrecognized nvrtc option '--unknown'") != std::string::npos, 1);
    EXPECT(nvrtcDestroyProgram(&program), NVRTC_SUCCESS);
    EXPECT(nvrtcCreateProgram(&program, nullptr, nullptr, 0, nullptr, nullptr),
           NVRTC_ERROR_INVALID_INPUT);
}

int main() {
    std::string name;
    check_program();
    check_mistakes();
    EXPECT(nvrtcGetTypeName<float *>(&name), NVRTC_SUCCESS);
    EXPECT(name == "float*", 1);
    EXPECT(strcmp(nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), "NVRTC_ERROR_COMPILATION"), 0);
    return failures;
}
