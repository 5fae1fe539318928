/* The functions of CUDA 13's driver API that the backend does not have.  A call of one is an error that
 * names it, as in host/unsupported_api.h. */

#define KBUILD_CPU_UNSUPPORTED_FUNCTIONS(X) \
    X(ArrayGetMemoryRequirements) \
    X(ArrayGetPlane) \
    X(ArrayGetSparseProperties) \
    X(CheckpointOperationComplete) \
    X(CheckpointProcessCheckpoint) \
    X(CheckpointProcessGetRestoreThreadId) \
    X(CheckpointProcessGetState) \
    X(CheckpointProcessLock) \
    X(CheckpointProcessRestore) \
    X(CheckpointProcessUnlock) \
    X(CoredumpDeregisterCompleteCallback) \
    X(CoredumpDeregisterStartCallback) \
    X(CoredumpGetAttribute) \
    X(CoredumpGetAttributeGlobal) \
    X(CoredumpRegisterCompleteCallback) \
    X(CoredumpRegisterStartCallback) \
    X(CoredumpSetAttribute) \
    X(CoredumpSetAttributeGlobal) \
    X(CtxAttach) \
    X(CtxDetach) \
    X(CtxFromGreenCtx) \
    X(CtxGetDevResource) \
    X(CtxGetExecAffinity) \
    X(CtxRecordEvent) \
    X(CtxWaitEvent) \
    X(DestroyExternalMemory) \
    X(DestroyExternalSemaphore) \
    X(DevResourceGenerateDesc) \
    X(DevSmResourceSplit) \
    X(DevSmResourceSplitByCount) \
    X(DeviceGetCliqueCount) \
    X(DeviceGetCliqueInfo) \
    X(DeviceGetDevResource) \
    X(DeviceGetExecAffinitySupport) \
    X(DeviceGetFabricClusterUuid) \
    X(DeviceGetGraphMemAttribute) \
    X(DeviceGetHostAtomicCapabilities) \
    X(DeviceGetLuid) \
    X(DeviceGetNvSciSyncAttributes) \
    X(DeviceGetP2PAtomicCapabilities) \
    X(DeviceGetTexture1DLinearMaxWidth) \
    X(DeviceRegisterAsyncNotification) \
    X(DeviceSetGraphMemAttribute) \
    X(DeviceUnregisterAsyncNotification) \
    X(ExternalMemoryGetMappedBuffer) \
    X(ExternalMemoryGetMappedMipmappedArray) \
    X(FabricCpyBatchAsync) \
    X(FlushGPUDirectRDMAWrites) \
    X(FuncGetParamCount) \
    X(FuncSetBlockShape) \
    X(FuncSetSharedSize) \
    X(GetExportTable) \
    X(GraphAddBatchMemOpNode) \
    X(GraphAddExternalSemaphoresSignalNode) \
    X(GraphAddExternalSemaphoresWaitNode) \
    X(GraphAddMemAllocNode) \
    X(GraphAddNode) \
    X(GraphBatchMemOpNodeGetParams) \
    X(GraphBatchMemOpNodeSetParams) \
    X(GraphConditionalHandleCreate) \
    X(GraphExecBatchMemOpNodeSetParams) \
    X(GraphExecExternalSemaphoresSignalNodeSetParams) \
    X(GraphExecExternalSemaphoresWaitNodeSetParams) \
    X(GraphExecGetId) \
    X(GraphExecNodeSetParams) \
    X(GraphExternalSemaphoresSignalNodeGetParams) \
    X(GraphExternalSemaphoresSignalNodeSetParams) \
    X(GraphExternalSemaphoresWaitNodeGetParams) \
    X(GraphExternalSemaphoresWaitNodeSetParams) \
    X(GraphGetId) \
    X(GraphMemAllocNodeGetParams) \
    X(GraphMemFreeNodeGetParams) \
    X(GraphMemcpyNodeGetParams) \
    X(GraphMemsetNodeGetParams) \
    X(GraphNodeGetContainingGraph) \
    X(GraphNodeGetLocalId) \
    X(GraphNodeGetParams) \
    X(GraphNodeGetToolsId) \
    X(GraphNodeSetParams) \
    X(GraphicsMapResources) \
    X(GraphicsResourceGetMappedMipmappedArray) \
    X(GraphicsResourceGetMappedPointer) \
    X(GraphicsResourceSetMapFlags) \
    X(GraphicsSubResourceGetMappedArray) \
    X(GraphicsUnmapResources) \
    X(GraphicsUnregisterResource) \
    X(GreenCtxCreate) \
    X(GreenCtxDestroy) \
    X(GreenCtxGetDevResource) \
    X(GreenCtxGetId) \
    X(GreenCtxRecordEvent) \
    X(GreenCtxStreamCreate) \
    X(GreenCtxWaitEvent) \
    X(ImportExternalMemory) \
    X(ImportExternalSemaphore) \
    X(KernelGetParamCount) \
    X(Launch) \
    X(LaunchCooperativeKernelMultiDevice) \
    X(LaunchGrid) \
    X(LaunchGridAsync) \
    X(LibraryGetUnifiedFunction) \
    X(LogicalEndpointAddDevice) \
    X(LogicalEndpointBindAddr) \
    X(LogicalEndpointBindMem) \
    X(LogicalEndpointCreate) \
    X(LogicalEndpointDestroy) \
    X(LogicalEndpointExport) \
    X(LogicalEndpointGetLimits) \
    X(LogicalEndpointIdRelease) \
    X(LogicalEndpointIdReserve) \
    X(LogicalEndpointImport) \
    X(LogicalEndpointQuery) \
    X(LogicalEndpointUnbind) \
    X(LogsCurrent) \
    X(LogsDumpToFile) \
    X(LogsDumpToMemory) \
    X(LogsRegisterCallback) \
    X(LogsUnregisterCallback) \
    X(MemBatchDecompressAsync) \
    X(MemDiscardAndPrefetchBatchAsync) \
    X(MemDiscardBatchAsync) \
    X(MemGetHandleForAddressRange) \
    X(MemGetLocationInfo) \
    X(MemMapArrayAsync) \
    X(MemPoolExportPointer) \
    X(MemPoolExportToShareableHandle) \
    X(MemPoolImportFromShareableHandle) \
    X(MemPoolImportPointer) \
    X(MemPrefetchBatchAsync) \
    X(MemRangeGetAttribute) \
    X(MemRangeGetAttributes) \
    X(Memcpy3DBatchAsync) \
    X(Memcpy3DPeer) \
    X(Memcpy3DPeerAsync) \
    X(Memcpy3DWithAttributesAsync) \
    X(MemcpyWithAttributesAsync) \
    X(MipmappedArrayGetMemoryRequirements) \
    X(MipmappedArrayGetSparseProperties) \
    X(ModuleGetSurfRef) \
    X(ModuleGetTexRef) \
    X(MulticastAddDevice) \
    X(MulticastBindAddr) \
    X(MulticastBindMem) \
    X(MulticastCreate) \
    X(MulticastGetGranularity) \
    X(MulticastUnbind) \
    X(OccupancyMaxActiveClusters) \
    X(OccupancyMaxPotentialClusterSize) \
    X(ParamSetSize) \
    X(ParamSetTexRef) \
    X(ParamSetf) \
    X(ParamSeti) \
    X(ParamSetv) \
    X(PointerSetAttribute) \
    X(SignalExternalSemaphoresAsync) \
    X(StreamBatchMemOp) \
    X(StreamBeginCaptureToCig) \
    X(StreamBeginRecaptureToGraph) \
    X(StreamEndCaptureToCig) \
    X(StreamGetDevResource) \
    X(StreamGetGreenCtx) \
    X(StreamWaitValue32) \
    X(StreamWaitValue64) \
    X(StreamWriteValue32) \
    X(StreamWriteValue64) \
    X(SurfObjectGetResourceDesc) \
    X(SurfRefGetArray) \
    X(SurfRefSetArray) \
    X(TensorMapEncodeIm2col) \
    X(TensorMapEncodeIm2colWide) \
    X(TensorMapEncodeTiled) \
    X(TensorMapReplaceAddress) \
    X(TensorMapSetAllocationClass) \
    X(TexObjectGetResourceDesc) \
    X(TexObjectGetResourceViewDesc) \
    X(TexObjectGetTextureDesc) \
    X(TexRefCreate) \
    X(TexRefDestroy) \
    X(TexRefGetAddress) \
    X(TexRefGetAddressMode) \
    X(TexRefGetArray) \
    X(TexRefGetBorderColor) \
    X(TexRefGetFilterMode) \
    X(TexRefGetFlags) \
    X(TexRefGetFormat) \
    X(TexRefGetMaxAnisotropy) \
    X(TexRefGetMipmapFilterMode) \
    X(TexRefGetMipmapLevelBias) \
    X(TexRefGetMipmapLevelClamp) \
    X(TexRefGetMipmappedArray) \
    X(TexRefSetAddress) \
    X(TexRefSetAddress2D) \
    X(TexRefSetAddressMode) \
    X(TexRefSetArray) \
    X(TexRefSetBorderColor) \
    X(TexRefSetFilterMode) \
    X(TexRefSetFlags) \
    X(TexRefSetFormat) \
    X(TexRefSetMaxAnisotropy) \
    X(TexRefSetMipmapFilterMode) \
    X(TexRefSetMipmapLevelBias) \
    X(TexRefSetMipmapLevelClamp) \
    X(TexRefSetMipmappedArray) \
    X(WaitExternalSemaphoresAsync)

#if defined(__clang__) && !defined(__cplusplus)
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((unavailable("kbuild: the cpu backend does not support " #name)))
#else
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((error("kbuild: the cpu backend does not support " #name)))
#endif
#if defined(__cplusplus)
}
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    template <class... __Arguments> \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cu##name) \
    CUresult cu##name(__Arguments &&...);
KBUILD_CPU_UNSUPPORTED_FUNCTIONS(KBUILD_CPU_UNSUPPORTED_FUNCTION)
extern "C" {
#else
#if __STDC_VERSION__ >= 202311L /* here, () means (void) */
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cu##name) CUresult cu##name(...);
#else
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cu##name) CUresult cu##name();
#endif
KBUILD_CPU_UNSUPPORTED_FUNCTIONS(KBUILD_CPU_UNSUPPORTED_FUNCTION)
#endif
#undef KBUILD_CPU_UNSUPPORTED_FUNCTION
#undef KBUILD_CPU_UNSUPPORTED_MESSAGE
#undef KBUILD_CPU_UNSUPPORTED_FUNCTIONS
