// Makes mistakes, and prints what the runtime says about each one: the result of the call, and the
// error that cudaGetLastError returns next. The output, mistakes.txt, is that of CUDA 13.0 on an H100
// (driver 580.159). The runtime of the CPU backend prints the same.
//
// With -DNO_KERNELS, it is a plain C++ program.
#include <cuda_runtime.h>

#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void show(const char* call, cudaError_t result) {
    std::printf("%s: %s, then %s\n", call, cudaGetErrorName(result),
                cudaGetErrorName(cudaGetLastError()));
}
#define SHOW(call) show(#call, call)
#define DO(call)                                                                          \
    do {                                                                                  \
        const cudaError_t result = call;                                                  \
        if (result != cudaSuccess) {                                                      \
            std::printf("%s failed: %s\n", #call, cudaGetErrorName(result));              \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (false)

static const unsigned char host_bytes[4096] = {};
static unsigned char more_bytes[4096];

static void allocate_wrongly() {
    void* pointer = nullptr;
    size_t pitch = 0;
    int local = 0;
    SHOW(cudaMalloc(static_cast<void**>(nullptr), 16));
    SHOW(cudaMalloc(&pointer, size_t(1) << 60));
    SHOW(cudaMalloc(&pointer, 0));
    std::printf("an allocation of 0 bytes is %s\n", pointer == nullptr ? "null" : "a pointer");
    SHOW(cudaMallocManaged(&pointer, 0));
    SHOW(cudaMallocManaged(&pointer, 16, 7));
    SHOW(cudaMallocPitch(&pointer, &pitch, 0, 4));
    SHOW(cudaMallocHost(&pointer, 0));
    SHOW(cudaHostAlloc(&pointer, 16, 64));
    SHOW(cudaFree(nullptr));
    SHOW(cudaFreeHost(nullptr));
    SHOW(cudaFree(&local));
    SHOW(cudaFreeHost(&local));
    DO(cudaMalloc(&pointer, 4096));
    SHOW(cudaFree(static_cast<char*>(pointer) + 256));
    SHOW(cudaFreeHost(pointer));
    SHOW(cudaFree(pointer));
    SHOW(cudaFree(pointer));
    DO(cudaMallocHost(&pointer, 4096));
    SHOW(cudaFree(pointer));
    SHOW(cudaFreeHost(pointer));
}

static void register_wrongly() {
    void* const memory = std::aligned_alloc(4096, 8192);
    void* device = nullptr;
    unsigned flags = 0;
    SHOW(cudaHostRegister(nullptr, 16, 0));
    SHOW(cudaHostRegister(memory, 0, 0));
    SHOW(cudaHostUnregister(memory));
    SHOW(cudaHostGetDevicePointer(&device, memory, 0));
    DO(cudaHostRegister(memory, 8192, cudaHostRegisterDefault));
    SHOW(cudaHostRegister(memory, 8192, cudaHostRegisterDefault));
    SHOW(cudaHostGetDevicePointer(&device, memory, 1));
    SHOW(cudaHostGetDevicePointer(&device, memory, 0));
    SHOW(cudaHostGetFlags(&flags, memory));
    SHOW(cudaFreeHost(memory));
    SHOW(cudaHostUnregister(memory));
    SHOW(cudaHostUnregister(memory));
    std::free(memory);
}

static void copy_wrongly() {
    char *device = nullptr, *other = nullptr;
    DO(cudaMalloc(&device, 4096));
    DO(cudaMalloc(&other, 4096));
    SHOW(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(nullptr, host_bytes, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, nullptr, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, host_bytes, 16, static_cast<cudaMemcpyKind>(7)));
    SHOW(cudaMemcpy(device, host_bytes, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(device, host_bytes, 16, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(device, host_bytes, 16, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(more_bytes, device, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(more_bytes, device, 16, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(more_bytes, device, 16, cudaMemcpyHostToHost));
    SHOW(cudaMemcpy(device, other, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(device, other, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(more_bytes, host_bytes, 16, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy(more_bytes, host_bytes, 16, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpy(more_bytes, host_bytes, 16, cudaMemcpyDeviceToDevice));
    SHOW(cudaMemcpy(more_bytes, host_bytes, 16, cudaMemcpyDefault));
    SHOW(cudaMemcpyAsync(device, host_bytes, 16, cudaMemcpyDeviceToHost, nullptr));
    SHOW(cudaMemcpy2D(device, 8, host_bytes, 16, 16, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 16, host_bytes, 8, 16, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 8, host_bytes, 16, 16, 1, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(device, 16, host_bytes, 16, 16, 0, cudaMemcpyHostToDevice));
    SHOW(cudaMemcpy2D(nullptr, 16, host_bytes, 16, 16, 4, cudaMemcpyHostToDevice));
    SHOW(cudaMemset(nullptr, 0, 16));
    SHOW(cudaMemset(nullptr, 0, 0));
    SHOW(cudaMemset(more_bytes, 0, 16));
    SHOW(cudaMemset2D(device, 8, 0, 16, 4));
    SHOW(cudaMemset2D(device, 8, 0, 16, 1));
    SHOW(cudaMemset2D(device, 16, 0, 16, 0));

    cudaMemcpy3DParms parameters;
    std::memset(&parameters, 0, sizeof parameters);
    SHOW(cudaMemcpy3D(&parameters));
    parameters.extent = make_cudaExtent(16, 4, 4);
    SHOW(cudaMemcpy3D(&parameters));
    parameters.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char*>(host_bytes), 16, 16, 4);
    parameters.dstPtr = make_cudaPitchedPtr(device, 8, 16, 4);
    parameters.kind = cudaMemcpyHostToDevice;
    SHOW(cudaMemcpy3D(&parameters));
    parameters.dstPtr.pitch = 16;
    SHOW(cudaMemcpy3D(&parameters));
    parameters.dstPtr.ysize = 2;
    SHOW(cudaMemcpy3D(&parameters));
    DO(cudaFree(device));
    DO(cudaFree(other));
}

static void describe_pointers() {
    static const char* const types[] = {"unregistered", "host", "device", "managed"};
    void *device = nullptr, *managed = nullptr, *pinned = nullptr;
    DO(cudaMalloc(&device, 4096));
    DO(cudaMallocManaged(&managed, 4096));
    DO(cudaMallocHost(&pinned, 4096));
    const void* const pointers[] = {more_bytes, device, managed, pinned, nullptr};
    for (const void* const pointer : pointers) {
        cudaPointerAttributes attributes;
        std::memset(&attributes, -1, sizeof attributes);
        SHOW(cudaPointerGetAttributes(&attributes, pointer));
        std::printf("%s memory on device %d, %s device pointer, %s host pointer\n",
                    types[attributes.type], attributes.device,
                    attributes.devicePointer == nullptr ? "no" : "a",
                    attributes.hostPointer == nullptr ? "no" : "a");
    }
    SHOW(cudaPointerGetAttributes(nullptr, device));
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    SHOW(cudaMemPrefetchAsync(managed, 4096, here, 0, nullptr));
    SHOW(cudaMemPrefetchAsync(device, 4096, here, 0, nullptr));
    SHOW(cudaMemPrefetchAsync(managed, 0, here, 0, nullptr));
    SHOW(cudaMemPrefetchAsync(managed, 4096, here, 3, nullptr));
    SHOW(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, here));
    SHOW(cudaMemAdvise(device, 4096, cudaMemAdviseSetReadMostly, here));
    SHOW(cudaMemAdvise(managed, 4096, static_cast<cudaMemoryAdvise>(77), here));
    DO(cudaFree(device));
    DO(cudaFree(managed));
    DO(cudaFreeHost(pinned));
}

static void wait_wrongly() {
    cudaEvent_t first, second, untimed;
    cudaStream_t stream;
    float milliseconds = -1;
    int priority = -77;
    unsigned flags = 77;
    DO(cudaEventCreate(&first));
    DO(cudaEventCreate(&second));
    DO(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    SHOW(cudaStreamCreate(nullptr));
    SHOW(cudaStreamCreateWithFlags(&stream, 77));
    DO(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, 100));
    SHOW(cudaStreamGetFlags(stream, &flags));
    std::printf("flags %u\n", flags);
    SHOW(cudaStreamGetPriority(nullptr, &priority));
    std::printf("priority %d\n", priority);
    SHOW(cudaStreamDestroy(nullptr));
    SHOW(cudaStreamQuery(stream));
    SHOW(cudaStreamWaitEvent(stream, first, 0));
    SHOW(cudaStreamWaitEvent(stream, nullptr, 0));
    SHOW(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    SHOW(cudaLaunchHostFunc(stream, nullptr, nullptr));
    SHOW(cudaEventCreate(nullptr));
    SHOW(cudaEventCreateWithFlags(&first, 0x100));
    SHOW(cudaEventDestroy(nullptr));
    SHOW(cudaEventQuery(first));
    SHOW(cudaEventQuery(nullptr));
    SHOW(cudaEventSynchronize(first));
    SHOW(cudaEventSynchronize(nullptr));
    SHOW(cudaEventRecord(nullptr, stream));
    SHOW(cudaEventElapsedTime(&milliseconds, first, second));
    DO(cudaEventRecord(first, stream));
    SHOW(cudaEventElapsedTime(&milliseconds, first, second));
    DO(cudaEventRecord(second, stream));
    DO(cudaEventRecord(untimed, stream));
    DO(cudaEventSynchronize(second));
    DO(cudaEventSynchronize(untimed));
    SHOW(cudaEventElapsedTime(&milliseconds, first, second));
    std::printf("time %s\n", milliseconds >= 0 ? "passed" : "is unknown");
    SHOW(cudaEventElapsedTime(&milliseconds, first, untimed));
    SHOW(cudaEventElapsedTime(nullptr, first, second));
    SHOW(cudaEventElapsedTime(&milliseconds, nullptr, second));
    SHOW(cudaEventDestroy(first));
    SHOW(cudaStreamDestroy(stream));
    SHOW(cudaStreamSynchronize(cudaStreamLegacy));
    SHOW(cudaStreamSynchronize(cudaStreamPerThread));
}

static void ask_wrongly() {
    cudaDeviceProp properties;
    int value = 0, devices = 0;
    size_t bytes = 0;
    char name[32];
    enum cudaFuncCache preference;
    DO(cudaGetDeviceCount(&devices));
    SHOW(cudaGetDeviceCount(nullptr));
    SHOW(cudaSetDevice(devices));
    SHOW(cudaSetDevice(-1));
    SHOW(cudaGetDevice(nullptr));
    SHOW(cudaGetDeviceProperties(&properties, devices));
    SHOW(cudaGetDeviceProperties(nullptr, 0));
    SHOW(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, devices));
    SHOW(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
    SHOW(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    SHOW(cudaDeviceGetPCIBusId(name, 4, 0));
    SHOW(cudaDeviceGetByPCIBusId(&value, "nonsense"));
    SHOW(cudaDeviceSetLimit(static_cast<cudaLimit>(77), 1));
    SHOW(cudaDeviceGetLimit(&bytes, static_cast<cudaLimit>(77)));
    SHOW(cudaDeviceGetLimit(&bytes, cudaLimitDevRuntimeSyncDepth));
    SHOW(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    SHOW(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    SHOW(cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    SHOW(cudaDeviceGetCacheConfig(nullptr));
    SHOW(cudaDeviceGetCacheConfig(&preference));
    SHOW(cudaDeviceCanAccessPeer(&value, 0, 0));
    std::printf("a device is %s peer of itself\n", value == 0 ? "no" : "a");
    SHOW(cudaDeviceCanAccessPeer(&value, 0, devices));
    SHOW(cudaDeviceEnablePeerAccess(0, 0));
    SHOW(cudaDeviceDisablePeerAccess(0));
    SHOW(cudaMemGetInfo(&bytes, nullptr));
    SHOW(cudaRuntimeGetVersion(nullptr));
    SHOW(cudaDriverGetVersion(nullptr));
    SHOW(cudaChooseDevice(&value, nullptr));
}

static void use_wrong_symbols() {
    void* pointer = nullptr;
    size_t bytes = 0;
    const void* const symbol = more_bytes;
    SHOW(cudaGetSymbolAddress(&pointer, symbol));
    SHOW(cudaGetSymbolSize(&bytes, symbol));
    SHOW(cudaMemcpyToSymbol(symbol, host_bytes, 4));
    SHOW(cudaMemcpyFromSymbol(more_bytes, symbol, 4));
    SHOW(cudaMemcpyToSymbol(symbol, host_bytes, 4, 0, cudaMemcpyDeviceToHost));
}

static void use_wrong_kernels() {
    const void* const kernel = host_bytes;
    cudaFuncAttributes attributes;
    int blocks = 0;
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(1), nullptr, 0, nullptr));
    SHOW(cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1), nullptr, 0, nullptr));
    SHOW(cudaFuncGetAttributes(&attributes, kernel));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 16));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 0));
}

static void keep_errors() {
    SHOW(cudaSetDevice(-1));
    cudaFree(more_bytes);
    cudaSetDevice(0);
    std::printf("a success leaves %s\n", cudaGetErrorName(cudaPeekAtLastError()));
    std::printf("peeking leaves %s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("getting leaves %s\n", cudaGetErrorName(cudaGetLastError()));
}

#if !defined(NO_KERNELS)
__global__ void add(int* sum, int value) { atomicAdd(sum, value); }
__global__ void subtract(int* sum, int value) { atomicSub(sum, value); }
__global__ void use_shared(int* sum) {
    extern __shared__ int numbers[];
    numbers[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) *sum = numbers[blockDim.x - 1];
}
__constant__ int constants[4];

static void launch_wrongly() {
    int* sum = nullptr;
    int blocks = 1, threads = -1;
    cudaFuncAttributes attributes;
    DO(cudaMalloc(&sum, sizeof *sum));
    void* arguments[] = {&sum, &blocks};
    const void* const kernel = reinterpret_cast<const void*>(add);
#define LAUNCH(...)                                                               \
    do {                                                                          \
        add<<<__VA_ARGS__>>>(sum, 1);                                             \
        std::printf("<<<%s>>> leaves %s\n", #__VA_ARGS__,                         \
                    cudaGetErrorName(cudaGetLastError()));                        \
    } while (false)
    LAUNCH(1, 1);
    LAUNCH(0, 1);
    LAUNCH(1, 0);
    LAUNCH(1, 1025);
    LAUNCH(dim3(1, 65536), 1);
    LAUNCH(1, dim3(1, 1, 65));
    LAUNCH(1, dim3(32, 32, 2));
    LAUNCH(1, 1, 48 << 10);
    LAUNCH(1, 1, 1 << 20);
    SHOW(cudaLaunchKernel(kernel, dim3(0), dim3(1), arguments, 0, nullptr));
    // kbuild raises the kernel's limit of shared memory for `<<<>>>`, and it stays raised. So the
    // vendor's functions have a kernel that no `<<<>>>` launched with shared memory.
    SHOW(cudaLaunchKernel(subtract, dim3(1), dim3(1), arguments, 48 << 10));
    SHOW(cudaLaunchKernel(subtract, dim3(1), dim3(1), arguments, (48 << 10) + 1));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 60000));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    SHOW(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    SHOW(cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(77), 1));
    SHOW(cudaFuncGetAttributes(&attributes, kernel));
    std::printf("limit %d\n", attributes.maxDynamicSharedSizeBytes);
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 60000, nullptr));
    SHOW(cudaLaunchKernel(kernel, dim3(1), dim3(1), arguments, 60001, nullptr));
    SHOW(cudaLaunchKernel(use_shared, dim3(1), dim3(64), arguments, 60000));
    SHOW(cudaLaunchKernel(use_shared, dim3(1), dim3(64), arguments, 256));
    SHOW(cudaFuncGetAttributes(nullptr, kernel));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 0, 0));
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 1025, 0));
    std::printf("blocks %d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 60001));
    std::printf("blocks %d\n", blocks);
    SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, kernel, 32, 0));
    SHOW(cudaOccupancyMaxPotentialBlockSize(static_cast<int*>(nullptr), &threads, add, 0, 0));
    SHOW(cudaMemcpyToSymbol(constants, host_bytes, sizeof constants));
    SHOW(cudaMemcpyToSymbol(constants, host_bytes, sizeof constants + 1));
    SHOW(cudaMemcpyToSymbol(constants, host_bytes, 4, 13));
    SHOW(cudaMemcpyToSymbol(constants, nullptr, 4));
    SHOW(cudaMemcpyToSymbol(constants, host_bytes, 4, 0, cudaMemcpyDeviceToHost));
    SHOW(cudaMemcpyToSymbol(constants, host_bytes, 4, 0, cudaMemcpyHostToHost));
    SHOW(cudaMemcpyFromSymbol(more_bytes, constants, 4, 0, cudaMemcpyHostToDevice));
    DO(cudaDeviceSynchronize());
    DO(cudaFree(sum));
}

