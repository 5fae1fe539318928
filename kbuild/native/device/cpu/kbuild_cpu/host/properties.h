/* The structure of device properties, as of CUDA 13, and the numbers of device attributes. */
#ifndef KBUILD_CPU_HOST_PROPERTIES_H
#define KBUILD_CPU_HOST_PROPERTIES_H

#include <stddef.h>

#include "cuda_version.h"

#pragma GCC system_header

struct CUuuid_st {
    char bytes[16];
};
typedef struct CUuuid_st CUuuid;
typedef struct CUuuid_st cudaUUID_t;

struct cudaDeviceProp {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem;
    size_t sharedMemPerBlock;
    int regsPerBlock;
    int warpSize;
    size_t memPitch;
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    size_t totalConstMem;
    int major;
    int minor;
    size_t textureAlignment;
    size_t texturePitchAlignment;
    int multiProcessorCount;
    int integrated;
    int canMapHostMemory;
    int maxTexture1D;
    int maxTexture1DMipmap;
    int maxTexture2D[2];
    int maxTexture2DMipmap[2];
    int maxTexture2DLinear[3];
    int maxTexture2DGather[2];
    int maxTexture3D[3];
    int maxTexture3DAlt[3];
    int maxTextureCubemap;
    int maxTexture1DLayered[2];
    int maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2];
    int maxSurface1D;
    int maxSurface2D[2];
    int maxSurface3D[3];
    int maxSurface1DLayered[2];
    int maxSurface2DLayered[3];
    int maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels;
    int ECCEnabled;
    int pciBusID;
    int pciDeviceID;
    int pciDomainID;
    int tccDriver;
    int asyncEngineCount;
    int unifiedAddressing;
    int memoryBusWidth;
    int l2CacheSize;
    int persistingL2CacheMaxSize;
    int maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported;
    int globalL1CacheSupported;
    int localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor;
    int managedMemory;
    int isMultiGpuBoard;
    int multiGpuBoardGroupID;
    int hostNativeAtomicSupported;
    int pageableMemoryAccess;
    int concurrentManagedAccess;
    int computePreemptionSupported;
    int canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables;
    int directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported;
    int sparseCudaArraySupported;
    int hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported;
    int memoryPoolsSupported;
    int gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported;
    int ipcEventSupported;
    int clusterLaunch;
    int unifiedFunctionPointers;
    int deviceNumaConfig;
    int deviceNumaId;
    int mpsEnabled;
    int hostNumaId;
    unsigned int gpuPciDeviceID;
    unsigned int gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
#if KBUILD_CUDA_VERSION < 13
    int clockRate;
    int memoryClockRate;
    int deviceOverlap;
    int kernelExecTimeoutEnabled;
    int computeMode;
    int maxTexture1DLinear;
    int singleToDoublePrecisionPerfRatio;
    int cooperativeMultiDeviceLaunch;
    int reserved[48];
#else
    int reserved[56];
#endif
};

