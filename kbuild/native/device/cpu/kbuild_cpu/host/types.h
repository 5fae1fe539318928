/* Enumerations and structures of the host API, with the vendor's numbers and layouts. */

enum KBUILD_VENDOR(Error) { KBUILD_CPU_ERRORS(KBUILD_ERROR) };
typedef enum KBUILD_VENDOR(Error) KBUILD_VENDOR(Error_t);

enum {
    KBUILD_VENDOR(HostAllocDefault) = 0x0,
    KBUILD_VENDOR(HostAllocPortable) = 0x1,
    KBUILD_VENDOR(HostAllocMapped) = 0x2,
    KBUILD_VENDOR(HostAllocWriteCombined) = 0x4,
    KBUILD_VENDOR(HostRegisterDefault) = 0x0,
    KBUILD_VENDOR(HostRegisterPortable) = 0x1,
    KBUILD_VENDOR(HostRegisterMapped) = 0x2,
    KBUILD_VENDOR(HostRegisterIoMemory) = 0x4,
    KBUILD_VENDOR(HostRegisterReadOnly) = 0x8,
    KBUILD_VENDOR(PeerAccessDefault) = 0x0,
    KBUILD_VENDOR(StreamDefault) = 0x0,
    KBUILD_VENDOR(StreamNonBlocking) = 0x1,
    KBUILD_VENDOR(EventDefault) = 0x0,
    KBUILD_VENDOR(EventBlockingSync) = 0x1,
    KBUILD_VENDOR(EventDisableTiming) = 0x2,
    KBUILD_VENDOR(EventInterprocess) = 0x4,
    KBUILD_VENDOR(EventRecordDefault) = 0x0,
    KBUILD_VENDOR(EventRecordExternal) = 0x1,
    KBUILD_VENDOR(EventWaitDefault) = 0x0,
    KBUILD_VENDOR(EventWaitExternal) = 0x1,
    KBUILD_VENDOR(DeviceScheduleAuto) = 0x0,
    KBUILD_VENDOR(DeviceScheduleSpin) = 0x1,
    KBUILD_VENDOR(DeviceScheduleYield) = 0x2,
    KBUILD_VENDOR(DeviceScheduleBlockingSync) = 0x4,
    KBUILD_VENDOR(DeviceBlockingSync) = 0x4,
    KBUILD_VENDOR(DeviceScheduleMask) = 0x7,
    KBUILD_VENDOR(DeviceMapHost) = 0x8,
    KBUILD_VENDOR(DeviceLmemResizeToMax) = 0x10,
    KBUILD_VENDOR(DeviceSyncMemops) = 0x80,
    KBUILD_VENDOR(DeviceMask) = 0xff,
    KBUILD_VENDOR(MemAttachGlobal) = 0x1,
    KBUILD_VENDOR(MemAttachHost) = 0x2,
    KBUILD_VENDOR(MemAttachSingle) = 0x4,
    KBUILD_VENDOR(OccupancyDefault) = 0x0,
    KBUILD_VENDOR(OccupancyDisableCachingOverride) = 0x1,
    KBUILD_VENDOR(InitDeviceFlagsAreValid) = 0x1
};

enum KBUILD_VENDOR(MemoryType) {
    KBUILD_VENDOR(MemoryTypeUnregistered) = 0,
    KBUILD_VENDOR(MemoryTypeHost) = 1,
    KBUILD_VENDOR(MemoryTypeDevice) = 2,
    KBUILD_VENDOR(MemoryTypeManaged) = 3
};

enum KBUILD_VENDOR(MemcpyKind) {
    KBUILD_VENDOR(MemcpyHostToHost) = 0,
    KBUILD_VENDOR(MemcpyHostToDevice) = 1,
    KBUILD_VENDOR(MemcpyDeviceToHost) = 2,
    KBUILD_VENDOR(MemcpyDeviceToDevice) = 3,
    KBUILD_VENDOR(MemcpyDefault) = 4
};

enum KBUILD_VENDOR(FuncCache) {
    KBUILD_VENDOR(FuncCachePreferNone) = 0,
    KBUILD_VENDOR(FuncCachePreferShared) = 1,
    KBUILD_VENDOR(FuncCachePreferL1) = 2,
    KBUILD_VENDOR(FuncCachePreferEqual) = 3
};

