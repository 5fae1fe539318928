/* The types of graphs and captures. */

typedef struct CUgraph_st *KBUILD_VENDOR(Graph_t);
typedef struct CUgraphNode_st *KBUILD_VENDOR(GraphNode_t);
typedef struct CUgraphExec_st *KBUILD_VENDOR(GraphExec_t);
typedef unsigned long long KBUILD_VENDOR(GraphConditionalHandle);

enum KBUILD_VENDOR(StreamCaptureMode) {
    KBUILD_VENDOR(StreamCaptureModeGlobal) = 0,
    KBUILD_VENDOR(StreamCaptureModeThreadLocal) = 1,
    KBUILD_VENDOR(StreamCaptureModeRelaxed) = 2
};

enum KBUILD_VENDOR(StreamUpdateCaptureDependenciesFlags) {
    KBUILD_VENDOR(StreamAddCaptureDependencies) = 0,
    KBUILD_VENDOR(StreamSetCaptureDependencies) = 1
};

enum KBUILD_VENDOR(GraphNodeType) {
    KBUILD_VENDOR(GraphNodeTypeKernel) = 0,
    KBUILD_VENDOR(GraphNodeTypeMemcpy) = 1,
    KBUILD_VENDOR(GraphNodeTypeMemset) = 2,
    KBUILD_VENDOR(GraphNodeTypeHost) = 3,
    KBUILD_VENDOR(GraphNodeTypeGraph) = 4,
    KBUILD_VENDOR(GraphNodeTypeEmpty) = 5,
    KBUILD_VENDOR(GraphNodeTypeWaitEvent) = 6,
    KBUILD_VENDOR(GraphNodeTypeEventRecord) = 7,
    KBUILD_VENDOR(GraphNodeTypeExtSemaphoreSignal) = 8,
    KBUILD_VENDOR(GraphNodeTypeExtSemaphoreWait) = 9,
    KBUILD_VENDOR(GraphNodeTypeMemAlloc) = 10,
    KBUILD_VENDOR(GraphNodeTypeMemFree) = 11,
    KBUILD_VENDOR(GraphNodeTypeConditional) = 13,
    KBUILD_VENDOR(GraphNodeTypeCount)
};

enum KBUILD_VENDOR(GraphInstantiateFlags) {
    KBUILD_VENDOR(GraphInstantiateFlagAutoFreeOnLaunch) = 1,
    KBUILD_VENDOR(GraphInstantiateFlagUpload) = 2,
    KBUILD_VENDOR(GraphInstantiateFlagDeviceLaunch) = 4,
    KBUILD_VENDOR(GraphInstantiateFlagUseNodePriority) = 8
};

enum KBUILD_VENDOR(GraphExecUpdateResult) {
    KBUILD_VENDOR(GraphExecUpdateSuccess) = 0,
    KBUILD_VENDOR(GraphExecUpdateError) = 1,
    KBUILD_VENDOR(GraphExecUpdateErrorTopologyChanged) = 2,
    KBUILD_VENDOR(GraphExecUpdateErrorNodeTypeChanged) = 3,
    KBUILD_VENDOR(GraphExecUpdateErrorFunctionChanged) = 4,
    KBUILD_VENDOR(GraphExecUpdateErrorParametersChanged) = 5,
    KBUILD_VENDOR(GraphExecUpdateErrorNotSupported) = 6,
    KBUILD_VENDOR(GraphExecUpdateErrorUnsupportedFunctionChange) = 7,
    KBUILD_VENDOR(GraphExecUpdateErrorAttributesChanged) = 8
};

enum KBUILD_VENDOR(GraphMemAttributeType) {
    KBUILD_VENDOR(GraphMemAttrUsedMemCurrent) = 0,
    KBUILD_VENDOR(GraphMemAttrUsedMemHigh) = 1,
    KBUILD_VENDOR(GraphMemAttrReservedMemCurrent) = 2,
    KBUILD_VENDOR(GraphMemAttrReservedMemHigh) = 3
};

enum KBUILD_VENDOR(GraphDebugDotFlags) {
    KBUILD_VENDOR(GraphDebugDotFlagsVerbose) = 1 << 0,
    KBUILD_VENDOR(GraphDebugDotFlagsKernelNodeParams) = 1 << 2,
    KBUILD_VENDOR(GraphDebugDotFlagsMemcpyNodeParams) = 1 << 3,
    KBUILD_VENDOR(GraphDebugDotFlagsMemsetNodeParams) = 1 << 4,
    KBUILD_VENDOR(GraphDebugDotFlagsHostNodeParams) = 1 << 5,
    KBUILD_VENDOR(GraphDebugDotFlagsEventNodeParams) = 1 << 6,
    KBUILD_VENDOR(GraphDebugDotFlagsKernelNodeAttributes) = 1 << 9,
    KBUILD_VENDOR(GraphDebugDotFlagsHandles) = 1 << 10,
    KBUILD_VENDOR(GraphDebugDotFlagsConditionalNodeParams) = 1 << 15
};

typedef struct KBUILD_VENDOR(GraphExecUpdateResultInfo_st) {
    enum KBUILD_VENDOR(GraphExecUpdateResult) result;
    KBUILD_VENDOR(GraphNode_t) errorNode;
    KBUILD_VENDOR(GraphNode_t) errorFromNode;
} KBUILD_VENDOR(GraphExecUpdateResultInfo);

/* Only edges without ports exist, whose data is 0. */
typedef struct KBUILD_VENDOR(GraphEdgeData_st) {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} KBUILD_VENDOR(GraphEdgeData);

#define cudaGraphKernelNodePortDefault 0
#define cudaGraphKernelNodePortProgrammatic 1
#define cudaGraphKernelNodePortLaunchCompletion 2