__global__ void fail_assertion(const int* null) { assert(null != nullptr); }

// Comes last, because nothing works afterward. The launch itself can succeed.
static void break_device() {
    void* pointer = nullptr;
    DO(cudaMalloc(&pointer, 16));
    fail_assertion<<<1, 1>>>(nullptr);
    SHOW(cudaDeviceSynchronize());
    SHOW(cudaMalloc(&pointer, 16));
    SHOW(cudaFree(pointer));
    SHOW(cudaMemset(pointer, 0, 16));
    SHOW(cudaStreamSynchronize(nullptr));
    fail_assertion<<<1, 1>>>(nullptr);
    std::printf("a launch leaves %s\n", cudaGetErrorName(cudaGetLastError()));
    SHOW(cudaDeviceReset());
    SHOW(cudaDeviceSynchronize());
}
#endif

static void reset() {
    void* pointer = nullptr;
    DO(cudaMalloc(&pointer, 16));
    SHOW(cudaDeviceReset());
    SHOW(cudaFree(pointer));
    SHOW(cudaDeviceSynchronize());
}

int main() {
    allocate_wrongly();
    register_wrongly();
    copy_wrongly();
    describe_pointers();
    wait_wrongly();
    ask_wrongly();
    use_wrong_symbols();
    use_wrong_kernels();
    keep_errors();
    reset();
#if !defined(NO_KERNELS)
    std::printf("with kernels\n");
    launch_wrongly();
    break_device();
#endif
    return 0;
}
