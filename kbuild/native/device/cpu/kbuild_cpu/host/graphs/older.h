/* The forms of functions for graphs before CUDA 13, whose edges have no data. */

KBUILD_API(GraphAddDependencies)(KBUILD_VENDOR(Graph_t) __graph,
                                 const KBUILD_VENDOR(GraphNode_t) *__from,
                                 const KBUILD_VENDOR(GraphNode_t) *__to, size_t __count) {
    return KBUILD_VENDOR(GraphAddDependencies)(__graph, __from, __to, NULL, __count);
}

KBUILD_API(GraphRemoveDependencies)(KBUILD_VENDOR(Graph_t) __graph,
                                    const KBUILD_VENDOR(GraphNode_t) *__from,
                                    const KBUILD_VENDOR(GraphNode_t) *__to, size_t __count) {
    return KBUILD_VENDOR(GraphRemoveDependencies)(__graph, __from, __to, NULL, __count);
}

KBUILD_API(GraphGetEdges)(KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__from,
                          KBUILD_VENDOR(GraphNode_t) *__to, size_t *__count) {
    return KBUILD_VENDOR(GraphGetEdges)(__graph, __from, __to, NULL, __count);
}

KBUILD_API(GraphNodeGetDependencies)(KBUILD_VENDOR(GraphNode_t) __node,
                                     KBUILD_VENDOR(GraphNode_t) *__nodes, size_t *__count) {
    return KBUILD_VENDOR(GraphNodeGetDependencies)(__node, __nodes, NULL, __count);
}

KBUILD_API(GraphNodeGetDependentNodes)(KBUILD_VENDOR(GraphNode_t) __node,
                                       KBUILD_VENDOR(GraphNode_t) *__nodes, size_t *__count) {
    return KBUILD_VENDOR(GraphNodeGetDependentNodes)(__node, __nodes, NULL, __count);
}

KBUILD_API(GraphAddNode)(KBUILD_VENDOR(GraphNode_t) *__node, KBUILD_VENDOR(Graph_t) __graph,
                         const KBUILD_VENDOR(GraphNode_t) *__dependencies, size_t __count,
                         struct KBUILD_VENDOR(GraphNodeParams) *__parameters) {
    return KBUILD_VENDOR(GraphAddNode)(__node, __graph, __dependencies, NULL, __count,
                                       __parameters);
}

KBUILD_API(StreamUpdateCaptureDependencies)(KBUILD_VENDOR(Stream_t) __stream,
                                            KBUILD_VENDOR(GraphNode_t) *__dependencies,
                                            size_t __count, unsigned int __flags = 0) {
    return KBUILD_VENDOR(StreamUpdateCaptureDependencies)(__stream, __dependencies, NULL, __count,
                                                          __flags);
}

KBUILD_API(StreamGetCaptureInfo_v2)(KBUILD_VENDOR(Stream_t) __stream,
                                    enum KBUILD_VENDOR(StreamCaptureStatus) *__status,
                                    unsigned long long *__id = NULL,
                                    KBUILD_VENDOR(Graph_t) *__graph = NULL,
                                    const KBUILD_VENDOR(GraphNode_t) **__dependencies = NULL,
                                    size_t *__count = NULL) {
    return KBUILD_VENDOR(StreamGetCaptureInfo)(__stream, __status, __id, __graph, __dependencies,
                                               NULL, __count);
}

/* The names that CUDA 12 gave to the forms of CUDA 13. */

KBUILD_API(GraphAddDependencies_v2)(KBUILD_VENDOR(Graph_t) __graph,
                                    const KBUILD_VENDOR(GraphNode_t) *__from,
                                    const KBUILD_VENDOR(GraphNode_t) *__to,
                                    const KBUILD_VENDOR(GraphEdgeData) *__edges, size_t __count) {
    return KBUILD_VENDOR(GraphAddDependencies)(__graph, __from, __to, __edges, __count);
}

KBUILD_API(GraphGetEdges_v2)(KBUILD_VENDOR(Graph_t) __graph, KBUILD_VENDOR(GraphNode_t) *__from,
                             KBUILD_VENDOR(GraphNode_t) *__to,
                             KBUILD_VENDOR(GraphEdgeData) *__edges, size_t *__count) {
    return KBUILD_VENDOR(GraphGetEdges)(__graph, __from, __to, __edges, __count);
}
