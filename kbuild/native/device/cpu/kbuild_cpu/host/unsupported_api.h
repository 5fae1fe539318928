/* The functions of CUDA 13's runtime API that the backend does not have.  A call of one is an error
 * that names it, and not an undeclared function. */

#define KBUILD_CPU_UNSUPPORTED_FUNCTIONS(X) \
    X(DeviceGetTexture1DLinearMaxWidth) \
    X(IpcGetEventHandle) \
    X(IpcOpenEventHandle) \
    X(IpcGetMemHandle) \
    X(IpcOpenMemHandle) \
    X(IpcCloseMemHandle) \
    X(DeviceFlushGPUDirectRDMAWrites) \
    X(DeviceRegisterAsyncNotification) \
    X(DeviceUnregisterAsyncNotification) \
    X(DeviceGetHostAtomicCapabilities) \
    X(DeviceGetDefaultMemPool) \
    X(DeviceSetMemPool) \
    X(DeviceGetMemPool) \
    X(DeviceGetNvSciSyncAttributes) \
    X(DeviceGetP2PAtomicCapabilities) \
    X(StreamCopyAttributes) \
    X(StreamGetAttribute) \
    X(StreamBeginCapture) \
    X(StreamBeginCaptureToGraph) \
    X(ThreadExchangeStreamCaptureMode) \
    X(StreamEndCapture) \
    X(StreamGetCaptureInfo) \
    X(StreamUpdateCaptureDependencies) \
    X(ImportExternalMemory) \
    X(ExternalMemoryGetMappedBuffer) \
    X(ExternalMemoryGetMappedMipmappedArray) \
    X(DestroyExternalMemory) \
    X(ImportExternalSemaphore) \
    X(SignalExternalSemaphoresAsync) \
    X(WaitExternalSemaphoresAsync) \
    X(DestroyExternalSemaphore) \
    X(FuncGetParamInfo) \
    X(OccupancyMaxPotentialClusterSize) \
    X(OccupancyMaxActiveClusters) \
    X(ArrayGetPlane) \
    X(ArrayGetMemoryRequirements) \
    X(MipmappedArrayGetMemoryRequirements) \
    X(ArrayGetSparseProperties) \
    X(MipmappedArrayGetSparseProperties) \
    X(MemcpyBatchAsync) \
    X(Memcpy3DBatchAsync) \
    X(MemPrefetchBatchAsync) \
    X(MemDiscardBatchAsync) \
    X(MemDiscardAndPrefetchBatchAsync) \
    X(MemRangeGetAttribute) \
    X(MemRangeGetAttributes) \
    X(MemPoolTrimTo) \
    X(MemPoolSetAttribute) \
    X(MemPoolGetAttribute) \
    X(MemPoolSetAccess) \
    X(MemPoolGetAccess) \
    X(MemPoolCreate) \
    X(MemPoolDestroy) \
    X(MemGetDefaultMemPool) \
    X(MemGetMemPool) \
    X(MemSetMemPool) \
    X(MallocFromPoolAsync) \
    X(MemPoolExportToShareableHandle) \
    X(MemPoolImportFromShareableHandle) \
    X(MemPoolExportPointer) \
    X(MemPoolImportPointer) \
    X(GraphicsUnregisterResource) \
    X(GraphicsResourceSetMapFlags) \
    X(GraphicsMapResources) \
    X(GraphicsUnmapResources) \
    X(GraphicsResourceGetMappedPointer) \
    X(GraphicsSubResourceGetMappedArray) \
    X(GraphicsResourceGetMappedMipmappedArray) \
    X(GetTextureObjectResourceViewDesc) \
    X(LogsRegisterCallback) \
    X(LogsUnregisterCallback) \
    X(LogsCurrent) \
    X(LogsDumpToFile) \
    X(LogsDumpToMemory) \
    X(GraphCreate) \
    X(GraphAddKernelNode) \
    X(GraphKernelNodeGetParams) \
    X(GraphKernelNodeSetParams) \
    X(GraphKernelNodeCopyAttributes) \
    X(GraphKernelNodeGetAttribute) \
    X(GraphKernelNodeSetAttribute) \
    X(GraphAddMemcpyNode) \
    X(GraphAddMemcpyNodeToSymbol) \
    X(GraphAddMemcpyNodeFromSymbol) \
    X(GraphAddMemcpyNode1D) \
    X(GraphMemcpyNodeGetParams) \
    X(GraphMemcpyNodeSetParams) \
    X(GraphMemcpyNodeSetParamsToSymbol) \
    X(GraphMemcpyNodeSetParamsFromSymbol) \
    X(GraphMemcpyNodeSetParams1D) \
    X(GraphAddMemsetNode) \
    X(GraphMemsetNodeGetParams) \
    X(GraphMemsetNodeSetParams) \
    X(GraphAddHostNode) \
    X(GraphHostNodeGetParams) \
    X(GraphHostNodeSetParams) \
    X(GraphAddChildGraphNode) \
    X(GraphChildGraphNodeGetGraph) \
    X(GraphAddEmptyNode) \
    X(GraphAddEventRecordNode) \
    X(GraphEventRecordNodeGetEvent) \
    X(GraphEventRecordNodeSetEvent) \
    X(GraphAddEventWaitNode) \
    X(GraphEventWaitNodeGetEvent) \
    X(GraphEventWaitNodeSetEvent) \
    X(GraphAddExternalSemaphoresSignalNode) \
    X(GraphExternalSemaphoresSignalNodeGetParams) \
    X(GraphExternalSemaphoresSignalNodeSetParams) \
    X(GraphAddExternalSemaphoresWaitNode) \
    X(GraphExternalSemaphoresWaitNodeGetParams) \
    X(GraphExternalSemaphoresWaitNodeSetParams) \
    X(GraphAddMemAllocNode) \
    X(GraphMemAllocNodeGetParams) \
    X(GraphAddMemFreeNode) \
    X(GraphMemFreeNodeGetParams) \
    X(DeviceGraphMemTrim) \
    X(DeviceGetGraphMemAttribute) \
    X(DeviceSetGraphMemAttribute) \
    X(GraphClone) \
    X(GraphNodeFindInClone) \
    X(GraphNodeGetType) \
    X(GraphGetNodes) \
    X(GraphGetRootNodes) \
    X(GraphGetEdges) \
    X(GraphNodeGetDependencies) \
    X(GraphNodeGetDependentNodes) \
    X(GraphAddDependencies) \
    X(GraphRemoveDependencies) \
    X(GraphDestroyNode) \
    X(GraphInstantiate) \
    X(GraphInstantiateWithFlags) \
    X(GraphInstantiateWithParams) \
    X(GraphExecGetFlags) \
    X(GraphExecKernelNodeSetParams) \
    X(GraphExecMemcpyNodeSetParams) \
    X(GraphExecMemcpyNodeSetParamsToSymbol) \
    X(GraphExecMemcpyNodeSetParamsFromSymbol) \
    X(GraphExecMemcpyNodeSetParams1D) \
    X(GraphExecMemsetNodeSetParams) \
    X(GraphExecHostNodeSetParams) \
    X(GraphExecChildGraphNodeSetParams) \
    X(GraphExecEventRecordNodeSetEvent) \
    X(GraphExecEventWaitNodeSetEvent) \
    X(GraphExecExternalSemaphoresSignalNodeSetParams) \
    X(GraphExecExternalSemaphoresWaitNodeSetParams) \
    X(GraphNodeSetEnabled) \
    X(GraphNodeGetEnabled) \
    X(GraphExecUpdate) \
    X(GraphUpload) \
    X(GraphLaunch) \
    X(GraphExecDestroy) \
    X(GraphDestroy) \
    X(GraphDebugDotPrint) \
    X(UserObjectCreate) \
    X(UserObjectRetain) \
    X(UserObjectRelease) \
    X(GraphRetainUserObject) \
    X(GraphReleaseUserObject) \
    X(GraphAddNode) \
    X(GraphNodeSetParams) \
    X(GraphExecNodeSetParams) \
    X(GraphConditionalHandleCreate) \
    X(GetDriverEntryPoint) \
    X(GetDriverEntryPointByVersion) \
    X(LibraryLoadData) \
    X(LibraryLoadFromFile) \
    X(LibraryUnload) \
    X(LibraryGetKernel) \
    X(LibraryGetGlobal) \
    X(LibraryGetManaged) \
    X(LibraryGetUnifiedFunction) \
    X(LibraryGetKernelCount) \
    X(LibraryEnumerateKernels) \
    X(KernelSetAttributeForDevice) \
    X(GetExportTable) \
    X(GetFuncBySymbol) \
    X(GetKernel)

/* clang ignores the attribute `error` of functions without a prototype. */
#if defined(__clang__) && !defined(__cplusplus)
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((unavailable("kbuild: the cpu backend does not support " #name)))
#else
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((error("kbuild: the cpu backend does not support " #name)))
#endif
#if defined(__cplusplus)
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name)  \
    template <class... __Arguments>            \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cuda##name) cudaError_t cuda##name(__Arguments &&...);
#else
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cuda##name) cudaError_t cuda##name();
#endif

KBUILD_CPU_UNSUPPORTED_FUNCTIONS(KBUILD_CPU_UNSUPPORTED_FUNCTION)

#undef KBUILD_CPU_UNSUPPORTED_FUNCTION
#undef KBUILD_CPU_UNSUPPORTED_MESSAGE
#undef KBUILD_CPU_UNSUPPORTED_FUNCTIONS
