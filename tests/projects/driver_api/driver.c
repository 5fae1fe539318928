/* The driver API, in C, so that a linker finds the functions. The program returns the number of failures. */
#include "virtual_memory.h"

#include <stdlib.h>
#include <string.h>

static int called;
static void CUDA_CB call(void *data) { called += *(int *)data; }

static void check_contexts(CUdevice device, CUcontext own) {
    CUcontext found, primary;
    CUdevice current = -1;
    unsigned flags = 99;
    int active = -1;
    CHECK(cuCtxGetCurrent(&found));
    EXPECT(found == own, 1);
    CHECK(cuCtxGetDevice(&current));
    EXPECT(current, device);
    CHECK(cuCtxGetFlags(&flags));
    EXPECT(flags, CU_CTX_SCHED_YIELD);
    CHECK(cuDevicePrimaryCtxRetain(&primary, device));
    CHECK(cuDevicePrimaryCtxGetState(device, &flags, &active));
    EXPECT(active, 1);
    CHECK(cuCtxPushCurrent(primary));
    CHECK(cuCtxPopCurrent(&found));
    EXPECT(found == primary, 1);
    CHECK(cuDevicePrimaryCtxRelease(device));
    EXPECT(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(NULL));
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(cuCtxSetCurrent(own));
    CHECK(cuCtxSynchronize());
}

static void check_memory(void) {
    CUdeviceptr memory, start;
    size_t bytes = 0;
    unsigned type = 0;
    unsigned short shorts[8];
    void *host;
    CHECK(cuMemAlloc(&memory, 16));
    EXPECT(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemGetAddressRange(&start, &bytes, memory + 4));
    EXPECT(start, memory);
    EXPECT(bytes, 16);
    CHECK(cuMemsetD16(memory, 0x1234, 8));
    CHECK(cuMemsetD8(memory, 7, 2));
    CHECK(cuMemcpyDtoH(shorts, memory, sizeof shorts));
    EXPECT(shorts[0], 0x0707);
    EXPECT(shorts[7], 0x1234);
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
    EXPECT(type, CU_MEMORYTYPE_DEVICE);
    EXPECT(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&type),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMemcpyDtoH(shorts, memory, 32), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemFree(memory));
    EXPECT(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    CHECK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
    CHECK(cuMemHostGetDevicePointer(&memory, host, 0));
    EXPECT(memory, (CUdeviceptr)host);
    CHECK(cuMemFreeHost(host));
}

static void check_rows(void) {
    CUDA_ARRAY_DESCRIPTOR description = {4, 2, CU_AD_FORMAT_FLOAT, 1};
    CUDA_ARRAY_DESCRIPTOR found;
    CUDA_MEMCPY2D copy;
    CUarray array;
    const float from[2][5] = {{0, 1, 2, 3, -1}, {4, 5, 6, 7, -1}};
    float to[2][3];
    CHECK(cuArrayCreate(&array, &description));
    CHECK(cuArrayGetDescriptor(&found, array));
    EXPECT(found.Width * 10 + found.Height, 42);
    EXPECT(found.Format, CU_AD_FORMAT_FLOAT);
    EXPECT(found.NumChannels, 1);
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = from;
    copy.srcPitch = sizeof from[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = 4 * sizeof(float);
    copy.Height = 2;
    CHECK(cuMemcpy2D(&copy));
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array;
    copy.srcXInBytes = sizeof(float);
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = to;
    copy.dstPitch = sizeof to[0];
    copy.WidthInBytes = 3 * sizeof(float);
    copy.Height = 2;
    CHECK(cuMemcpy2D(&copy));
    EXPECT(to[0][0], 1);
    EXPECT(to[1][2], 7);
    CHECK(cuArrayDestroy(array));
}

static void check_texture(CUmodule module) {
    CUDA_ARRAY_DESCRIPTOR description = {4, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC sampling;
    CUtexObject texture;
    CUfunction function;
    CUdeviceptr out;
    CUarray array;
    float texels[4];
    const unsigned char bytes[4] = {0, 51, 102, 255};
    void *arguments[] = {&texture, &out};
    CHECK(cuArrayCreate(&array, &description));
    CHECK(cuMemcpyHtoA(array, 0, bytes, sizeof bytes));
    memset(&resource, 0, sizeof resource);
    memset(&sampling, 0, sizeof sampling);
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    CHECK(cuTexObjectCreate(&texture, &resource, &sampling, NULL));
    CHECK(cuMemAlloc(&out, sizeof texels));
    CHECK(cuModuleGetFunction(&function, module, "sample"));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL));
    CHECK(cuMemcpyDtoH(texels, out, sizeof texels));
    EXPECT(texels[1] * 1000 + 0.5f, 200); /* integers are numbers from 0 to 1 */
    EXPECT(texels[3], 1);
    CHECK(cuTexObjectDestroy(texture));
    CHECK(cuArrayDestroy(array));
    CHECK(cuMemFree(out));
}

