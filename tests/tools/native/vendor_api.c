/* Uses the vendor's API from C, and from C++ of any standard. */
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <driver_types.h>
#include <kbuild/detail/cpu_textures.h>
#include <vector_functions.h>
#include <vector_types.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                        \
        }                                                                   \
    } while (0)
#define SUCCEED(call) CHECK((call) == cudaSuccess)

/* Headers that kernel sources and host files share have qualifiers. */
__global__ void kernel(int *p);
extern __constant__ float constants[4];
extern __device__ __managed__ int counter;
struct __align__(16) Aligned { float x; };
__host__ __device__ static __forceinline__ int increment(int x) { return x + 1; }

static void memory(void)
{
    char host[100], back[100];
    void *device = NULL, *managed = NULL, *pinned = NULL, *mapped = NULL;
    size_t available = 0, total = 0;
    memset(host, 'k', sizeof host);
    memset(back, 0, sizeof back);
    SUCCEED(cudaMalloc(&device, sizeof host));
    CHECK((size_t)device % 512 == 0);
    SUCCEED(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    SUCCEED(cudaMemset((char *)device + 1, 'm', 2));
    SUCCEED(cudaMemcpyAsync(back, device, sizeof back, cudaMemcpyDeviceToHost, NULL));
    CHECK(memcmp(back, "kmmkkk", 6) == 0 && back[99] == 'k');
    /* A copy past the end does nothing. */
    CHECK(cudaMemcpy((char *)device + 1, host, sizeof host, cudaMemcpyHostToDevice) ==
          cudaErrorInvalidValue);
    CHECK(cudaMemset(device, 0, sizeof host + 1) == cudaErrorInvalidValue);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    SUCCEED(cudaMemcpy(back, device, sizeof back, cudaMemcpyDefault));
    CHECK(memcmp(back, "kmmkkk", 6) == 0);
    SUCCEED(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal));
    SUCCEED(cudaMallocHost(&pinned, 16));
    SUCCEED(cudaHostGetDevicePointer(&mapped, pinned, 0));
    CHECK(mapped == pinned);
    SUCCEED(cudaMemGetInfo(&available, &total));
    CHECK(available > 0 && available <= total);
    SUCCEED(cudaFree(device));
    SUCCEED(cudaFree(managed));
    SUCCEED(cudaFreeHost(pinned));
}

