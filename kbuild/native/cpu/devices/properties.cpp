#include "devices/properties.hpp"

#include "api/errors.hpp"
#include "checks/checker.hpp"
#include "devices/machine_facts.hpp"
#include "launches/pool.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>

namespace kbuild::cpu {
namespace {

// What the vendor calls a NUMA identifier that does not exist.
constexpr int no_numa_id = -1;

void set_limits(cudaDeviceProp& device) {
    device.major = compute_capability() / 10;
    device.minor = compute_capability() % 10;
    device.warpSize = 32;
    device.maxThreadsPerBlock = most_threads_per_block;
    device.maxThreadsPerMultiProcessor = most_resident_threads;
    device.maxBlocksPerMultiProcessor = most_resident_blocks;
    device.regsPerBlock = registers_per_block;
    device.regsPerMultiprocessor =
        registers_per_block / most_threads_per_block * most_resident_threads;
    device.sharedMemPerBlock = default_shared_bytes;
    const auto shared_bytes =
        compute_capability() < 90 ? reported_shared_bytes : reported_shared_bytes_90;
    device.sharedMemPerBlockOptin = shared_bytes;
    device.reservedSharedMemPerBlock = reserved_shared_bytes;
    device.sharedMemPerMultiprocessor = shared_bytes + reserved_shared_bytes;
    device.totalConstMem = constant_bytes;
    device.memPitch = 0x7FFFFFFF;
    device.textureAlignment = device.surfaceAlignment = 512;
    device.texturePitchAlignment = 32;
    const unsigned blocks[] = {largest_block.x, largest_block.y, largest_block.z};
    const unsigned grids[] = {largest_grid.x, largest_grid.y, largest_grid.z};
    for (int i = 0; i < 3; ++i) {
        device.maxThreadsDim[i] = static_cast<int>(blocks[i]);
        device.maxGridSize[i] = static_cast<int>(grids[i]);
    }
}

// The largest textures and surfaces, as on a GPU. Source: the technical specifications of compute
// capability 8.0 in the CUDA C++ programming guide, which has no limits of mipmapped textures.
void set_texture_limits(cudaDeviceProp& device) {
    constexpr int line = 131072, side = 32768, cube = 16384, layers = 2048;
    const auto set = [](int* limits, std::initializer_list<int> values) {
        std::copy(values.begin(), values.end(), limits);
    };
    device.maxTexture1D = line;
    set(device.maxTexture2D, {line, line / 2});
    set(device.maxTexture2DLinear, {line, 65000, 2097120});
    set(device.maxTexture2DGather, {side, side});
    set(device.maxTexture3D, {cube, cube, cube});
    set(device.maxTexture1DLayered, {side, layers});
    set(device.maxTexture2DLayered, {side, side, layers});
    set(device.maxTextureCubemapLayered, {side, layers - 2});
    set(device.maxSurface2D, {line, line / 2});
    set(device.maxSurface3D, {cube, cube, cube});
    set(device.maxSurface1DLayered, {side, layers});
    set(device.maxSurface2DLayered, {side, side, layers});
    set(device.maxSurfaceCubemapLayered, {side, layers - 2});
    device.maxTextureCubemap = device.maxSurface1D = device.maxSurfaceCubemap = side;
}

// The host and the device are one processor with one memory. Everything else that a property could
// promise is 0.
void set_abilities(cudaDeviceProp& device) {
    device.clusterLaunch = compute_capability() >= 90;
    device.cooperativeLaunch = 1;
    device.integrated = 1;
    device.unifiedAddressing = device.canMapHostMemory = device.managedMemory = 1;
    device.concurrentManagedAccess = device.directManagedMemAccessFromHost = 1;
    // Checks treat an access to other memory of the host as a mistake.
    device.pageableMemoryAccess = device.pageableMemoryAccessUsesHostPageTables =
        checks::is_active() ? 0 : 1;
    device.canUseHostPointerForRegisteredMem = 1;
    device.hostRegisterSupported = device.hostRegisterReadOnlySupported = 1;
    device.hostNativeAtomicSupported = 1;
    device.concurrentKernels = device.asyncEngineCount = 1;
    device.memoryPoolsSupported = device.streamPrioritiesSupported = 1;
    device.computePreemptionSupported = 1;
    device.globalL1CacheSupported = device.localL1CacheSupported = 1;
    device.deviceNumaId = device.hostNumaId = no_numa_id;
}

cudaDeviceProp read_properties() {
    cudaDeviceProp device = {};
    const auto processor = read_processor_facts();
    std::snprintf(device.name, sizeof device.name, "%s (kbuild cpu backend)",
                  processor.name.c_str());
    std::memcpy(device.uuid.bytes, "kbuild-cpu", sizeof "kbuild-cpu");
    device.totalGlobalMem = read_memory_facts().total;
    device.multiProcessorCount = static_cast<int>(usable_cores());
    device.l2CacheSize = processor.last_level_cache_bytes;
    device.memoryBusWidth = 64;
    set_limits(device);
    set_texture_limits(device);
    set_abilities(device);
    return device;
}

}  // namespace

int compute_capability() {
    static const int capability = [] {
        const char* const text = std::getenv("KBUILD_CPU_COMPUTE_CAPABILITY");
        const std::string name = text == nullptr ? "8.0" : text;
        if (name != "8.0" && name != "9.0")
            throw Failure(KBUILD_CPU_INVALID_VALUE, "KBUILD_CPU_COMPUTE_CAPABILITY is '" + name +
                                                        "', but must be 8.0 or 9.0");
        return name == "9.0" ? 90 : 80;
    }();
    return capability;
}

const cudaDeviceProp& device_properties() {
    static const cudaDeviceProp properties = read_properties();
    return properties;
}

namespace {

// Finds an attribute that is a limit of textures or surfaces.
bool find_texture_attribute(int attribute, int* value) {
    const auto& device = device_properties();
    const auto set = [&](int number) {
        *value = number;
        return true;
    };
    switch (attribute) {
    case cudaDevAttrMaxTexture1DWidth: return set(device.maxTexture1D);
    case cudaDevAttrMaxTexture2DWidth: return set(device.maxTexture2D[0]);
    case cudaDevAttrMaxTexture2DHeight: return set(device.maxTexture2D[1]);
    case cudaDevAttrMaxTexture3DWidth: return set(device.maxTexture3D[0]);
    case cudaDevAttrMaxTexture3DHeight: return set(device.maxTexture3D[1]);
    case cudaDevAttrMaxTexture3DDepth: return set(device.maxTexture3D[2]);
    case cudaDevAttrMaxTexture2DLayeredWidth: return set(device.maxTexture2DLayered[0]);
    case cudaDevAttrMaxTexture2DLayeredHeight: return set(device.maxTexture2DLayered[1]);
    case cudaDevAttrMaxTexture2DLayeredLayers: return set(device.maxTexture2DLayered[2]);
    case cudaDevAttrMaxTexture1DLayeredWidth: return set(device.maxTexture1DLayered[0]);
    case cudaDevAttrMaxTexture1DLayeredLayers: return set(device.maxTexture1DLayered[1]);
    case cudaDevAttrMaxTexture2DGatherWidth: return set(device.maxTexture2DGather[0]);
    case cudaDevAttrMaxTexture2DGatherHeight: return set(device.maxTexture2DGather[1]);
    case cudaDevAttrMaxTextureCubemapWidth: return set(device.maxTextureCubemap);
    case cudaDevAttrMaxTextureCubemapLayeredWidth: return set(device.maxTextureCubemapLayered[0]);
    case cudaDevAttrMaxTextureCubemapLayeredLayers: return set(device.maxTextureCubemapLayered[1]);
    case cudaDevAttrMaxSurface1DWidth: return set(device.maxSurface1D);
    case cudaDevAttrMaxSurface2DWidth: return set(device.maxSurface2D[0]);
    case cudaDevAttrMaxSurface2DHeight: return set(device.maxSurface2D[1]);
    case cudaDevAttrMaxSurface3DWidth: return set(device.maxSurface3D[0]);
    case cudaDevAttrMaxSurface3DHeight: return set(device.maxSurface3D[1]);
    case cudaDevAttrMaxSurface3DDepth: return set(device.maxSurface3D[2]);
    case cudaDevAttrMaxSurface1DLayeredWidth: return set(device.maxSurface1DLayered[0]);
    case cudaDevAttrMaxSurface1DLayeredLayers: return set(device.maxSurface1DLayered[1]);
    case cudaDevAttrMaxSurface2DLayeredWidth: return set(device.maxSurface2DLayered[0]);
    case cudaDevAttrMaxSurface2DLayeredHeight: return set(device.maxSurface2DLayered[1]);
    case cudaDevAttrMaxSurface2DLayeredLayers: return set(device.maxSurface2DLayered[2]);
    case cudaDevAttrMaxSurfaceCubemapWidth: return set(device.maxSurfaceCubemap);
    case cudaDevAttrMaxSurfaceCubemapLayeredWidth: return set(device.maxSurfaceCubemapLayered[0]);
    case cudaDevAttrMaxSurfaceCubemapLayeredLayers: return set(device.maxSurfaceCubemapLayered[1]);
    case cudaDevAttrMaxTexture2DLinearWidth: return set(device.maxTexture2DLinear[0]);
    case cudaDevAttrMaxTexture2DLinearHeight: return set(device.maxTexture2DLinear[1]);
    case cudaDevAttrMaxTexture2DLinearPitch: return set(device.maxTexture2DLinear[2]);
    case cudaDevAttrMaxTexture1DLinearWidth: return set(1 << 28);
    default: return false;
    }
}

}  // namespace

bool find_attribute(int attribute, int* value) {
    if (find_texture_attribute(attribute, value)) return true;
    const auto& device = device_properties();
    const auto set = [&](auto number) {
        *value = static_cast<int>(number);
        return true;
    };
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return set(device.maxThreadsPerBlock);
    case cudaDevAttrMaxBlockDimX: return set(device.maxThreadsDim[0]);
    case cudaDevAttrMaxBlockDimY: return set(device.maxThreadsDim[1]);
    case cudaDevAttrMaxBlockDimZ: return set(device.maxThreadsDim[2]);
    case cudaDevAttrMaxGridDimX: return set(device.maxGridSize[0]);
    case cudaDevAttrMaxGridDimY: return set(device.maxGridSize[1]);
    case cudaDevAttrMaxGridDimZ: return set(device.maxGridSize[2]);
    case cudaDevAttrMaxSharedMemoryPerBlock: return set(device.sharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory: return set(device.totalConstMem);
    case cudaDevAttrWarpSize: return set(device.warpSize);
    case cudaDevAttrMaxPitch: return set(device.memPitch);
    case cudaDevAttrMaxRegistersPerBlock: return set(device.regsPerBlock);
    case cudaDevAttrClockRate: return set(read_processor_facts().clock_khz);
    case cudaDevAttrTextureAlignment: return set(device.textureAlignment);
    case cudaDevAttrGpuOverlap: return set(device.asyncEngineCount > 0);
    case cudaDevAttrMultiProcessorCount: return set(device.multiProcessorCount);
    case cudaDevAttrIntegrated: return set(device.integrated);
    case cudaDevAttrCanMapHostMemory: return set(device.canMapHostMemory);
    case cudaDevAttrSurfaceAlignment: return set(device.surfaceAlignment);
    case cudaDevAttrConcurrentKernels: return set(device.concurrentKernels);
    case cudaDevAttrMemoryClockRate: return set(read_processor_facts().clock_khz);
    case cudaDevAttrGlobalMemoryBusWidth: return set(device.memoryBusWidth);
    case cudaDevAttrL2CacheSize: return set(device.l2CacheSize);
    case cudaDevAttrMaxThreadsPerMultiProcessor: return set(device.maxThreadsPerMultiProcessor);
    case cudaDevAttrAsyncEngineCount: return set(device.asyncEngineCount);
    case cudaDevAttrUnifiedAddressing: return set(device.unifiedAddressing);
    case cudaDevAttrTexturePitchAlignment: return set(device.texturePitchAlignment);
    case cudaDevAttrComputeCapabilityMajor: return set(device.major);
    case cudaDevAttrComputeCapabilityMinor: return set(device.minor);
    case cudaDevAttrGlobalL1CacheSupported: return set(device.globalL1CacheSupported);
    case cudaDevAttrLocalL1CacheSupported: return set(device.localL1CacheSupported);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return set(device.sharedMemPerMultiprocessor);
    case cudaDevAttrMaxRegistersPerMultiprocessor: return set(device.regsPerMultiprocessor);
    case cudaDevAttrManagedMemory: return set(device.managedMemory);
    case cudaDevAttrHostNativeAtomicSupported: return set(device.hostNativeAtomicSupported);
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: return set(2);
    case cudaDevAttrPageableMemoryAccess: return set(device.pageableMemoryAccess);
    case cudaDevAttrConcurrentManagedAccess: return set(device.concurrentManagedAccess);
    case cudaDevAttrComputePreemptionSupported: return set(device.computePreemptionSupported);
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
        return set(device.canUseHostPointerForRegisteredMem);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return set(device.sharedMemPerBlockOptin);
    case cudaDevAttrHostRegisterSupported: return set(device.hostRegisterSupported);
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
        return set(device.pageableMemoryAccessUsesHostPageTables);
    case cudaDevAttrDirectManagedMemAccessFromHost:
        return set(device.directManagedMemAccessFromHost);
    case cudaDevAttrMaxBlocksPerMultiprocessor: return set(device.maxBlocksPerMultiProcessor);
    case cudaDevAttrReservedSharedMemoryPerBlock: return set(device.reservedSharedMemPerBlock);
    case cudaDevAttrHostRegisterReadOnlySupported: return set(device.hostRegisterReadOnlySupported);
    case cudaDevAttrCooperativeLaunch: return set(device.cooperativeLaunch);
    case cudaDevAttrMemoryPoolsSupported: return set(device.memoryPoolsSupported);
    case cudaDevAttrStreamPrioritiesSupported: return set(device.streamPrioritiesSupported);
    case cudaDevAttrClusterLaunch: return set(device.clusterLaunch);
    case cudaDevAttrNumaId: return set(device.deviceNumaId);
    case cudaDevAttrHostNumaId:
        return set(device.hostNumaId);
        // The properties of the others are 0 as well.
#define KBUILD_CPU_IS_ATTRIBUTE(name, number) || attribute == number
    default: return (false KBUILD_CPU_DEVICE_ATTRIBUTES(KBUILD_CPU_IS_ATTRIBUTE)) && set(0);
#undef KBUILD_CPU_IS_ATTRIBUTE
    }
}

}  // namespace kbuild::cpu