/* X(name, number) for each attribute that CUDA documents. */
#define KBUILD_CPU_DEVICE_ATTRIBUTES(X) \
    X(MaxThreadsPerBlock, 1) \
    X(MaxBlockDimX, 2) \
    X(MaxBlockDimY, 3) \
    X(MaxBlockDimZ, 4) \
    X(MaxGridDimX, 5) \
    X(MaxGridDimY, 6) \
    X(MaxGridDimZ, 7) \
    X(MaxSharedMemoryPerBlock, 8) \
    X(TotalConstantMemory, 9) \
    X(WarpSize, 10) \
    X(MaxPitch, 11) \
    X(MaxRegistersPerBlock, 12) \
    X(ClockRate, 13) \
    X(TextureAlignment, 14) \
    X(GpuOverlap, 15) \
    X(MultiProcessorCount, 16) \
    X(KernelExecTimeout, 17) \
    X(Integrated, 18) \
    X(CanMapHostMemory, 19) \
    X(ComputeMode, 20) \
    X(MaxTexture1DWidth, 21) \
    X(MaxTexture2DWidth, 22) \
    X(MaxTexture2DHeight, 23) \
    X(MaxTexture3DWidth, 24) \
    X(MaxTexture3DHeight, 25) \
    X(MaxTexture3DDepth, 26) \
    X(MaxTexture2DLayeredWidth, 27) \
    X(MaxTexture2DLayeredHeight, 28) \
    X(MaxTexture2DLayeredLayers, 29) \
    X(SurfaceAlignment, 30) \
    X(ConcurrentKernels, 31) \
    X(EccEnabled, 32) \
    X(PciBusId, 33) \
    X(PciDeviceId, 34) \
    X(TccDriver, 35) \
    X(MemoryClockRate, 36) \
    X(GlobalMemoryBusWidth, 37) \
    X(L2CacheSize, 38) \
    X(MaxThreadsPerMultiProcessor, 39) \
    X(AsyncEngineCount, 40) \
    X(UnifiedAddressing, 41) \
    X(MaxTexture1DLayeredWidth, 42) \
    X(MaxTexture1DLayeredLayers, 43) \
    X(MaxTexture2DGatherWidth, 45) \
    X(MaxTexture2DGatherHeight, 46) \
    X(MaxTexture3DWidthAlt, 47) \
    X(MaxTexture3DHeightAlt, 48) \
    X(MaxTexture3DDepthAlt, 49) \
    X(PciDomainId, 50) \
    X(TexturePitchAlignment, 51) \
    X(MaxTextureCubemapWidth, 52) \
    X(MaxTextureCubemapLayeredWidth, 53) \
    X(MaxTextureCubemapLayeredLayers, 54) \
    X(MaxSurface1DWidth, 55) \
    X(MaxSurface2DWidth, 56) \
    X(MaxSurface2DHeight, 57) \
    X(MaxSurface3DWidth, 58) \
    X(MaxSurface3DHeight, 59) \
    X(MaxSurface3DDepth, 60) \
    X(MaxSurface1DLayeredWidth, 61) \
    X(MaxSurface1DLayeredLayers, 62) \
    X(MaxSurface2DLayeredWidth, 63) \
    X(MaxSurface2DLayeredHeight, 64) \
    X(MaxSurface2DLayeredLayers, 65) \
    X(MaxSurfaceCubemapWidth, 66) \
    X(MaxSurfaceCubemapLayeredWidth, 67) \
    X(MaxSurfaceCubemapLayeredLayers, 68) \
    X(MaxTexture1DLinearWidth, 69) \
    X(MaxTexture2DLinearWidth, 70) \
    X(MaxTexture2DLinearHeight, 71) \
    X(MaxTexture2DLinearPitch, 72) \
    X(MaxTexture2DMipmappedWidth, 73) \
    X(MaxTexture2DMipmappedHeight, 74) \
    X(ComputeCapabilityMajor, 75) \
    X(ComputeCapabilityMinor, 76) \
    X(MaxTexture1DMipmappedWidth, 77) \
    X(StreamPrioritiesSupported, 78) \
    X(GlobalL1CacheSupported, 79) \
    X(LocalL1CacheSupported, 80) \
    X(MaxSharedMemoryPerMultiprocessor, 81) \
    X(MaxRegistersPerMultiprocessor, 82) \
    X(ManagedMemory, 83) \
    X(IsMultiGpuBoard, 84) \
    X(MultiGpuBoardGroupID, 85) \
    X(HostNativeAtomicSupported, 86) \
    X(SingleToDoublePrecisionPerfRatio, 87) \
    X(PageableMemoryAccess, 88) \
    X(ConcurrentManagedAccess, 89) \
    X(ComputePreemptionSupported, 90) \
    X(CanUseHostPointerForRegisteredMem, 91) \
    X(CooperativeLaunch, 95) \
    X(MaxSharedMemoryPerBlockOptin, 97) \
    X(CanFlushRemoteWrites, 98) \
    X(HostRegisterSupported, 99) \
    X(PageableMemoryAccessUsesHostPageTables, 100) \
    X(DirectManagedMemAccessFromHost, 101) \
    X(MaxBlocksPerMultiprocessor, 106) \
    X(MaxPersistingL2CacheSize, 108) \
    X(MaxAccessPolicyWindowSize, 109) \
    X(ReservedSharedMemoryPerBlock, 111) \
    X(SparseCudaArraySupported, 112) \
    X(HostRegisterReadOnlySupported, 113) \
    X(TimelineSemaphoreInteropSupported, 114) \
    X(MemoryPoolsSupported, 115) \
    X(GPUDirectRDMASupported, 116) \
    X(GPUDirectRDMAFlushWritesOptions, 117) \
    X(GPUDirectRDMAWritesOrdering, 118) \
    X(MemoryPoolSupportedHandleTypes, 119) \
    X(ClusterLaunch, 120) \
    X(DeferredMappingCudaArraySupported, 121) \
    X(IpcEventSupport, 125) \
    X(MemSyncDomainCount, 126) \
    X(NumaConfig, 130) \
    X(NumaId, 131) \
    X(MpsEnabled, 133) \
    X(HostNumaId, 134) \
    X(D3D12CigSupported, 135) \
    X(VulkanCigSupported, 138) \
    X(GpuPciDeviceId, 139) \
    X(GpuPciSubsystemId, 140) \
    X(HostNumaMemoryPoolsSupported, 142) \
    X(HostNumaMultinodeIpcSupported, 143) \
    X(HostMemoryPoolsSupported, 144) \
    X(OnlyPartialHostNativeAtomicSupported, 147)

enum cudaDeviceAttr {
#define KBUILD_CPU_DEVICE_ATTRIBUTE(name, number) cudaDevAttr##name = number,
    KBUILD_CPU_DEVICE_ATTRIBUTES(KBUILD_CPU_DEVICE_ATTRIBUTE)
#undef KBUILD_CPU_DEVICE_ATTRIBUTE
        cudaDevAttrMax
};

enum cudaComputeMode {
    cudaComputeModeDefault = 0,
    cudaComputeModeExclusive = 1,
    cudaComputeModeProhibited = 2,
    cudaComputeModeExclusiveProcess = 3
};

#endif