static void rows_and_slices(void)
{
    char host[2][3][5], back[2][3][5];
    struct cudaPitchedPtr device;
    struct cudaMemcpy3DParms copy;
    void *plane = NULL;
    size_t pitch = 0;
    int z, y, x;
    memset(&copy, 0, sizeof copy);
    for (z = 0; z < 2; ++z)
        for (y = 0; y < 3; ++y)
            for (x = 0; x < 5; ++x)
                host[z][y][x] = (char)(z * 15 + y * 5 + x);
    SUCCEED(cudaMallocPitch(&plane, &pitch, 5, 3));
    CHECK(pitch >= 5 && pitch % 512 == 0);
    SUCCEED(cudaMemcpy2D(plane, pitch, host[1], 5, 5, 3, cudaMemcpyHostToDevice));
    CHECK(memcmp((char *)plane + 2 * pitch, host[1][2], 5) == 0);
    SUCCEED(cudaMemset2D(plane, pitch, 7, 2, 3));
    SUCCEED(cudaDeviceSynchronize());
    CHECK(((char *)plane)[pitch + 1] == 7 && ((char *)plane)[pitch + 2] == 22);
    SUCCEED(cudaFree(plane));

    SUCCEED(cudaMalloc3D(&device, make_cudaExtent(5, 3, 2)));
    copy.srcPtr = make_cudaPitchedPtr(host, 5, 5, 3);
    copy.dstPtr = device;
    copy.extent = make_cudaExtent(5, 3, 2);
    copy.kind = cudaMemcpyHostToDevice;
    SUCCEED(cudaMemcpy3D(&copy));
    SUCCEED(cudaMemset3D(device, 99, make_cudaExtent(1, 1, 2)));
    memset(&copy, 0, sizeof copy);
    memset(back, 0, sizeof back);
    copy.srcPtr = device;
    copy.srcPos = make_cudaPos(0, 0, 1);
    copy.dstPtr = make_cudaPitchedPtr(back, 5, 5, 3);
    copy.extent = make_cudaExtent(4, 2, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    SUCCEED(cudaMemcpy3DAsync(&copy, NULL));
    CHECK(back[0][0][0] == 99 && back[0][0][1] == 16 && back[0][1][3] == 23);
    CHECK(back[0][0][4] == 0 && back[0][2][0] == 0 && back[1][0][0] == 0);
    copy.srcArray = (cudaArray_t)back;
    CHECK(cudaMemcpy3D(&copy) == cudaErrorInvalidResourceHandle);
    SUCCEED(cudaFree(device.ptr));
}

/* Reads a texture as device code does. */
static float read_texture(cudaTextureObject_t object, unsigned operation, float x, float y)
{
    const struct kbuild_cpu_texture *texture = (const struct kbuild_cpu_texture *)(size_t)object;
    struct kbuild_cpu_texture_request request;
    uint32_t channels[4];
    float first;
    memset(&request, 0, sizeof request);
    request.operation = operation;
    request.integer = (int)x;
    request.position[0] = x;
    request.position[1] = y;
    texture->read(texture, &request, channels);
    memcpy(&first, channels, sizeof first);
    return first;
}

static void textures(void)
{
    const float elements[2][4] = {{0, 8, 16, 24}, {100, 108, 116, 124}};
    const struct cudaChannelFormatDesc channels =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    struct cudaResourceDesc resource, same;
    struct cudaTextureDesc sampling;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaMipmappedArray_t mipmap;
    cudaArray_t array, level = NULL;
    struct cudaExtent extent;
    unsigned flags = 0;
    float back[4];
    SUCCEED(cudaMallocArray(&array, &channels, 4, 2, cudaArraySurfaceLoadStore));
    SUCCEED(cudaMemcpy2DToArray(array, 0, 0, elements, 16, 16, 2, cudaMemcpyHostToDevice));
    SUCCEED(cudaMemcpyFromArray(back, array, 8, 0, 16, cudaMemcpyDeviceToHost));
    CHECK(back[0] == 16 && back[1] == 24 && back[2] == 100 && back[3] == 108);
    CHECK(cudaMemcpyFromArray(back, array, 4, 1, 16, cudaMemcpyDeviceToHost) ==
          cudaErrorInvalidValue);
    memset(&resource, 0, sizeof resource);
    memset(&sampling, 0, sizeof sampling);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    sampling.filterMode = cudaFilterModeLinear;
    sampling.addressMode[0] = cudaAddressModeBorder;
    sampling.addressMode[1] = cudaAddressModeClamp;
    SUCCEED(cudaCreateTextureObject(&texture, &resource, &sampling, NULL));
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_SAMPLE, 1.75f, 0.5f) == 10);
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_SAMPLE, 1.5f, 1.25f) == 83);
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_SAMPLE, 4, 9) == 62);
    /* The weight 0.3 is rounded to 77/256. */
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_SAMPLE, 0.8f, 0.5f) == 8 * 77 / 256.0f);
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_FETCH, 3, 0) == 24);
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_FETCH, 4, 0) == 0);
    CHECK(read_texture(texture, KBUILD_CPU_TEXTURE_GATHER, 0.75f, 1) == 100);
    SUCCEED(cudaGetTextureObjectResourceDesc(&same, texture));
    CHECK(same.res.array.array == array);
    SUCCEED(cudaDestroyTextureObject(texture));
    CHECK(cudaDestroyTextureObject(texture) == cudaErrorInvalidResourceHandle);
    SUCCEED(cudaCreateSurfaceObject(&surface, &resource));
    SUCCEED(cudaDestroySurfaceObject(surface));
    SUCCEED(cudaFreeArray(array));
    SUCCEED(cudaMallocMipmappedArray(&mipmap, &channels, make_cudaExtent(5, 3, 0), 9, 0));
    SUCCEED(cudaGetMipmappedArrayLevel(&level, mipmap, 2));
    SUCCEED(cudaArrayGetInfo(NULL, &extent, &flags, level));
    CHECK(extent.width == 1 && extent.height == 1 && extent.depth == 0 && flags == 0);
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 3) == cudaErrorInvalidValue);
    CHECK(cudaFreeArray(level) == cudaErrorInvalidValue);
    SUCCEED(cudaFreeMipmappedArray(mipmap));
    (void)cudaGetLastError();
}