static void check_launches(CUmodule module) {
    struct {
        CUdeviceptr memory;
        int count;
    } packed;
    CUfunction function;
    CUdeviceptr memory, factor;
    CUmodule owner;
    size_t bytes = 0;
    int value, count = 10, block = 0, grid = 0, data[10];
    void *arguments[] = {&memory, &count};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    EXPECT(cuModuleGetFunction(&function, module, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetFunction(&function, module, "scale"));
    CHECK(cuFuncGetModule(&owner, function));
    EXPECT(owner == module, 1);
    CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    EXPECT(value, 1024);
    CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    EXPECT(block, 1024);
    EXPECT(cuModuleGetGlobal(&factor, &bytes, module, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    EXPECT(bytes, sizeof(int));
    CHECK(cuMemsetD32(factor, 3, 1));
    CHECK(cuMemAlloc(&memory, sizeof data));
    CHECK(cuMemsetD32(memory, 7, 10));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 10, 1, 1, 0, NULL, arguments, NULL));
    packed.memory = memory;
    packed.count = 5;
    bytes = sizeof packed;
    CHECK(cuLaunchKernel(function, 1, 1, 1, 10, 1, 1, 0, NULL, NULL, extra));
    CHECK(cuMemcpyDtoH(data, memory, sizeof data));
    EXPECT(data[4], (7 * 3 + 4) * 3 + 4);
    EXPECT(data[9], 7 * 3 + 9);
    bytes = 4;
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 10, 1, 1, 0, NULL, NULL, extra),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL),
           CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
           CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuMemFree(memory));
}

static void check_streams(CUmodule module) {
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUgraph graph;
    CUgraphExec executable;
    CUgraphNode node;
    CUgraphNodeType type;
    CUfunction function;
    CUdeviceptr memory;
    CUstream stream;
    CUevent start, end;
    float milliseconds = -1;
    int count = 1, data = 2, twice = 2;
    void *arguments[] = {&memory, &count};
    CHECK(cuModuleGetFunction(&function, module, "scale"));
    CHECK(cuMemAlloc(&memory, sizeof data));
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    CHECK(cuEventRecord(start, stream));
    CHECK(cuMemcpyHtoDAsync(memory, &data, sizeof data, stream));
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
    CHECK(cuLaunchHostFunc(stream, call, &twice));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuEventSynchronize(end));
    CHECK(cuEventElapsedTime(&milliseconds, start, end));
    EXPECT(milliseconds >= 0, 1);
    EXPECT(called, 2);
    memset(&kernel, 0, sizeof kernel);
    kernel.func = function;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = arguments;
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    CHECK(cuGraphNodeGetType(node, &type));
    EXPECT(type, CU_GRAPH_NODE_TYPE_KERNEL);
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream)); /* a stream of both APIs */
    CHECK(cuMemcpyDtoH(&data, memory, sizeof data));
    EXPECT(data, 2 * 3 * 3);
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(end));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuMemFree(memory));
}

