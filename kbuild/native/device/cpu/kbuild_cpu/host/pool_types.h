/* The types of memory pools and of memory that processes share. */

typedef struct CUmemPoolHandle_st *KBUILD_VENDOR(MemPool_t);

enum KBUILD_VENDOR(MemPoolAttr) {
    KBUILD_VENDOR(MemPoolReuseFollowEventDependencies) = 1,
    KBUILD_VENDOR(MemPoolReuseAllowOpportunistic) = 2,
    KBUILD_VENDOR(MemPoolReuseAllowInternalDependencies) = 3,
    KBUILD_VENDOR(MemPoolAttrReleaseThreshold) = 4,
    KBUILD_VENDOR(MemPoolAttrReservedMemCurrent) = 5,
    KBUILD_VENDOR(MemPoolAttrReservedMemHigh) = 6,
    KBUILD_VENDOR(MemPoolAttrUsedMemCurrent) = 7,
    KBUILD_VENDOR(MemPoolAttrUsedMemHigh) = 8,
    cudaMemPoolAttrAllocationType = 9,
    cudaMemPoolAttrExportHandleTypes = 10,
    cudaMemPoolAttrLocationId = 11,
    cudaMemPoolAttrLocationType = 12,
    cudaMemPoolAttrMaxPoolSize = 13,
    cudaMemPoolAttrHwDecompressEnabled = 14
};

enum KBUILD_VENDOR(MemAccessFlags) {
    KBUILD_VENDOR(MemAccessFlagsProtNone) = 0,
    KBUILD_VENDOR(MemAccessFlagsProtRead) = 1,
    KBUILD_VENDOR(MemAccessFlagsProtReadWrite) = 3
};

struct KBUILD_VENDOR(MemAccessDesc) {
    struct KBUILD_VENDOR(MemLocation) location;
    enum KBUILD_VENDOR(MemAccessFlags) flags;
};

enum KBUILD_VENDOR(MemAllocationType) {
    KBUILD_VENDOR(MemAllocationTypeInvalid) = 0,
    KBUILD_VENDOR(MemAllocationTypePinned) = 1,
    KBUILD_VENDOR(MemAllocationTypeManaged) = 2,
    KBUILD_VENDOR(MemAllocationTypeMax) = 0x7fffffff
};

enum KBUILD_VENDOR(MemAllocationHandleType) {
    KBUILD_VENDOR(MemHandleTypeNone) = 0,
    KBUILD_VENDOR(MemHandleTypePosixFileDescriptor) = 1,
    KBUILD_VENDOR(MemHandleTypeWin32) = 2,
    KBUILD_VENDOR(MemHandleTypeWin32Kmt) = 4,
    KBUILD_VENDOR(MemHandleTypeFabric) = 8
};

/* A flag of `usage`, which has no effect. */
#define cudaMemPoolCreateUsageHwDecompress 0x2

struct KBUILD_VENDOR(MemPoolProps) {
    enum KBUILD_VENDOR(MemAllocationType) allocType;
    enum KBUILD_VENDOR(MemAllocationHandleType) handleTypes;
    struct KBUILD_VENDOR(MemLocation) location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

struct KBUILD_VENDOR(MemPoolPtrExportData) {
    unsigned char reserved[64];
};

typedef struct KBUILD_VENDOR(IpcEventHandle_st) {
    char reserved[64];
} KBUILD_VENDOR(IpcEventHandle_t);

typedef struct KBUILD_VENDOR(IpcMemHandle_st) {
    char reserved[64];
} KBUILD_VENDOR(IpcMemHandle_t);

#define cudaIpcMemLazyEnablePeerAccess 0x01