static void append(void *text) { strcat((char *)text, "h"); }

static void append_later(cudaStream_t stream, cudaError_t status, void *text)
{
    strcat((char *)text, stream != NULL && status == cudaSuccess ? "c" : "?");
}

static void streams_and_events(void)
{
    char text[8] = "";
    float milliseconds = -1;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    SUCCEED(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    SUCCEED(cudaEventCreate(&start));
    SUCCEED(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync));
    SUCCEED(cudaEventRecord(start, stream));
    SUCCEED(cudaLaunchHostFunc(stream, append, text));
    SUCCEED(cudaStreamAddCallback(stream, append_later, text, 0));
    SUCCEED(cudaEventRecord(stop, stream));
    SUCCEED(cudaStreamWaitEvent(stream, stop, 0));
    SUCCEED(cudaStreamSynchronize(stream));
    SUCCEED(cudaEventSynchronize(stop));
    CHECK(strcmp(text, "hc") == 0);
    SUCCEED(cudaEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 0 && milliseconds < 10000);
    SUCCEED(cudaEventDestroy(start));
    SUCCEED(cudaStreamDestroy(stream));
    CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventRecord(start, NULL) == cudaErrorInvalidResourceHandle);
    SUCCEED(cudaEventDestroy(stop));
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle);
}

static void device(void)
{
    struct cudaDeviceProp properties;
    int number = -1, value = -1;
    char bus[16];
    SUCCEED(cudaGetDeviceCount(&number));
    CHECK(number == 1);
    SUCCEED(cudaGetDeviceProperties(&properties, 0));
    CHECK(strstr(properties.name, "(kbuild cpu backend)") != NULL);
    CHECK(properties.totalGlobalMem > 0 && properties.multiProcessorCount > 0);
    CHECK(properties.warpSize == 32 && properties.maxThreadsDim[2] == 64);
    SUCCEED(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    CHECK(value == properties.multiProcessorCount);
    SUCCEED(cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, 0));
    CHECK(value == 1 && properties.cooperativeLaunch == 1);
    SUCCEED(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    SUCCEED(cudaDeviceGetByPCIBusId(&number, bus));
    SUCCEED(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 12345));
    SUCCEED(cudaProfilerStart());
    SUCCEED(cudaProfilerStop());
    CHECK(number == 0 && strcmp(cudaGetErrorString(cudaErrorInvalidDevice), "invalid device ordinal") == 0);
    CHECK(strcmp(cudaGetErrorName((cudaError_t)5555), "unrecognized error code") == 0);
}

static void reset(void)
{
    void *pointer = NULL;
    size_t heap = 0;
    SUCCEED(cudaMalloc(&pointer, 16));
    SUCCEED(cudaDeviceReset());
    CHECK(cudaFree(pointer) == cudaErrorInvalidValue);
    SUCCEED(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    CHECK(heap == 8 << 20);
}

int main(void)
{
    const float4 vector = make_float4(1, 2, 3, 4);
    dim3 extent;
    extent.x = extent.y = extent.z = 1;
    CHECK(sizeof vector == 16 && vector.w == 4 && extent.z == 1);
    CHECK(sizeof(struct Aligned) == 16 && increment(1) == 2);
    memory();
    rows_and_slices();
    textures();
    streams_and_events();
    device();
    reset();
    return 0;
}
