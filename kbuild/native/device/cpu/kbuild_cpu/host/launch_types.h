/* The types of extended launches and of kernel attributes. */

typedef struct CUkern_st *KBUILD_VENDOR(Kernel_t);
typedef struct CUgraphDeviceUpdatableNode_st *KBUILD_VENDOR(GraphDeviceNode_t);

struct KBUILD_VENDOR(FuncAttributes) {
    size_t sharedSizeBytes;
    size_t constSizeBytes;
    size_t localSizeBytes;
    int maxThreadsPerBlock;
    int numRegs;
    int ptxVersion;
    int binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes;
    int preferredShmemCarveout;
    int clusterDimMustBeSet;
    int requiredClusterWidth;
    int requiredClusterHeight;
    int requiredClusterDepth;
    int clusterSchedulingPolicyPreference;
    int nonPortableClusterSizeAllowed;
    int reserved[16];
};

enum KBUILD_VENDOR(AccessProperty) {
    KBUILD_VENDOR(AccessPropertyNormal) = 0,
    KBUILD_VENDOR(AccessPropertyStreaming) = 1,
    KBUILD_VENDOR(AccessPropertyPersisting) = 2
};

struct KBUILD_VENDOR(AccessPolicyWindow) {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    enum KBUILD_VENDOR(AccessProperty) hitProp;
    enum KBUILD_VENDOR(AccessProperty) missProp;
};

typedef enum KBUILD_VENDOR(LaunchAttributeID) {
    KBUILD_VENDOR(LaunchAttributeIgnore) = 0,
    KBUILD_VENDOR(LaunchAttributeAccessPolicyWindow) = 1,
    KBUILD_VENDOR(LaunchAttributeCooperative) = 2,
    KBUILD_VENDOR(LaunchAttributeSynchronizationPolicy) = 3,
    KBUILD_VENDOR(LaunchAttributeClusterDimension) = 4,
    KBUILD_VENDOR(LaunchAttributeClusterSchedulingPolicyPreference) = 5,
    KBUILD_VENDOR(LaunchAttributeProgrammaticStreamSerialization) = 6,
    KBUILD_VENDOR(LaunchAttributeProgrammaticEvent) = 7,
    KBUILD_VENDOR(LaunchAttributePriority) = 8,
    KBUILD_VENDOR(LaunchAttributeMemSyncDomainMap) = 9,
    KBUILD_VENDOR(LaunchAttributeMemSyncDomain) = 10,
    KBUILD_VENDOR(LaunchAttributePreferredClusterDimension) = 11,
    KBUILD_VENDOR(LaunchAttributeLaunchCompletionEvent) = 12,
    KBUILD_VENDOR(LaunchAttributeDeviceUpdatableKernelNode) = 13,
    KBUILD_VENDOR(LaunchAttributePreferredSharedMemoryCarveout) = 14,
    KBUILD_VENDOR(LaunchAttributeNvlinkUtilCentricScheduling) = 16
} KBUILD_VENDOR(LaunchAttributeID);

enum KBUILD_VENDOR(SynchronizationPolicy) {
    KBUILD_VENDOR(SyncPolicyAuto) = 1,
    KBUILD_VENDOR(SyncPolicySpin) = 2,
    KBUILD_VENDOR(SyncPolicyYield) = 3,
    KBUILD_VENDOR(SyncPolicyBlockingSync) = 4
};

enum KBUILD_VENDOR(ClusterSchedulingPolicy) {
    KBUILD_VENDOR(ClusterSchedulingPolicyDefault) = 0,
    KBUILD_VENDOR(ClusterSchedulingPolicySpread) = 1,
    KBUILD_VENDOR(ClusterSchedulingPolicyLoadBalancing) = 2
};

typedef enum KBUILD_VENDOR(LaunchMemSyncDomain) {
    KBUILD_VENDOR(LaunchMemSyncDomainDefault) = 0,
    KBUILD_VENDOR(LaunchMemSyncDomainRemote) = 1
} KBUILD_VENDOR(LaunchMemSyncDomain);

typedef struct KBUILD_VENDOR(LaunchMemSyncDomainMap_st) {
    unsigned char default_;
    unsigned char remote;
} KBUILD_VENDOR(LaunchMemSyncDomainMap);

typedef union KBUILD_VENDOR(LaunchAttributeValue) {
    char pad[64];
    struct KBUILD_VENDOR(AccessPolicyWindow) accessPolicyWindow;
    int cooperative;
    enum KBUILD_VENDOR(SynchronizationPolicy) syncPolicy;
    struct {
        unsigned int x, y, z;
    } clusterDim;
    enum KBUILD_VENDOR(ClusterSchedulingPolicy) clusterSchedulingPolicyPreference;
    int programmaticStreamSerializationAllowed;
    struct {
        KBUILD_VENDOR(Event_t) event;
        int flags;
        int triggerAtBlockStart;
    } programmaticEvent;
    int priority;
    KBUILD_VENDOR(LaunchMemSyncDomainMap) memSyncDomainMap;
    KBUILD_VENDOR(LaunchMemSyncDomain) memSyncDomain;
    struct {
        unsigned int x, y, z;
    } preferredClusterDim;
    struct {
        KBUILD_VENDOR(Event_t) event;
        int flags;
    } launchCompletionEvent;
    struct {
        int deviceUpdatable;
        KBUILD_VENDOR(GraphDeviceNode_t) devNode;
    } deviceUpdatableKernelNode;
    unsigned int sharedMemCarveout;
    unsigned int nvlinkUtilCentricScheduling;
} KBUILD_VENDOR(LaunchAttributeValue);

typedef struct KBUILD_VENDOR(LaunchAttribute_st) {
    KBUILD_VENDOR(LaunchAttributeID) id;
    char pad[8 - sizeof(KBUILD_VENDOR(LaunchAttributeID))];
    KBUILD_VENDOR(LaunchAttributeValue) val;
} KBUILD_VENDOR(LaunchAttribute);

typedef struct KBUILD_VENDOR(LaunchConfig_st) {
    dim3 gridDim;
    dim3 blockDim;
    size_t dynamicSmemBytes;
    KBUILD_VENDOR(Stream_t) stream;
    KBUILD_VENDOR(LaunchAttribute) *attrs;
    unsigned int numAttrs;
} KBUILD_VENDOR(LaunchConfig_t);