typedef enum KBUILD_VENDOR(GraphDependencyType_enum) {
    KBUILD_VENDOR(GraphDependencyTypeDefault) = 0,
    KBUILD_VENDOR(GraphDependencyTypeProgrammatic) = 1
} KBUILD_VENDOR(GraphDependencyType);

struct KBUILD_VENDOR(KernelNodeParams) {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct KBUILD_VENDOR(MemsetParams) {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};

struct KBUILD_VENDOR(HostNodeParams) {
    KBUILD_VENDOR(HostFn_t) fn;
    void *userData;
};

struct KBUILD_VENDOR(MemAllocNodeParams) {
    struct KBUILD_VENDOR(MemPoolProps) poolProps;
    const struct KBUILD_VENDOR(MemAccessDesc) *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

/* The parameters of a node of any type.  The structures with V2 have the members of those without. */

struct KBUILD_VENDOR(KernelNodeParamsV2) {
    void *func;
    dim3 gridDim;
    dim3 blockDim;
    unsigned int sharedMemBytes;
    void **kernelParams;
    void **extra;
};

struct KBUILD_VENDOR(MemcpyNodeParams) {
    int flags;
    int reserved[3];
    struct KBUILD_VENDOR(Memcpy3DParms) copyParams;
};

struct KBUILD_VENDOR(MemsetParamsV2) {
    void *dst;
    size_t pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t width;
    size_t height;
};

struct KBUILD_VENDOR(HostNodeParamsV2) {
    KBUILD_VENDOR(HostFn_t) fn;
    void *userData;
};

enum KBUILD_VENDOR(GraphChildGraphNodeOwnership) {
    KBUILD_VENDOR(GraphChildGraphOwnershipClone) = 0,
    KBUILD_VENDOR(GraphChildGraphOwnershipMove) = 1
};

struct KBUILD_VENDOR(ChildGraphNodeParams) {
    KBUILD_VENDOR(Graph_t) graph;
    enum KBUILD_VENDOR(GraphChildGraphNodeOwnership) ownership;
};

struct KBUILD_VENDOR(EventWaitNodeParams) {
    KBUILD_VENDOR(Event_t) event;
};

struct KBUILD_VENDOR(EventRecordNodeParams) {
    KBUILD_VENDOR(Event_t) event;
};

struct KBUILD_VENDOR(MemAllocNodeParamsV2) {
    struct KBUILD_VENDOR(MemPoolProps) poolProps;
    const struct KBUILD_VENDOR(MemAccessDesc) *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
};

struct KBUILD_VENDOR(MemFreeNodeParams) {
    void *dptr;
};

enum KBUILD_VENDOR(GraphConditionalHandleFlags) { KBUILD_VENDOR(GraphCondAssignDefault) = 1 };

enum KBUILD_VENDOR(GraphConditionalNodeType) {
    KBUILD_VENDOR(GraphCondTypeIf) = 0,
    KBUILD_VENDOR(GraphCondTypeWhile) = 1,
    KBUILD_VENDOR(GraphCondTypeSwitch) = 2
};

struct KBUILD_VENDOR(ConditionalNodeParams) {
    KBUILD_VENDOR(GraphConditionalHandle) handle;
    enum KBUILD_VENDOR(GraphConditionalNodeType) type;
    unsigned int size;
    KBUILD_VENDOR(Graph_t) *phGraph_out;
};

struct KBUILD_VENDOR(GraphNodeParams) {
    enum KBUILD_VENDOR(GraphNodeType) type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct KBUILD_VENDOR(KernelNodeParamsV2) kernel;
        struct KBUILD_VENDOR(MemcpyNodeParams) memcpy;
        struct KBUILD_VENDOR(MemsetParamsV2) memset;
        struct KBUILD_VENDOR(HostNodeParamsV2) host;
        struct KBUILD_VENDOR(ChildGraphNodeParams) graph;
        struct KBUILD_VENDOR(EventWaitNodeParams) eventWait;
        struct KBUILD_VENDOR(EventRecordNodeParams) eventRecord;
        struct KBUILD_VENDOR(MemAllocNodeParamsV2) alloc;
        struct KBUILD_VENDOR(MemFreeNodeParams) free;
        struct KBUILD_VENDOR(ConditionalNodeParams) conditional;
    };
    long long reserved2;
};

typedef enum KBUILD_VENDOR(GraphInstantiateResult) {
    KBUILD_VENDOR(GraphInstantiateSuccess) = 0,
    KBUILD_VENDOR(GraphInstantiateError) = 1,
    KBUILD_VENDOR(GraphInstantiateInvalidStructure) = 2,
    KBUILD_VENDOR(GraphInstantiateNodeOperationNotSupported) = 3,
    KBUILD_VENDOR(GraphInstantiateMultipleDevicesNotSupported) = 4,
    KBUILD_VENDOR(GraphInstantiateConditionalHandleUnused) = 5
} KBUILD_VENDOR(GraphInstantiateResult);

typedef struct KBUILD_VENDOR(GraphInstantiateParams_st) {
    unsigned long long flags;
    KBUILD_VENDOR(Stream_t) uploadStream;
    KBUILD_VENDOR(GraphNode_t) errNode_out;
    KBUILD_VENDOR(GraphInstantiateResult) result_out;
} KBUILD_VENDOR(GraphInstantiateParams);

typedef struct CUuserObject_st *KBUILD_VENDOR(UserObject_t);

enum KBUILD_VENDOR(UserObjectFlags) { KBUILD_VENDOR(UserObjectNoDestructorSync) = 1 };

enum KBUILD_VENDOR(UserObjectRetainFlags) { KBUILD_VENDOR(GraphUserObjectMove) = 1 };
