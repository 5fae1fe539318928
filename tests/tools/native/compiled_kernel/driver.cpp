// CUDA's driver, as far as kbuild/compiled_kernel.hpp needs it. It knows PTX with one kernel,
// `_Z5heavyPdi`, and prints what it is asked to do. The bounds in the text determine the code.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct Library {
    int threads, registers, shared_limit;
};

struct Attribute {
    int id, padding;
    unsigned numbers[16];
};

struct Config {
    unsigned grid[3], block[3], shared_bytes;
    void* stream;
    const Attribute* attributes;
    unsigned attribute_count;
};

void* context = nullptr;
int libraries = 0;

int number_after(const char* text, const char* word, int otherwise) {
    const char* const found = std::strstr(text, word);
    return found != nullptr ? std::atoi(found + std::strlen(word)) : otherwise;
}

}  // namespace

extern "C" {

int cuInit(unsigned) { return 0; }
int cuGetErrorName(int code, const char** name) {
    *name = code == 218 ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_INVALID_VALUE";
    return 0;
}
int cuGetErrorString(int, const char** text) { return *text = "the description", 0; }
int cuCtxGetCurrent(void** current) { return *current = context, 0; }
int cuCtxSetCurrent(void* current) { return context = current, 0; }
int cuDevicePrimaryCtxRetain(void** primary, int device) {
    std::printf("retain device %d\n", device);
    return *primary = &context, 0;
}
int cuCtxGetDevice(int* device) { return *device = 0, context == nullptr; }
int cuDeviceGetAttribute(int* number, int attribute, int) {
    *number = attribute == 1 ? 1024 : attribute == 12 ? 65536 : attribute == 97 ? 232448 : -1;
    return 0;
}
int cuLibraryLoadData(void** library, const void* code, int* options, void** values, unsigned count,
                      int*, void**, unsigned) {
    const char* const text = static_cast<const char*>(code);
    if (std::strstr(text, "syntax error") != nullptr) {
        if (count == 2 && options[0] == 5 && options[1] == 6)
            std::snprintf(static_cast<char*>(values[0]), reinterpret_cast<std::size_t>(values[1]),
                          "line 1");
        return 218;
    }
    auto* const made = new Library{number_after(text, ".maxntid ", 1024),
                                   number_after(text, ".maxnreg ", 200), 49152};
    if (65536 / made->registers < made->threads)
        made->threads = 65536 / made->registers / 128 * 128;
    std::printf("load %d: %d registers, %d threads\n", ++libraries, made->registers, made->threads);
    return *library = made, 0;
}
int cuLibraryUnload(void* library) {
    std::printf("unload\n");
    return delete static_cast<Library*>(library), 0;
}
int cuLibraryGetKernelCount(unsigned* count, void*) { return *count = 1, 0; }
int cuLibraryEnumerateKernels(void** kernels, unsigned count, void* library) {
    return *kernels = library, count != 1;
}
int cuLibraryGetKernel(void** kernel, void* library, const char* name) {
    return *kernel = library, std::strcmp(name, "_Z5heavyPdi");
}
int cuKernelGetName(const char** name, void*) { return *name = "_Z5heavyPdi", 0; }
int cuKernelGetParamInfo(void*, std::size_t index, std::size_t* offset, std::size_t* size) {
    *offset = 8 * index;
    *size = index == 0 ? 8 : 4;
    return index > 1;
}
int cuKernelGetAttribute(int* number, int attribute, void* kernel, int) {
    const auto* const library = static_cast<Library*>(kernel);
    const int numbers[] = {library->threads,     256, 3, 16, library->registers, 90, 90, 0,
                           library->shared_limit};
    return *number = numbers[attribute], 0;
}
int cuKernelSetAttribute(int attribute, int value, void* kernel, int) {
    std::printf("set attribute %d to %d\n", attribute, value);
    static_cast<Library*>(kernel)->shared_limit = value;
    return 0;
}
int cuLaunchKernelEx(const Config* config, void* kernel, void** arguments, void** extra) {
    const auto* const library = static_cast<Library*>(kernel);
    const unsigned threads = config->block[0] * config->block[1] * config->block[2];
    if (threads > static_cast<unsigned>(library->threads) || extra != nullptr) return 1;
    std::printf("launch %u threads with %d registers, %u bytes, stream %p, argument %d", threads,
                library->registers, config->shared_bytes, config->stream,
                *static_cast<int*>(arguments[1]));
    for (unsigned i = 0; i < config->attribute_count; i++)
        std::printf(", attribute %d = %u", config->attributes[i].id,
                    config->attributes[i].numbers[0]);
    std::printf("\n");
    return 0;
}

}  // extern "C"