enum KBUILD_VENDOR(SharedMemConfig) {
    KBUILD_VENDOR(SharedMemBankSizeDefault) = 0,
    KBUILD_VENDOR(SharedMemBankSizeFourByte) = 1,
    KBUILD_VENDOR(SharedMemBankSizeEightByte) = 2
};

enum KBUILD_VENDOR(SharedCarveout) {
    KBUILD_VENDOR(SharedmemCarveoutDefault) = -1,
    KBUILD_VENDOR(SharedmemCarveoutMaxShared) = 100,
    KBUILD_VENDOR(SharedmemCarveoutMaxL1) = 0
};

enum KBUILD_VENDOR(FuncAttribute) {
    KBUILD_VENDOR(FuncAttributeMaxDynamicSharedMemorySize) = 8,
    KBUILD_VENDOR(FuncAttributePreferredSharedMemoryCarveout) = 9,
    KBUILD_VENDOR(FuncAttributeClusterDimMustBeSet) = 10,
    KBUILD_VENDOR(FuncAttributeRequiredClusterWidth) = 11,
    KBUILD_VENDOR(FuncAttributeRequiredClusterHeight) = 12,
    KBUILD_VENDOR(FuncAttributeRequiredClusterDepth) = 13,
    KBUILD_VENDOR(FuncAttributeNonPortableClusterSizeAllowed) = 14,
    KBUILD_VENDOR(FuncAttributeClusterSchedulingPolicyPreference) = 15,
    KBUILD_VENDOR(FuncAttributeMax)
};

enum KBUILD_VENDOR(Limit) {
    KBUILD_VENDOR(LimitStackSize) = 0,
    KBUILD_VENDOR(LimitPrintfFifoSize) = 1,
    KBUILD_VENDOR(LimitMallocHeapSize) = 2,
    KBUILD_VENDOR(LimitDevRuntimeSyncDepth) = 3,
    KBUILD_VENDOR(LimitDevRuntimePendingLaunchCount) = 4,
    KBUILD_VENDOR(LimitMaxL2FetchGranularity) = 5,
    KBUILD_VENDOR(LimitPersistingL2CacheSize) = 6
};

enum KBUILD_VENDOR(MemoryAdvise) {
    KBUILD_VENDOR(MemAdviseSetReadMostly) = 1,
    KBUILD_VENDOR(MemAdviseUnsetReadMostly) = 2,
    KBUILD_VENDOR(MemAdviseSetPreferredLocation) = 3,
    KBUILD_VENDOR(MemAdviseUnsetPreferredLocation) = 4,
    KBUILD_VENDOR(MemAdviseSetAccessedBy) = 5,
    KBUILD_VENDOR(MemAdviseUnsetAccessedBy) = 6
};

enum KBUILD_VENDOR(MemLocationType) {
    KBUILD_VENDOR(MemLocationTypeInvalid) = 0,
    KBUILD_VENDOR(MemLocationTypeNone) = 0,
    KBUILD_VENDOR(MemLocationTypeDevice) = 1,
    KBUILD_VENDOR(MemLocationTypeHost) = 2,
    KBUILD_VENDOR(MemLocationTypeHostNuma) = 3,
    KBUILD_VENDOR(MemLocationTypeHostNumaCurrent) = 4
};

enum KBUILD_VENDOR(DeviceP2PAttr) {
    KBUILD_VENDOR(DevP2PAttrPerformanceRank) = 1,
    KBUILD_VENDOR(DevP2PAttrAccessSupported) = 2,
    KBUILD_VENDOR(DevP2PAttrNativeAtomicSupported) = 3,
    KBUILD_VENDOR(DevP2PAttrCudaArrayAccessSupported) = 4,
    KBUILD_VENDOR(DevP2PAttrOnlyPartialNativeAtomicSupported) = 5
};

