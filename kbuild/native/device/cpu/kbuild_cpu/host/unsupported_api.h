/* The functions of CUDA 13's runtime API that the backend does not have.  A call of one is an error
 * that names it, and not an undeclared function. */

#define KBUILD_CPU_UNSUPPORTED_FUNCTIONS(X) \
    X(DeviceGetTexture1DLinearMaxWidth) \
    X(DeviceFlushGPUDirectRDMAWrites) \
    X(DeviceRegisterAsyncNotification) \
    X(DeviceUnregisterAsyncNotification) \
    X(DeviceGetHostAtomicCapabilities) \
    X(DeviceGetNvSciSyncAttributes) \
    X(DeviceGetP2PAtomicCapabilities) \
    X(ImportExternalMemory) \
    X(ExternalMemoryGetMappedBuffer) \
    X(ExternalMemoryGetMappedMipmappedArray) \
    X(DestroyExternalMemory) \
    X(ImportExternalSemaphore) \
    X(SignalExternalSemaphoresAsync) \
    X(WaitExternalSemaphoresAsync) \
    X(DestroyExternalSemaphore) \
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
    X(GraphAddExternalSemaphoresSignalNode) \
    X(GraphExternalSemaphoresSignalNodeGetParams) \
    X(GraphExternalSemaphoresSignalNodeSetParams) \
    X(GraphAddExternalSemaphoresWaitNode) \
    X(GraphExternalSemaphoresWaitNodeGetParams) \
    X(GraphExternalSemaphoresWaitNodeSetParams) \
    X(GraphExecExternalSemaphoresSignalNodeSetParams) \
    X(GraphExecExternalSemaphoresWaitNodeSetParams) \
    X(GetDriverEntryPoint) \
    X(GetDriverEntryPointByVersion) \
    X(LibraryGetUnifiedFunction) \
    X(KernelSetAttributeForDevice) \
    X(GetExportTable) \
    X(GetFuncBySymbol)

/* clang ignores the attribute `error` of functions without a prototype. */
#if defined(__clang__) && !defined(__cplusplus)
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((unavailable("kbuild: the cpu backend does not support " #name)))
#else
#define KBUILD_CPU_UNSUPPORTED_MESSAGE(name) \
    __attribute__((error("kbuild: the cpu backend does not support " #name)))
#endif
#if defined(__cplusplus)
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    template <class... __Arguments> \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cuda##name) \
    cudaError_t cuda##name(__Arguments &&...);
#elif __STDC_VERSION__ >= 202311L /* here, () means (void) */
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cuda##name) cudaError_t cuda##name(...);
#else
#define KBUILD_CPU_UNSUPPORTED_FUNCTION(name) \
    KBUILD_CPU_UNSUPPORTED_MESSAGE(cuda##name) cudaError_t cuda##name();
#endif

KBUILD_CPU_UNSUPPORTED_FUNCTIONS(KBUILD_CPU_UNSUPPORTED_FUNCTION)

#undef KBUILD_CPU_UNSUPPORTED_FUNCTION
#undef KBUILD_CPU_UNSUPPORTED_MESSAGE
#undef KBUILD_CPU_UNSUPPORTED_FUNCTIONS
