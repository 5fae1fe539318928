/* Streams, events, and captures. */

KBUILD_DRIVER_SAME(StreamCreate, (CUstream * __stream, unsigned int __flags),
                   cudaStreamCreateWithFlags(__stream, __flags))
KBUILD_DRIVER_SAME(StreamCreateWithPriority,
                   (CUstream * __stream, unsigned int __flags, int __priority),
                   cudaStreamCreateWithPriority(__stream, __flags, __priority))
KBUILD_DRIVER_SAME(StreamDestroy, (CUstream __stream), cudaStreamDestroy(__stream))
KBUILD_DRIVER_SAME(StreamSynchronize, (CUstream __stream), cudaStreamSynchronize(__stream))
KBUILD_DRIVER_SAME(StreamQuery, (CUstream __stream), cudaStreamQuery(__stream))
KBUILD_DRIVER_SAME(StreamWaitEvent, (CUstream __stream, CUevent __event, unsigned int __flags),
                   cudaStreamWaitEvent(__stream, __event, __flags))
KBUILD_DRIVER_SAME(StreamGetFlags, (CUstream __stream, unsigned int *__flags),
                   cudaStreamGetFlags(__stream, __flags))
KBUILD_DRIVER_SAME(StreamGetPriority, (CUstream __stream, int *__priority),
                   cudaStreamGetPriority(__stream, __priority))
KBUILD_DRIVER_SAME(StreamGetId, (CUstream __stream, unsigned long long *__id),
                   cudaStreamGetId(__stream, __id))
KBUILD_DRIVER_SAME(StreamGetDevice, (CUstream __stream, CUdevice *__device),
                   cudaStreamGetDevice(__stream, __device))
KBUILD_DRIVER_SAME(StreamCopyAttributes, (CUstream __to, CUstream __from),
                   cudaStreamCopyAttributes(__to, __from))
KBUILD_DRIVER_SAME(StreamSetAttribute,
                   (CUstream __stream, CUstreamAttrID __number, const CUstreamAttrValue *__value),
                   cudaStreamSetAttribute(__stream, (cudaLaunchAttributeID)__number, __value))
KBUILD_DRIVER_SAME(StreamGetAttribute,
                   (CUstream __stream, CUstreamAttrID __number, CUstreamAttrValue *__value),
                   cudaStreamGetAttribute(__stream, (cudaLaunchAttributeID)__number, __value))
KBUILD_DRIVER_SAME(StreamAddCallback,
                   (CUstream __stream, CUstreamCallback __callback, void *__data,
                    unsigned int __flags),
                   cudaStreamAddCallback(__stream, (cudaStreamCallback_t)__callback, __data,
                                         __flags))
KBUILD_DRIVER_SAME(StreamAttachMemAsync,
                   (CUstream __stream, CUdeviceptr __address, size_t __bytes, unsigned int __flags),
                   cudaStreamAttachMemAsync(__stream, (void *)__address, __bytes, __flags))

/* Streams belong to no context. */
KBUILD_DRIVER(StreamGetCtx)(CUstream __stream, CUcontext *__context) {
    const int __error = kbuild_cpu_check_stream(__stream);
    KBUILD_DRIVER_CALL(__error != 0 ? __error : kbuild_cpu_current_context((void **)__context));
}
/* No stream belongs to a green context. */
KBUILD_DRIVER(StreamGetCtx_v2)(CUstream __stream, CUcontext *__context, CUgreenCtx *__green) {
    if (__green != NULL) *__green = NULL;
    return cuStreamGetCtx(__stream, __context);
}

KBUILD_DRIVER_SAME(EventCreate, (CUevent * __event, unsigned int __flags),
                   cudaEventCreateWithFlags(__event, __flags))
KBUILD_DRIVER_SAME(EventDestroy, (CUevent __event), cudaEventDestroy(__event))
KBUILD_DRIVER_SAME(EventRecord, (CUevent __event, CUstream __stream),
                   cudaEventRecord(__event, __stream))
KBUILD_DRIVER_SAME(EventRecordWithFlags, (CUevent __event, CUstream __stream, unsigned int __flags),
                   cudaEventRecordWithFlags(__event, __stream, __flags))
KBUILD_DRIVER_SAME(EventQuery, (CUevent __event), cudaEventQuery(__event))
KBUILD_DRIVER_SAME(EventSynchronize, (CUevent __event), cudaEventSynchronize(__event))
KBUILD_DRIVER_SAME(EventElapsedTime, (float *__milliseconds, CUevent __start, CUevent __end),
                   cudaEventElapsedTime(__milliseconds, __start, __end))

KBUILD_DRIVER_SAME(StreamBeginCapture, (CUstream __stream, CUstreamCaptureMode __mode),
                   cudaStreamBeginCapture(__stream, (enum cudaStreamCaptureMode)__mode))
KBUILD_DRIVER_SAME(StreamBeginCaptureToGraph,
                   (CUstream __stream, CUgraph __graph, const CUgraphNode *__dependencies,
                    const CUgraphEdgeData *__edges, size_t __count, CUstreamCaptureMode __mode),
                   cudaStreamBeginCaptureToGraph(__stream, __graph, __dependencies, __edges,
                                                 __count, (enum cudaStreamCaptureMode)__mode))
KBUILD_DRIVER_SAME(StreamEndCapture, (CUstream __stream, CUgraph *__graph),
                   cudaStreamEndCapture(__stream, __graph))
KBUILD_DRIVER_SAME(StreamIsCapturing, (CUstream __stream, CUstreamCaptureStatus *__status),
                   cudaStreamIsCapturing(__stream, (enum cudaStreamCaptureStatus *)__status))
KBUILD_DRIVER_SAME(ThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * __mode),
                   cudaThreadExchangeStreamCaptureMode((enum cudaStreamCaptureMode *)__mode))
KBUILD_DRIVER_SAME(StreamGetCaptureInfo,
                   (CUstream __stream, CUstreamCaptureStatus *__status, cuuint64_t *__id,
                    CUgraph *__graph, const CUgraphNode **__dependencies,
                    const CUgraphEdgeData **__edges, size_t *__count),
                   cudaStreamGetCaptureInfo(__stream, (enum cudaStreamCaptureStatus *)__status,
                                            (unsigned long long *)__id, __graph, __dependencies,
                                            __edges, __count))
KBUILD_DRIVER_SAME(StreamUpdateCaptureDependencies,
                   (CUstream __stream, CUgraphNode *__dependencies, const CUgraphEdgeData *__edges,
                    size_t __count, unsigned int __flags),
                   cudaStreamUpdateCaptureDependencies(__stream, __dependencies, __edges, __count,
                                                       __flags))