/* Functions of the runtime API that use the driver's. */
static void check_library(const char *content, const char *path) {
    cudaLibrary_t library, other;
    cudaKernel_t kernels[2], kernel;
    unsigned count = 0;
    void *function;
    enum cudaDriverEntryPointQueryResult result;
    EXPECT((int)cudaLibraryLoadData(&library, content, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT((int)cudaLibraryLoadFromFile(&other, path, NULL, NULL, 0, NULL, NULL, 0), 0);
    EXPECT((int)cudaLibraryUnload(other), 0);
    EXPECT((int)cudaLibraryGetKernelCount(&count, library), 0);
    EXPECT(count, 2);
    EXPECT((int)cudaLibraryEnumerateKernels(kernels, 2, library), 0);
    EXPECT((int)cudaLibraryGetKernel(&kernel, library, "scale"), 0);
    EXPECT(kernel == kernels[0] || kernel == kernels[1], 1);
    EXPECT((int)cudaLibraryGetKernel(&kernel, library, "none"), (int)cudaErrorSymbolNotFound);
    EXPECT((int)cudaLibraryUnload(library), 0);
    EXPECT((int)cudaLibraryUnload(NULL), (int)cudaErrorInvalidResourceHandle);
    EXPECT((int)cudaGetDriverEntryPoint("cuMemAlloc", &function, cudaEnableDefault, &result), 0);
    EXPECT(result == cudaDriverEntryPointSuccess && function == (void *)cuMemAlloc, 1);
    EXPECT((int)cudaGetDriverEntryPointByVersion("cuNone", &function, 12000, 0, &result), 0);
    EXPECT(result == cudaDriverEntryPointSymbolNotFound && function == NULL, 1);
}

static void check_images(const char *path) {
    static const char ptx[] = "//\n.version 8.0\n.target sm_80\n";
    FILE *const file = fopen(path, "rb");
    char *const content = (char *)malloc(1 << 20);
    CUlibrary library;
    CUmodule module;
    CUkernel kernel;
    unsigned count = 0;
    EXPECT(fread(content, 1, 1 << 20, file) > 0, 1);
    fclose(file);
    CHECK(cuLibraryLoadData(&library, content, NULL, NULL, 0, NULL, NULL, 0));
    check_library(content, path);
    free(content); /* the library has a copy */
    CHECK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count, 2);
    CHECK(cuLibraryGetKernel(&kernel, library, "scale"));
    CHECK(cuLibraryUnload(library));
    EXPECT(cuModuleLoad(&module, "none.cubin"), CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(cuModuleLoadData(&module, "none"), CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&module, ptx), CUDA_ERROR_INVALID_PTX);
}

int main(int argc, char **argv) {
    CUdriverProcAddressQueryResult status;
    CUdevice device = -1;
    CUcontext context;
    CUmodule module;
    const char *text = NULL;
    void *function;
    int count = 0;
    (void)argc;
    EXPECT(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&count));
    EXPECT(count, 1);
    CHECK(cuDeviceGet(&device, 0));
    EXPECT(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    EXPECT(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
#if CUDA_VERSION >= 13000
    CHECK(cuCtxCreate(&context, NULL, CU_CTX_SCHED_YIELD, device));
#else
    CHECK(cuCtxCreate(&context, CU_CTX_SCHED_YIELD, device));
#endif
    CHECK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
    EXPECT(strcmp(text, "CUDA_ERROR_INVALID_PTX"), 0);
    CHECK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT(strcmp(text, "invalid argument"), 0);
    CHECK(cuGetProcAddress("cuMemAlloc", &function, CUDA_VERSION, 0, &status));
    EXPECT(function == (void *)&cuMemAlloc, 1);
    EXPECT(cuGetProcAddress("cuNone", &function, CUDA_VERSION, 0, &status), CUDA_ERROR_NOT_FOUND);
    EXPECT(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    CHECK(cuModuleLoad(&module, argv[1]));
    check_contexts(device, context);
    check_memory();
    check_virtual_memory();
    check_rows();
    check_texture(module);
    check_launches(module);
    check_streams(module);
    check_images(argv[1]);
    EXPECT(cudaGetLastError(), cudaSuccess); /* the APIs have separate errors */
    CHECK(cuModuleUnload(module));
    CHECK(cuCtxDestroy(context));
    EXPECT(cuCtxDestroy(context), CUDA_ERROR_INVALID_CONTEXT);
    return failures;
}
