/* NVML says of the device what the runtime API says, and what a processor lacks. */
#include <cuda_runtime_api.h>
#include <nvml.h>

#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            ++failures;                                                                            \
        }                                                                                          \
    } while (0)

static void check_handles(nvmlDevice_t device) {
    char text[NVML_DEVICE_UUID_BUFFER_SIZE];
    nvmlDevice_t other = NULL;
    nvmlPciInfo_t pci;
    unsigned index = 1;

    CHECK(nvmlDeviceGetHandleByIndex(1, &other) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetIndex(device, &index) == NVML_SUCCESS && index == 0);
    CHECK(cudaDeviceGetPCIBusId(text, sizeof text, 0) == cudaSuccess);
    CHECK(nvmlDeviceGetHandleByPciBusId(text, &other) == NVML_SUCCESS && other == device);
    CHECK(nvmlDeviceGetPciInfo(device, &pci) == NVML_SUCCESS);
    CHECK(strcmp(pci.busIdLegacy, text) == 0);
    CHECK(nvmlDeviceGetHandleByPciBusId(pci.busId, &other) == NVML_SUCCESS && other == device);
    CHECK(nvmlDeviceGetHandleByPciBusId("00:00.0", &other) == NVML_SUCCESS);
    CHECK(nvmlDeviceGetHandleByPciBusId("0000:01:00.0", &other) == NVML_ERROR_NOT_FOUND);
    CHECK(nvmlDeviceGetHandleByPciBusId("first", &other) == NVML_ERROR_INVALID_ARGUMENT);
    CHECK(nvmlDeviceGetUUID(device, text, sizeof text) == NVML_SUCCESS);
    CHECK(strcmp(text, "GPU-6b627569-6c64-2d63-7075-000000000000") == 0);
    CHECK(nvmlDeviceGetHandleByUUID(text, &other) == NVML_SUCCESS && other == device);
    CHECK(nvmlDeviceGetHandleByUUID("GPU-0", &other) == NVML_ERROR_NOT_FOUND);
}

static void check_properties(nvmlDevice_t device) {
    struct cudaDeviceProp properties;
    char text[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    int kilohertz = 0, numbers[2];
    size_t free = 0, total = 0;
    unsigned value = 0;
    nvmlMemory_t memory;
    nvmlMemory_v2_t memory_2;

    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    CHECK(nvmlDeviceGetName(device, text, sizeof text) == NVML_SUCCESS);
    CHECK(strcmp(text, properties.name) == 0);
    CHECK(nvmlDeviceGetName(device, text, 3) == NVML_ERROR_INSUFFICIENT_SIZE);
    CHECK(nvmlDeviceGetCudaComputeCapability(device, &numbers[0], &numbers[1]) == NVML_SUCCESS);
    CHECK(numbers[0] == properties.major && numbers[1] == properties.minor);
    CHECK(nvmlDeviceGetArchitecture(device, &value) == NVML_SUCCESS);
    CHECK(value == NVML_DEVICE_ARCH_AMPERE);
    CHECK(cudaMemGetInfo(&free, &total) == cudaSuccess);
    CHECK(nvmlDeviceGetMemoryInfo(device, &memory) == NVML_SUCCESS);
    CHECK(memory.total == total && memory.free + memory.used == total);
    memory_2.version = 1;
    CHECK(nvmlDeviceGetMemoryInfo_v2(device, &memory_2) == NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
    memory_2.version = nvmlMemory_v2;
    CHECK(nvmlDeviceGetMemoryInfo_v2(device, &memory_2) == NVML_SUCCESS);
    CHECK(memory_2.total == total && memory_2.reserved + memory_2.free + memory_2.used == total);
    CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, 0) == cudaSuccess);
    CHECK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_MEM, &value) == NVML_SUCCESS);
    CHECK(value > 0 && value == (unsigned)kilohertz / 1000);
    CHECK(nvmlDeviceGetClockInfo(device, NVML_CLOCK_VIDEO, &value) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceGetMemoryBusWidth(device, &value) == NVML_SUCCESS);
    CHECK(value == (unsigned)properties.memoryBusWidth);
    CHECK(nvmlDeviceGetPowerUsage(device, &value) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceSetGpuLockedClocks(device, 1, 2) == NVML_ERROR_NOT_SUPPORTED);
    CHECK(nvmlDeviceResetGpuLockedClocks(NULL) == NVML_ERROR_INVALID_ARGUMENT);
}

int check_management(void) {
    nvmlDevice_t device = NULL;
    char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE];
    unsigned count = 0;
    int version = 0, driver = 0;

    CHECK(nvmlDeviceGetCount(&count) == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlShutdown() == NVML_ERROR_UNINITIALIZED);
    CHECK(nvmlInit() == NVML_SUCCESS && nvmlInitWithFlags(0) == NVML_SUCCESS);
    CHECK(nvmlShutdown() == NVML_SUCCESS);
    CHECK(nvmlDeviceGetCount(&count) == NVML_SUCCESS && count == 1);
    CHECK(nvmlDeviceGetHandleByIndex(0, &device) == NVML_SUCCESS);
    CHECK(nvmlSystemGetCudaDriverVersion(&version) == NVML_SUCCESS);
    CHECK(cudaDriverGetVersion(&driver) == cudaSuccess && version == driver);
    CHECK(nvmlSystemGetDriverVersion(text, sizeof text) == NVML_SUCCESS);
    CHECK(strcmp(text, "580.65.06") == 0);
    check_handles(device);
    check_properties(device);
    CHECK(nvmlShutdown() == NVML_SUCCESS);
    CHECK(nvmlDeviceGetPowerUsage(device, &count) == NVML_ERROR_UNINITIALIZED);
    CHECK(strcmp(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported") == 0);
    CHECK(strcmp(nvmlErrorString((nvmlReturn_t)77), "Unknown Error") == 0);
    return failures;
}