/* Values of attributes of devices, and orders of copies. */
enum cudaFlushGPUDirectRDMAWritesOptions {
    cudaFlushGPUDirectRDMAWritesOptionHost = 1,
    cudaFlushGPUDirectRDMAWritesOptionMemOps = 2
};
enum cudaGPUDirectRDMAWritesOrdering {
    cudaGPUDirectRDMAWritesOrderingNone = 0,
    cudaGPUDirectRDMAWritesOrderingOwner = 100,
    cudaGPUDirectRDMAWritesOrderingAllDevices = 200
};
enum cudaDeviceNumaConfig { cudaDeviceNumaConfigNone = 0, cudaDeviceNumaConfigNumaNode = 1 };
enum cudaMemcpySrcAccessOrder {
    cudaMemcpySrcAccessOrderInvalid = 0,
    cudaMemcpySrcAccessOrderStream = 1,
    cudaMemcpySrcAccessOrderDuringApiCall = 2,
    cudaMemcpySrcAccessOrderAny = 3,
    cudaMemcpySrcAccessOrderMax = 0x7fffffff
};

enum KBUILD_VENDOR(StreamCaptureStatus) {
    KBUILD_VENDOR(StreamCaptureStatusNone) = 0,
    KBUILD_VENDOR(StreamCaptureStatusActive) = 1,
    KBUILD_VENDOR(StreamCaptureStatusInvalidated) = 2
};

struct KBUILD_VENDOR(MemLocation) {
    enum KBUILD_VENDOR(MemLocationType) type;
    int id;
};

struct KBUILD_VENDOR(PitchedPtr) {
    void *ptr;
    size_t pitch;
    size_t xsize;
    size_t ysize;
};

struct KBUILD_VENDOR(Extent) {
    size_t width;
    size_t height;
    size_t depth;
};

struct KBUILD_VENDOR(Pos) {
    size_t x;
    size_t y;
    size_t z;
};

struct KBUILD_VENDOR(PointerAttributes) {
    enum KBUILD_VENDOR(MemoryType) type;
    int device;
    void *devicePointer;
    void *hostPointer;
    long reserved[8];
};

struct KBUILD_VENDOR(Memcpy3DParms) {
    KBUILD_VENDOR(Array_t) srcArray;
    struct KBUILD_VENDOR(Pos) srcPos;
    struct KBUILD_VENDOR(PitchedPtr) srcPtr;
    KBUILD_VENDOR(Array_t) dstArray;
    struct KBUILD_VENDOR(Pos) dstPos;
    struct KBUILD_VENDOR(PitchedPtr) dstPtr;
    struct KBUILD_VENDOR(Extent) extent;
    enum KBUILD_VENDOR(MemcpyKind) kind;
};

struct KBUILD_VENDOR(Memcpy3DPeerParms) {
    KBUILD_VENDOR(Array_t) srcArray;
    struct KBUILD_VENDOR(Pos) srcPos;
    struct KBUILD_VENDOR(PitchedPtr) srcPtr;
    int srcDevice;
    KBUILD_VENDOR(Array_t) dstArray;
    struct KBUILD_VENDOR(Pos) dstPos;
    struct KBUILD_VENDOR(PitchedPtr) dstPtr;
    int dstDevice;
    struct KBUILD_VENDOR(Extent) extent;
};

typedef void (*KBUILD_VENDOR(HostFn_t))(void *__data);
typedef void (*KBUILD_VENDOR(StreamCallback_t))(KBUILD_VENDOR(Stream_t) __stream,
                                                KBUILD_VENDOR(Error_t) __status, void *__data);

static inline struct KBUILD_VENDOR(PitchedPtr) KBUILD_MAKE(PitchedPtr)(void *__pointer,
                                                                       size_t __pitch,
                                                                       size_t __width,
                                                                       size_t __height) {
    struct KBUILD_VENDOR(PitchedPtr) __result;
    __result.ptr = __pointer;
    __result.pitch = __pitch;
    __result.xsize = __width;
    __result.ysize = __height;
    return __result;
}

static inline struct KBUILD_VENDOR(Extent) KBUILD_MAKE(Extent)(size_t __width, size_t __height,
                                                               size_t __depth) {
    struct KBUILD_VENDOR(Extent) __result;
    __result.width = __width;
    __result.height = __height;
    __result.depth = __depth;
    return __result;
}

static inline struct KBUILD_VENDOR(Pos) KBUILD_MAKE(Pos)(size_t __x, size_t __y, size_t __z) {
    struct KBUILD_VENDOR(Pos) __result;
    __result.x = __x;
    __result.y = __y;
    __result.z = __z;
    return __result;
}
