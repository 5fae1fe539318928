/* Links at run time of the files KERNEL (for a cubin, as text, or a fat binary) and FUNCTION (an object or
 * archive), and images that cannot be loaded: MANAGED has a variable of its program, and others are damaged.
 * The program returns the number of failures. */
#include "checks.h"

#include <nvJitLink.h>

#include <fstream>
#include <iterator>
#include <string.h>
#include <string>

static std::string read_file(const char *path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

static void run_image(const void *image) {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr data;
    int numbers[] = {1, 20};
    void *arguments[] = {&data};
    CHECK(cuModuleLoadData(&module, image));
    CHECK(cuModuleGetFunction(&kernel, module, "apply"));
    CHECK(cuMemAlloc(&data, sizeof numbers));
    CHECK(cuMemcpyHtoD(data, numbers, sizeof numbers));
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 2, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(numbers, data, sizeof numbers));
    EXPECT(numbers[0], 7);
    EXPECT(numbers[1], 45);
    CHECK(cuMemFree(data));
    CHECK(cuModuleUnload(module));
}

static void check_link(const std::string &kernel, const char *function) {
    char log[400] = "no log";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    void *image, *data = (void *)kernel.data();
    size_t bytes = 0;
    CUlinkState link;
    const char ptx[] = "// comment\n.version 8.0\n";
    CHECK(cuLinkCreate(2, options, values, &link));
    EXPECT(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)ptx, sizeof ptx, "p", 0, NULL, NULL),
           CUDA_ERROR_INVALID_PTX);
    EXPECT(strstr(log, "the image is PTX, which the cpu backend does not run") != NULL, 1);
    EXPECT((size_t)values[1], strlen(log) + 1);
    EXPECT(cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, "missing", 0, NULL, NULL),
           CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(strstr(log, "cannot read the file missing") != NULL, 1);
    CHECK(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, data, kernel.size(), "kernel", 0, NULL, NULL));
    CHECK(cuLinkAddFile(link, CU_JIT_INPUT_OBJECT, function, 0, NULL, NULL));
    CHECK(cuLinkComplete(link, &image, &bytes));
    EXPECT(bytes > 1000, 1);
    run_image(image);
    CHECK(cuLinkDestroy(link));
}

static void check_jit_link(const std::string &kernel, const char *function) {
    const char *options[] = {"-arch=sm_80", "-lto"};
    nvJitLinkHandle link;
    size_t bytes = 0;
    unsigned major = 0, minor = 0;
    EXPECT(nvJitLinkCreate(&link, 1, options + 1), NVJITLINK_ERROR_MISSING_ARCH);
    CHECK(nvJitLinkVersion(&major, &minor));
    EXPECT(major, CUDA_VERSION / 1000);
    CHECK(nvJitLinkCreate(&link, 2, options));
    CHECK(nvJitLinkAddData(link, NVJITLINK_INPUT_LTOIR, kernel.data(), kernel.size(), "kernel"));
    EXPECT(nvJitLinkComplete(link), NVJITLINK_ERROR_FINALIZE);
    CHECK(nvJitLinkGetErrorLogSize(link, &bytes));
    std::string log(bytes, '\0');
    CHECK(nvJitLinkGetErrorLog(link, &log[0]));
    EXPECT(log.find("undefined reference to `twice(int)'") != std::string::npos, 1);
    EXPECT(nvJitLinkGetLinkedCubinSize(link, &bytes), NVJITLINK_ERROR_INTERNAL);
    CHECK(nvJitLinkAddFile(link, NVJITLINK_INPUT_LIBRARY, function));
    CHECK(nvJitLinkComplete(link));
    CHECK(nvJitLinkGetLinkedPtxSize(link, &bytes));
    std::string text(bytes, '\0');
    CHECK(nvJitLinkGetLinkedPtx(link, &text[0]));
    EXPECT(strlen(text.c_str()) + 1, bytes);
    run_image(text.c_str());
    CHECK(nvJitLinkDestroy(&link));
}

int main(int count, char **arguments) {
    CUdevice device;
    CUcontext context;
    CUmodule module;
    if (count != 4) return 99;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    auto kernel = read_file(arguments[1]);
    check_link(kernel, arguments[2]);
    check_jit_link(kernel, arguments[2]);
    EXPECT(cuModuleLoadData(&module, kernel.data()), CUDA_ERROR_INVALID_IMAGE); /* not complete */
    EXPECT(cuModuleLoad(&module, arguments[3]), CUDA_ERROR_NOT_SUPPORTED);
    kernel[kernel.size() / 2] ^= 1;
    EXPECT(cuModuleLoadData(&module, kernel.data()), CUDA_ERROR_INVALID_IMAGE);
    return failures;
}
