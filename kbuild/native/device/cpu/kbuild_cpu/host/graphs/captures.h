/* Captures: streams whose work becomes a graph. */

/* Rejects edges with data.  The default data is 0. */
static inline int kbuild_cpu_reject_edges(const KBUILD_VENDOR(GraphEdgeData) *__edges,
                                          size_t __count) {
    for (size_t __i = 0; __edges != NULL && __i < __count; ++__i)
        if (__edges[__i].from_port != 0 || __edges[__i].to_port != 0 || __edges[__i].type != 0)
            return kbuild_cpu_fail(KBUILD_CPU_NOT_SUPPORTED,
                                   "the cpu backend does not support programmatic edges");
    return 0;
}

KBUILD_API(StreamBeginCapture)(KBUILD_VENDOR(Stream_t) __stream,
                               enum KBUILD_VENDOR(StreamCaptureMode) __mode) {
    KBUILD_CALL(kbuild_cpu_begin_capture(KBUILD_STREAM(__stream), KBUILD_STATIC_CAST(int, __mode)));
}

KBUILD_API(StreamBeginCaptureToGraph)(KBUILD_VENDOR(Stream_t) __stream,
                                      KBUILD_VENDOR(Graph_t) __graph,
                                      const KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                      const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count,
                                      enum KBUILD_VENDOR(StreamCaptureMode) __mode) {
    const int __error = kbuild_cpu_reject_edges(__edges, __count);
    KBUILD_CALL(__error != 0 ? __error
                             : kbuild_cpu_begin_capture_to(KBUILD_STREAM(__stream), __graph,
                                                           KBUILD_LIST(__dependencies), __count,
                                                           KBUILD_STATIC_CAST(int, __mode)));
}

KBUILD_API(StreamEndCapture)(KBUILD_VENDOR(Stream_t) __stream, KBUILD_VENDOR(Graph_t) *__graph) {
    void *__captured = NULL;
    const int __error =
        kbuild_cpu_end_capture(KBUILD_STREAM(__stream), __graph == NULL ? NULL : &__captured);
    if (__graph != NULL) *__graph = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __captured);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamIsCapturing)(KBUILD_VENDOR(Stream_t) __stream,
                              enum KBUILD_VENDOR(StreamCaptureStatus) *__status) {
    struct kbuild_cpu_capture __found;
    const int __error =
        kbuild_cpu_describe_capture(__status == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error == 0)
        *__status = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(StreamCaptureStatus), __found.status);
    KBUILD_CALL(__error);
}

KBUILD_API(StreamGetCaptureInfo)(
    KBUILD_VENDOR(Stream_t) __stream, enum KBUILD_VENDOR(StreamCaptureStatus) *__status,
    unsigned long long *__id KBUILD_DEFAULT(NULL),
    KBUILD_VENDOR(Graph_t) *__graph KBUILD_DEFAULT(NULL),
    const KBUILD_VENDOR(GraphNode_t) **__dependencies KBUILD_DEFAULT(NULL),
    const KBUILD_VENDOR(GraphEdgeData) **__edges KBUILD_DEFAULT(NULL),
    size_t *__count KBUILD_DEFAULT(NULL)) {
    struct kbuild_cpu_capture __found;
    const int __error =
        kbuild_cpu_describe_capture(__status == NULL ? NULL : &__found, KBUILD_STREAM(__stream));
    if (__error != 0) KBUILD_CALL(__error);
    *__status = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(StreamCaptureStatus), __found.status);
    if (__id != NULL) *__id = __found.id;
    if (__graph != NULL) *__graph = KBUILD_STATIC_CAST(KBUILD_VENDOR(Graph_t), __found.graph);
    if (__dependencies != NULL)
        *__dependencies =
            KBUILD_REINTERPRET_CAST(const KBUILD_VENDOR(GraphNode_t) *, __found.dependencies);
    if (__edges != NULL) *__edges = NULL;
    if (__count != NULL) *__count = __found.dependency_count;
    return KBUILD_VENDOR(Success);
}

KBUILD_API(StreamUpdateCaptureDependencies)(KBUILD_VENDOR(Stream_t) __stream,
                                            KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                            const KBUILD_VENDOR(GraphEdgeData) *__edges,
                                            size_t __count,
                                            unsigned int __flags KBUILD_DEFAULT(0)) {
    int __error = kbuild_cpu_reject_edges(__edges, __count);
    if (__error == 0 && __flags > KBUILD_VENDOR(StreamSetCaptureDependencies))
        __error = kbuild_cpu_fail(KBUILD_CPU_INVALID_VALUE, "unknown flags");
    if (__error == 0)
        __error =
            kbuild_cpu_change_capture(KBUILD_STREAM(__stream), KBUILD_LIST(__dependencies), __count,
                                      __flags == KBUILD_VENDOR(StreamAddCaptureDependencies));
    KBUILD_CALL(__error);
}

KBUILD_API(ThreadExchangeStreamCaptureMode)(enum KBUILD_VENDOR(StreamCaptureMode) *__mode) {
    int __exchanged = __mode == NULL ? 0 : KBUILD_STATIC_CAST(int, *__mode);
    const int __error = kbuild_cpu_exchange_capture_mode(__mode == NULL ? NULL : &__exchanged);
    if (__error == 0)
        *__mode = KBUILD_STATIC_CAST(enum KBUILD_VENDOR(StreamCaptureMode), __exchanged);
    KBUILD_CALL(__error);
}
